#pragma once
#include <memory>
#include <span>
#include <string>

#include "libcore/embedding/embedding_methods.h"
#include "libcore/tensors/mapped_document.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/robe-compress/columns/click_batch.h"
#include "tools/robe-compress/data/click_encoder.h"
#include "tools/robe-compress/network/architecture.h"

namespace frugal::robe {

/// A click model: converts records to probabilities of a click.
struct ClickModel {
  ClickEncoder encoder;
  std::unique_ptr<Embedding> embedding;
  std::unique_ptr<Network> network;
  std::string history = {};  ///< metadata frugal.history
  /// Owner of the tables that a model of open_model() borrows.
  std::shared_ptr<const OpenDocument> source = nullptr;
};

/// Embedding tables for an encoder's fields.
TableSet tables_of(const ClickEncoder& encoder, std::size_t dim);
/// Counts of the tables' rows in the training data; empty if they were not counted, or if rows of
/// one table are among those of another.
RowCounts row_counts_of(const ClickEncoder& encoder);

void save_model(const ClickEncoder& encoder, const Embedding& embedding, const Network& network,
                Document& document);
/// True if save_model() wrote the document with this metadata.
bool is_click_model(const Metadata& metadata);
/// Reads a model. Fails (bad_input) with `path` if the file is not a model or its parts do not fit
/// together.
ClickModel load_model(const std::string& path, Precision precision = Precision::f32);

/// As load_model(), to predict a few samples at once: the tables stay in the mapped file, where
/// rows are read when they are used. Call check_used() before a prediction.
ClickModel open_model(const std::string& path, Precision precision);
/// Fails (bad_input) with `path` if the samples of an opened model use a number that is not finite.
void check_used(const ClickModel& model, const ClickBatch& batch, const std::string& path);

/// Computes the predictions of a model for batches.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// Logit of each sample; valid until the next call.
  virtual std::span<const float> logits(const ClickBatch& batch) = 0;
};

/// Predicts on the CPU, on all threads. Reuses its working memory.
class ClickPredictor final : public Predictor {
 public:
  /// embedding, network: must outlive the object.
  ClickPredictor(const Embedding& embedding, const Network& network);
  ~ClickPredictor() override;
  /// Logits are the same to the bit for any number of threads.
  std::span<const float> logits(const ClickBatch& batch) override;

 private:
  struct Worker;
  const Embedding& embedding_;
  const Network& network_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<float> logits_;
};

}  // namespace frugal::robe
