#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/gnn-sample/data/graph_content.h"
#include "tools/gnn-sample/layers/gnn_options.h"
#include "tools/gnn-sample/settings/sampling_settings.h"

namespace frugal::gnn {

/// Sampling of neighbourhoods by the method that the network was trained with.
SamplingOptions drawn_as_trained(const GnnOptions& network, const std::string& fanouts);

/// Warns if exact inference of the network counts neighbours alike although training drew them by
/// weight, because its layers cannot weigh them. Does nothing if inference samples with `fanouts`.
/// option: sets these; path: of the graph.
void warn_of_equal_neighbors(const GnnOptions& network, const std::string& fanouts,
                             const std::string& option, const std::string& path);

/// Weights of edges in exact inference after training on neighbours drawn by weight; kept once
/// computed.
class DrawWeights {
 public:
  /// draw_shares() of a layer's fanout for the edges of a relation. The last layer reads the
  /// neighbours of the first fanout.
  std::span<const float> of(const GnnOptions& network, const EdgeSet& edges, std::size_t relation,
                            std::size_t layer);

 private:
  std::map<std::pair<std::size_t, std::uint32_t>, std::vector<float>> weights_;
};

}  // namespace frugal::gnn
