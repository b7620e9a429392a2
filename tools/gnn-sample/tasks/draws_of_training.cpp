#include "tools/gnn-sample/tasks/draws_of_training.h"

#include "libcore/base/log.h"
#include "tools/gnn-sample/network/conv_kinds.h"
#include "tools/gnn-sample/sampler/draw_shares.h"

namespace frugal::gnn {

SamplingOptions drawn_as_trained(const GnnOptions& network, const std::string& fanouts) {
  SamplingOptions sampling;
  sampling.fanouts = fanouts;
  if (!network.weighted_fanouts.empty()) {
    sampling.method = "weighted";
    sampling.replace = network.weighted_repeats;
  }
  return sampling;
}

void warn_of_equal_neighbors(const GnnOptions& network, const std::string& fanouts,
                             const std::string& option, const std::string& path) {
  const bool draws = !network.weighted_fanouts.empty();
  if (!draws || can_weigh_draws(network) || !fanouts.empty()) return;
  log_warning(path, ": training draws neighbours by the weights of edges, but exact outputs of ",
              network.kind, network.aggregate == SageAggregate::max ? " --aggregate max" : "",
              " count all neighbours alike, also those of weight 0; ", option, " draws by weight");
}

std::span<const float> DrawWeights::of(const GnnOptions& network, const EdgeSet& edges,
                                       std::size_t relation, std::size_t layer) {
  const Fanouts fanouts = parse_fanouts_of_relations(network.weighted_fanouts)->at(relation);
  const std::uint32_t fanout = fanouts[network.num_layers - 1 - layer];
  std::vector<float>& weights = weights_[{relation, fanout}];
  if (weights.empty()) {
    weights = draw_shares(edges.csr, edges.weights,
                          {fanout, network.weighted_repeats, conv_kind(network.kind).reads_degrees,
                           conv_kind(network.kind).sums});
  }
  return weights;
}

}  // namespace frugal::gnn
