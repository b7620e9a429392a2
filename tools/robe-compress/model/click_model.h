#pragma once
#include <memory>
#include <span>
#include <string>

#include "libcore/embedding/embedding_methods.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/robe-compress/columns/click_batch.h"
#include "tools/robe-compress/data/click_encoder.h"
#include "tools/robe-compress/network/architecture.h"

namespace frugal::robe {

/// Everything that turns records into probabilities of a click.
struct ClickModel {
  ClickEncoder encoder;
  std::unique_ptr<Embedding> embedding;
  std::unique_ptr<Network> network;
  std::string history = {};  ///< metadata frugal.history: what made it
};

/// The embedding tables that an encoder's fields need.
TableSet tables_of(const ClickEncoder& encoder, std::size_t dim);
/// How often their rows occur in the training data; empty where that was not counted, or rows of
/// one table stand among those of another.
RowCounts row_counts_of(const ClickEncoder& encoder);

void save_model(const ClickEncoder& encoder, const Embedding& embedding, const Network& network,
                Document& document);
/// Whether a document with this metadata is one that save_model() wrote.
bool is_click_model(const Metadata& metadata);
/// Fails (bad_input) with `path` where the file is no model or its parts do not fit together.
ClickModel load_model(const std::string& path, Precision precision = Precision::f32);

/// Answers for batches.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// The logit of each sample, valid until the next call.
  virtual std::span<const float> logits(const ClickBatch& batch) = 0;
};

/// On the CPU, on all threads; keeps its working memory from batch to batch.
class ClickPredictor final : public Predictor {
 public:
  /// The parts must outlive the object.
  ClickPredictor(const Embedding& embedding, const Network& network);
  ~ClickPredictor() override;
  /// The same bits for any number of threads.
  std::span<const float> logits(const ClickBatch& batch) override;

 private:
  struct Worker;
  const Embedding& embedding_;
  const Network& network_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<float> logits_;
};

}  // namespace frugal::robe
