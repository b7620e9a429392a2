#include "tools/gnn-sample/run/graph_inputs.h"

#include <cstdint>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
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

InputParts input_parts(const TrainOptions& options, bool has_features) {
  if (options.input == "auto") {
    // Without features the best on most graphs: tests/bench/results/gnn-sample-featureless.md.
    return has_features ? InputParts{.features = true} : InputParts{.projection = true};
  }
  const std::optional<InputParts> parts = InputParts::parse(options.input);
  if (!parts) {
    fail(ExitStatus::usage, "--input ", printable(options.input),
         ", expected auto, or features, degree, projection and embedding, each at most once, "
         "separated by commas");
  }
  if (parts->embedding && conv_kind(options.network.kind).reads_hops) {
    fail(ExitStatus::usage, "--input ", options.input, ": --architecture ", options.network.kind,
         " reads hops that are computed once, expected degree or projection in place of embedding");
  }
  return *parts;
}

void GraphInputs::make(StoredGraph& graph, const TrainOptions& options, NodeInputs& inputs) {
  warn_of_weights(graph, options);
  const double began = wall_seconds();
  inputs = NodeInputs({.parts = input_parts(options, graph.features().has_value()),
                       .size = options.input_size,
                       .seed = options.seed});
  inputs.make(graph);
  features_ = graph.required_features().dim;
  edges_ = graph.num_edges();
  if (conv_kind(options.network.kind).reads_hops) {
    replace_by_hops(graph, options.network, options.residence, scaling_);
  }
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
