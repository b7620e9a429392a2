#include "tools/gnn-sample/run/graph_inputs.h"

#include <cstdint>

#include "libcore/base/log.h"
#include "libcore/system/clock.h"
#include "tools/gnn-sample/network/conv_kinds.h"

namespace frugal::gnn {
namespace {

/// Bytes of rows from which on they are shuffled block by block.
constexpr std::uint64_t kLargeRows = std::uint64_t{4} << 30;
/// Rows of a block, which consists of runs of neighbouring rows.
constexpr std::size_t kShuffleBlock = std::size_t{1} << 16;

/// No architecture reads weights; who has some may think so.
void warn_of_weights(const StoredGraph& graph, const TrainOptions& options) {
  if (graph.weights().empty() || options.sampling.method == "weighted") return;
  log_warning(graph.path(), ": the weights of the edges are not used; --method weighted draws ",
              "neighbours by them");
}

}  // namespace

void GraphInputs::make(StoredGraph& graph, const TrainOptions& options) {
  warn_of_weights(graph, options);
  features_ = graph.required_features().dim;
  edges_ = graph.num_edges();
  if (!conv_kind(options.network.kind).reads_hops) return;
  const double began = wall_seconds();
  replace_by_hops(graph, options.network, options.residence, scaling_);
  seconds_ = wall_seconds() - began;
}

std::size_t GraphInputs::shuffle_block(const StoredGraph& graph) const {
  const bool large = !scaling_.factor.empty() && graph.features()->data_bytes() > kLargeRows;
  return large ? kShuffleBlock : 0;
}

void GraphInputs::set_scaling(GnnModel& model) const {
  if (!scaling_.factor.empty()) model.set_hop_scaling(scaling_);
}

}  // namespace frugal::gnn
