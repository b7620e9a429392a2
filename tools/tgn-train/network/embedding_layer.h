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
#include "tools/tgn-train/network/step_plan.h"
#include "tools/tgn-train/network/tgn_options.h"
#include "tools/tgn-train/network/time_encoder.h"

namespace frugal::tgn {

/// Options of a pass over a step. Random numbers are a function of seed and step.
struct TgnPass {
  bool training = false;
  std::uint64_t seed = 0, step = 0;
  /// Rounds new states to bf16 at once, so that results do not depend on when a bf16 memory stores
  /// them.
  bool bf16_states = false;
};

/// The rows of a step that a layer reads.
struct LayerInput {
  const QueryRows* queries = nullptr;
  MatrixView<const float> below;  ///< [rows below, memory_dim]
  const FeatureRows* edges = nullptr;
  TimeEncoder* time = nullptr;
  std::size_t layer = 0;
};

/// An embedding module (Rossi et al. 2020, section 3.1): embeds nodes by their memory and, in most
/// kinds, by their neighbours. It keeps what the backward pass needs, so only one pass can be open
/// at a time.
class EmbeddingLayer {
 public:
  virtual ~EmbeddingLayer() = default;

  virtual void randomize(std::uint64_t seed, std::uint64_t stream) = 0;
  /// out: [queries, memory_dim].
  virtual void forward(const LayerInput& input, const TgnPass& pass, MatrixView<float> out) = 0;
  /// Must follow a forward pass for training. Overwrites dout. Adds to the gradient of the rows
  /// below (dbelow, in the numbering of the queries) and of the time encoder.
  virtual void backward(const LayerInput& input, MatrixView<float> dout, MatrixView<float> dbelow,
                        ParameterSteps& steps) = 0;

  virtual void visit_parameters(const ParameterVisit& each) = 0;
  /// Uses the names and shapes of twitter-research/tgn.
  virtual void save(Document& document) const = 0;
  virtual void load(const Document& document, const std::string& path) = 0;
};

/// Key of the random numbers of a layer's dropout in a pass.
std::uint32_t dropout_key(const TgnPass& pass, std::size_t layer);
/// Draws the dropout factors of n numbers, of which a share of `share` is dropped. keep is empty if
/// the pass is not for training or the share is 0.
void draw_dropout(const TgnPass& pass, std::size_t layer, float share, std::size_t n,
                  std::vector<float>& keep);

/// Copies the queries' own rows, each followed by a 1: [queries, below.cols + 1].
void copy_own_rows(const LayerInput& input, RowStore& rows);
/// Sets the last column to 1: its weights are the layer's bias.
void set_ones(MatrixView<float> rows);

/// dbelow.row(rows[r]) += dx.row(r) where rows[r] is not kNoRow.
void add_to_rows(MatrixView<const float> dx, const std::vector<std::uint32_t>& rows,
                 MatrixView<float> dbelow);

/// Embeddings without neighbours: a node's own row, or, with EmbeddingKind::time, that row times 1
/// + w since + b. `since` is the normalised time since the node's last event (JODIE: Kumar, Zhang,
/// Leskovec, KDD 2019, section 3.2).
class MemoryLayer : public EmbeddingLayer {
 public:
  explicit MemoryLayer(const TgnOptions& options);

  void randomize(std::uint64_t seed, std::uint64_t stream) override;
  void forward(const LayerInput& input, const TgnPass& pass, MatrixView<float> out) override;
  void backward(const LayerInput& input, MatrixView<float> dout, MatrixView<float> dbelow,
                ParameterSteps& steps) override;
  void visit_parameters(const ParameterVisit& each) override;
  void save(Document& document) const override;
  void load(const Document& document, const std::string& path) override;

 private:
  std::size_t dim_;
  std::optional<DenseLayer> projection_;  ///< of the time, 1 -> dim
  RowStore since_;                        ///< [queries, since and 1]
  RowStore factors_, d_factors_;
};

/// Rows of the neighbours of a layer's queries, [row below | edge features | time encoding], with
/// room for the gradient of the encodings.
class NeighborRows {
 public:
  NeighborRows(std::size_t below_dim, std::size_t edge_dim, std::size_t time_dim)
      : below_dim_(below_dim), edge_dim_(edge_dim), time_dim_(time_dim) {}

  std::size_t width() const { return below_dim_ + edge_dim_ + time_dim_; }
  /// Gathers features and encodes times.
  void fill(const LayerInput& input);
  /// Sets the lists and parts of `attention`; with dbelow, also where the backward pass adds
  /// gradients.
  void describe(const LayerInput& input, MatrixView<float> dbelow, Attention& attention);
  /// Adds the gradient of the encodings to the encoder's.
  void finish_backward(const LayerInput& input);

 private:
  std::size_t below_dim_, edge_dim_, time_dim_;
  RowStore edges_, times_, d_times_;
};

}  // namespace frugal::tgn
