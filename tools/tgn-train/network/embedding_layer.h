#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "libcore/base/view.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/row_store.h"
#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/network/parameter_steps.h"
#include "tools/tgn-train/network/parameter_visit.h"
#include "tools/tgn-train/network/step_plan.h"
#include "tools/tgn-train/network/tgn_options.h"
#include "tools/tgn-train/network/time_encoder.h"

namespace frugal::tgn {

/// One pass over a step. Random numbers are a function of seed and step.
struct TgnPass {
  bool training = false;
  std::uint64_t seed = 0, step = 0;
  /// Each state is at once what a memory in bf16 has of it later, whenever that may be.
  bool bf16_states = false;
};

/// A layer's view of the step.
struct LayerInput {
  const QueryRows* queries = nullptr;
  MatrixView<const float> below;  ///< [rows below, memory_dim]
  const FeatureRows* edges = nullptr;
  TimeEncoder* time = nullptr;
  std::size_t layer = 0;
};

/// An embedding module (Rossi et al. 2020, section 3.1): embeds nodes by their memory and, some, by
/// their neighbours. Keeps what its backward pass needs: one pass at a time.
class EmbeddingLayer {
 public:
  virtual ~EmbeddingLayer() = default;

  virtual std::uint64_t num_parameters() const = 0;
  virtual void randomize(std::uint64_t seed, std::uint64_t stream) = 0;
  /// out: [queries, memory_dim].
  virtual void forward(const LayerInput& input, const TgnPass& pass, MatrixView<float> out) = 0;
  /// After a forward pass for training. dout may be overwritten. Adds to the gradient of the rows
  /// below, as the queries number them, and to that of the time encoder.
  virtual void backward(const LayerInput& input, MatrixView<float> dout, MatrixView<float> dbelow,
                        ParameterSteps& steps) = 0;

  virtual void visit_parameters(const ParameterVisit& each) = 0;
  /// With the names and shapes of twitter-research/tgn.
  virtual void save(Document& document) const = 0;
  virtual void load(const Document& document, const std::string& path) = 0;
  virtual void save_state(Document& document) const = 0;
  virtual void load_state(const Document& document, const std::string& path) = 0;
};

/// What the numbers of a layer's dropout are drawn by.
std::uint32_t dropout_key(const TgnPass& pass, std::size_t layer);
/// Factors of dropout of that share for n numbers; none where the pass is not for training.
void draw_dropout(const TgnPass& pass, std::size_t layer, float share, std::size_t n,
                  std::vector<float>& keep);

/// The queries' own rows below, with a one behind each: [queries, below.cols + 1].
void copy_own_rows(const LayerInput& input, RowStore& rows);
/// The last column of layers' inputs: the bias is the weight of that one.
void set_ones(MatrixView<float> rows);

/// dbelow.row(rows[r]) += dx.row(r) where rows[r] is not kNoRow.
void add_to_rows(MatrixView<const float> dx, const std::vector<std::uint32_t>& rows,
                 MatrixView<float> dbelow);

/// Embeddings that look at no neighbours: a node's own row; or that times 1 + w since + b, with
/// `since` the time since the node's last event in units of the training data (JODIE: Kumar, Zhang,
/// Leskovec, KDD 2019, section 3.2).
class MemoryLayer : public EmbeddingLayer {
 public:
  explicit MemoryLayer(const TgnOptions& options);

  std::uint64_t num_parameters() const override;
  void randomize(std::uint64_t seed, std::uint64_t stream) override;
  void forward(const LayerInput& input, const TgnPass& pass, MatrixView<float> out) override;
  void backward(const LayerInput& input, MatrixView<float> dout, MatrixView<float> dbelow,
                ParameterSteps& steps) override;
  void visit_parameters(const ParameterVisit& each) override;
  void save(Document& document) const override;
  void load(const Document& document, const std::string& path) override;
  void save_state(Document& document) const override;
  void load_state(const Document& document, const std::string& path) override;

 private:
  std::size_t dim_;
  std::optional<DenseLayer> projection_;  ///< of the time, 1 -> dim
  RowStore since_;                        ///< [queries, since and 1]
  RowStore factors_, d_factors_;
};

/// What is known of the neighbours of a layer's queries: [row below | edge features | time
/// encoding] of each, with room for the gradient of the encodings.
class NeighborRows {
 public:
  NeighborRows(std::size_t below_dim, std::size_t edge_dim, std::size_t time_dim)
      : below_dim_(below_dim), edge_dim_(edge_dim), time_dim_(time_dim) {}

  std::size_t width() const { return below_dim_ + edge_dim_ + time_dim_; }
  /// Gathers features and encodes times.
  void fill(const LayerInput& input);
  /// Sets lists and parts of `attention`; with dbelow, where the backward pass adds gradients.
  void describe(const LayerInput& input, MatrixView<float> dbelow, Attention& attention);
  /// Hands the gradient of the encodings on to the encoder.
  void finish_backward(const LayerInput& input);

 private:
  std::size_t below_dim_, edge_dim_, time_dim_;
  RowStore edges_, times_, d_times_;
};

}  // namespace frugal::tgn
