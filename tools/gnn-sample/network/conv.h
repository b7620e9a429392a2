#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/weights.h"
#include "tools/gnn-sample/network/row_chunks.h"
#include "tools/gnn-sample/network/source_rows.h"
#include "tools/gnn-sample/sampler/mini_batch.h"

namespace frugal::gnn {

/// What the passes of a batch are made for: random masks are a function of the seed and the step.
struct GnnPass {
  bool training = false;
  std::uint64_t seed = 0, step = 0;
};

/// What a layer sees of a batch.
struct ConvInput {
  Block block;
  SourceRows rows;                         ///< of the block's sources
  std::span<const std::uint32_t> degrees;  ///< [sources] in the graph; where a layer asks for them
  bool wants_gradient = false;             ///< of the rows; then with the block's edges by source
  const TransposedBlock* transposed = nullptr;
  std::uint64_t layer = 0;  ///< number in the model, for random masks
  GnnPass pass;
};

/// Of random numbers for the initial values of each layer.
inline constexpr std::uint64_t kLayerStreams = 4;

/// Masks of attention are those of a layer's number behind this one.
inline constexpr std::uint64_t kAttentionStream = std::uint64_t{1} << 32;

/// Called when rows [begin, end) of a layer's output are there, by the thread that made them.
using RowsDone = std::function<void(std::size_t begin, std::size_t end)>;
/// Writes the gradient by rows [begin, end) of a layer's output; any threads, each row once.
using OutputGradient =
    std::function<void(std::size_t begin, std::size_t end, MatrixView<float> rows)>;

/// What a layer keeps of a batch between its passes, and its working memory.
class ConvRoom {
 public:
  virtual ~ConvRoom() = default;
};

/// Parameters as a tensor of the file: rows of a matrix of weights.
struct ParameterTensor {
  std::string name;
  Weights* weights;
  Shape shape;
  std::size_t begin = 0;  ///< first row
  bool trained = true;    ///< false: a constant of the model
};

/// A layer of message passing: a row for each target of a block from the rows of its sources. Each
/// pass runs on all threads; results do not depend on their number.
class Conv {
 public:
  virtual ~Conv() = default;
  virtual std::size_t num_outputs() const = 0;
  /// Whether backward() reads input.transposed.
  virtual bool wants_transposed() const { return true; }
  virtual std::unique_ptr<ConvRoom> make_room() const = 0;
  /// Initial values, from no more than kLayerStreams streams of random numbers from `stream` on.
  virtual void randomize(std::uint64_t seed, std::uint64_t stream) = 0;

  /// out: [targets, outputs].
  virtual void forward(const ConvInput& input, ConvRoom& room, MatrixView<float> out,
                       const RowsDone& done) const = 0;
  /// Adds to the gradients of the weights. Makes ready what
  /// input_gradient() reads if the input wants it.
  virtual void backward(const ConvInput& input, ConvRoom& room, const OutputGradient& gradient) = 0;
  /// The gradient by the input rows of sources [begin, end), on the calling thread.
  virtual void input_gradient(const ConvInput& input, const ConvRoom& room, std::size_t begin,
                              std::size_t end, MatrixView<float> rows) const = 0;

  virtual std::vector<ParameterTensor> tensors() = 0;
};

}  // namespace frugal::gnn
