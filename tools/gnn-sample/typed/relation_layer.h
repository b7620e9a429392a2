#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/parameter_tensors.h"
#include "tools/gnn-sample/layers/conv.h"
#include "tools/gnn-sample/layers/source_rows.h"
#include "tools/gnn-sample/typed/used_edges.h"

namespace frugal::gnn {

/// Input of a relation's layer for a batch, lent by the caller during both passes.
struct RelationInput {
  const UsedEdges* edges = nullptr;
  SourceRows sources, targets;         ///< rows of the sources and targets of these edges
  bool wants_source_gradient = false;  ///< add_source_gradient() will be called
  std::uint64_t number = 0;            ///< of the relation in its layer, for random masks
  GnnPass pass;
};

/// State of a relation's layer for a batch between its passes, and working memory.
class RelationRoom {
 public:
  virtual ~RelationRoom() = default;
};

/// The part of a layer that belongs to a relation: computes a row for each target from those of its
/// neighbours. Passes use all threads unless they say otherwise; results are the same to the bit
/// for any number of them.
class RelationLayer {
 public:
  virtual ~RelationLayer() = default;
  virtual std::unique_ptr<RelationRoom> make_room() const = 0;
  /// Draws initial values from the streams `stream` and `stream` + 1, and from those kMoreStreams
  /// later.
  virtual void randomize(std::uint64_t seed, std::uint64_t stream) = 0;
  static constexpr std::uint64_t kMoreStreams = std::uint64_t{1} << 23;
  /// True if the rows depend on those of the targets, too.
  virtual bool reads_targets() const { return false; }

  /// Adds the rows of edges->targets() to these rows of sums, [targets, outputs].
  virtual void forward(const RelationInput& input, RelationRoom& room,
                       MatrixView<float> sums) const = 0;
  /// Prepares backward() on the calling thread.
  virtual void prepare_backward(const RelationInput& input, RelationRoom& room) const = 0;
  /// Adds to the gradients of the weights, and prepares those of the rows. gradient: of the sums.
  virtual void backward(const RelationInput& input, RelationRoom& room,
                        MatrixView<const float> gradient) = 0;
  /// Adds the gradient by the rows of sources [begin, end) of the edges, on the calling thread.
  virtual void add_source_gradient(const RelationRoom& room, std::size_t begin, std::size_t end,
                                   MatrixView<float> rows) const = 0;
  /// Adds the gradient by the rows of targets, if the layer reads them.
  virtual void add_target_gradient(const RelationRoom&, std::size_t, std::size_t,
                                   MatrixView<float>) const {}

  /// Parameters. layer: begin of their names; relation: its name, which they have.
  virtual std::vector<ParameterTensor> tensors(const std::string& layer,
                                               const std::string& relation) = 0;

 protected:
  /// Adds rows to the sums of the used targets from `begin` on.
  static void add_rows(const UsedEdges& edges, std::size_t begin, MatrixView<const float> rows,
                       MatrixView<float> sums);
  /// Copies the rows of used targets [begin, begin + out's rows).
  static void take_rows(const UsedEdges& edges, std::size_t begin, MatrixView<const float> all,
                        MatrixView<float> out);
};

}  // namespace frugal::gnn
