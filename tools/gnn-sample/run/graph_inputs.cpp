#include "tools/gnn-sample/run/graph_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/train/accumulation.h"
#include "tools/gnn-sample/inputs/hop_features.h"
#include "tools/gnn-sample/network/conv_kinds.h"

namespace frugal::gnn {
namespace {

/// Bytes of rows from which on they are shuffled block by block.
constexpr std::uint64_t kLargeRows = std::uint64_t{4} << 30;
/// Rows of a block, which consists of runs of neighbouring rows.
constexpr std::size_t kShuffleBlock = std::size_t{1} << 16;

/// A user whose graph has weights may think that they are used.
void check_weights(const StoredGraph& graph, const TrainOptions& options) {
  if (options.network.edge_weights) return graph.require_weights("--edge-weights");
  if (graph.weights().empty() || options.sampling.method == "weighted") return;
  log_warning(graph.path(), ": the weights of the edges are not used; --edge-weights gives them ",
              "to the layers, --method weighted draws neighbours by them");
}

/// The largest root mean square of a column, of rows that are spread over all; 0 if it is not
/// quick.
double largest_scale(const FeatureView& features) {
  constexpr std::size_t kRows = 1000;
  if (features.sparse() || features.array != nullptr || features.dtype != Dtype::f32) return 0;
  std::vector<double> squares(features.dim);
  const std::size_t rows = std::min(features.rows, kRows);
  std::vector<float> row(features.dim);
  for (std::size_t i = 0; i < rows; ++i) {
    std::memcpy(row.data(), features.row(i * features.rows / rows), features.row_bytes());
    for (std::size_t c = 0; c < row.size(); ++c) {
      squares[c] += static_cast<double>(row[c]) * static_cast<double>(row[c]);
    }
  }
  const auto largest = std::max_element(squares.begin(), squares.end());
  return largest == squares.end() ? 0 : std::sqrt(*largest / static_cast<double>(rows));
}

/// Incomes in dollars drown all other features, and the first steps blow up the network.
void warn_of_scale(const StoredGraph& graph, const GnnOptions& network) {
  constexpr double kLarge = 100;
  if (!graph.features() || network.norm != NormKind::none) return;
  if (conv_kind(network.kind).reads_hops) return;  // it scales them itself
  const double scale = largest_scale(*graph.features());
  if (scale <= kLarge) return;
  log_warning(graph.path(), ": a feature has a root mean square of ", format_number(scale, 3),
              ", from which networks without a norm learn badly; import with "
              "--normalize-features standardize scales features");
}

}  // namespace

void check_input(const TrainOptions& options, int ranks) {
  if (options.input == "auto") return;
  const std::optional<InputParts> parts = InputParts::parse(options.input);
  if (!parts) {
    fail(ExitStatus::usage, "--input is '", printable(options.input),
         "', expected auto, or features, degree, projection and embedding, each at most once, "
         "separated by commas");
  }
  if (!parts->embedding) return;
  if (conv_kind(options.network.kind).reads_hops) {
    fail(ExitStatus::usage, "--input ", options.input, ": --architecture ", options.network.kind,
         " reads hops that are computed once, expected degree or projection in place of embedding");
  }
  const std::string other = ranks > 1                      ? "several ranks"
                            : options.accumulate > 1       ? "--accumulate"
                            : names_device(options.device) ? "--device " + options.device
                                                           : "";
  if (other.empty()) return;
  fail(ExitStatus::unavailable, "--input ", options.input,
       ": an embedding of nodes is trained by one process on the CPU, without --accumulate; "
       "expected --input projection or degree with ",
       other);
}

void check_packs(const TrainOptions& o, int ranks) {
  if (o.residence != Residence::packed) return;
  const bool samples =
      !o.open_settings && !conv_kind(o.network.kind).reads_hops && !conv_kind(o.network.kind).typed;
  const std::string other = !samples                 ? "an architecture that samples one type of "
                                                       "nodes, such as --architecture sage"
                            : ranks > 1              ? "one process"
                            : names_device(o.device) ? "--device cpu"
                            : !o.features.parts.empty()
                                ? "features in one part, not --feature-parts"
                            : o.sampling.method == "window" ? "another --method than window"
                            : o.input != "auto" && o.input != "features" ? "--input features"
                                                                         : "";
  if (!other.empty()) fail(ExitStatus::usage, "--residence packed goes with ", other);
}

void require_packable(const StoredGraph& graph) {
  const std::optional<FeatureView> features = graph.features();
  if (features && !features->sparse() && features->array == nullptr) return;
  fail(ExitStatus::usage, graph.path(), ": has ",
       !features            ? "no features"
       : features->sparse() ? "sparse features"
                            : "features in an array of robe-compress",
       ", --residence packed is for dense ones, whose rows have the same size");
}

InputParts input_parts(const TrainOptions& options, const StoredGraph& graph) {
  if (options.input != "auto") return *InputParts::parse(options.input);
  // Without features the best on most graphs: tests/bench/results/gnn-sample-featureless.md.
  if (!graph.features()) return {.projection = true};
  if (options.input_size != InputSettings{}.size) {
    fail(ExitStatus::usage, "--input-size ", options.input_size,
         " goes with an embedding or projection in --input; auto reads the features of ",
         graph.path());
  }
  return {.features = true};
}

void GraphInputs::make(StoredGraph& graph, TrainOptions& options, NodeInputs& inputs) {
  check_weights(graph, options);
  if (options.sampling.method == "weighted" && !conv_kind(options.network.kind).reads_hops) {
    options.network.weighted_fanouts = options.sampling.fanouts;
    options.network.weighted_repeats = options.sampling.replace;
  }
  if (wants_edge_features(options.network)) {
    graph.require_edge_features("--architecture " + options.network.kind);
    options.network.edge_dim = graph.edge_features().dim;
  }
  const double began = wall_seconds();
  inputs = NodeInputs(
      {.parts = input_parts(options, graph), .size = options.input_size, .seed = options.seed});
  if (input_parts(options, graph).features) warn_of_scale(graph, options.network);
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
