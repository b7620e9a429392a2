#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/parameter_tensors.h"
#include "tools/gnn-sample/data/neighbor_counts.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/layers/source_rows.h"
#include "tools/gnn-sample/sampler/mini_batch.h"

namespace frugal::gnn {

/// Options of a pass over a batch. Random masks are a function of seed and step.
struct GnnPass {
  bool training = false;
  std::uint64_t seed = 0, step = 0;
};

/// Input of a layer for a batch.
struct ConvInput {
  Block block;
  SourceRows rows;  ///< rows of the block's sources
  /// [sources] degrees in the graph, for layers that need them
  std::span<const std::uint32_t> degrees;
  /// [sources] the same of the weights of edges, if layers read them
  std::span<const WeightedDegree> weighted_degrees;
  bool wants_gradient = false;  ///< the gradient of the rows is needed; then `transposed` is set
  const TransposedBlock* transposed = nullptr;
  std::uint64_t layer = 0;  ///< number of the layer, for random masks
  GnnPass pass;
};

/// Number of streams of random numbers for the initial values of each layer.
inline constexpr std::uint64_t kLayerStreams = 4;
/// Streams from those of a layer to as many of its next part, for layers of several parts.
inline constexpr std::uint64_t kPartStreams = std::uint64_t{1} << 40;

/// Offset of a layer's number for the masks of its attention.
inline constexpr std::uint64_t kAttentionStream = std::uint64_t{1} << 32;

/// Called when rows [begin, end) of a layer's output are computed, by the thread that computed
/// them.
using RowsDone = std::function<void(std::size_t begin, std::size_t end)>;
/// Writes the gradient by rows [begin, end) of a layer's output. Called by any thread, once for
/// each row.
using OutputGradient =
    std::function<void(std::size_t begin, std::size_t end, MatrixView<float> rows)>;

/// State of a layer for a batch between its passes, and working memory.
class ConvRoom {
 public:
  virtual ~ConvRoom() = default;
};

/// A layer of message passing: computes a row for each target of a block from the rows of its
/// sources. Each pass uses all threads; results do not depend on their number.
class Conv {
 public:
  virtual ~Conv() = default;
  virtual std::size_t num_outputs() const = 0;
  /// True if backward() reads input.transposed.
  virtual bool wants_transposed() const { return true; }
  virtual std::unique_ptr<ConvRoom> make_room() const = 0;
  /// Draws initial values, from at most kLayerStreams streams of random numbers for each part,
  /// `stream` being the first.
  virtual void randomize(std::uint64_t seed, std::uint64_t stream) = 0;

  /// Computes out, [targets, outputs].
  virtual void forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
                       const RowsDone& done) const = 0;
  /// Adds to the gradients of the weights. If the input wants its gradient, prepares
  /// input_gradient().
  virtual void backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) = 0;
  /// Computes the gradient by the input rows of sources [begin, end), on the calling thread.
  virtual void input_gradient(const ConvInput& input, const ConvRoom& room, std::size_t begin,
                              std::size_t end, MatrixView<float> rows) const = 0;

  virtual std::vector<ParameterTensor> tensors() = 0;
};

}  // namespace frugal::gnn
