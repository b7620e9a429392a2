#include "tools/tgn-train/links/scaled_features.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/log.h"
#include "libcore/base/text.h"

namespace frugal::tgn {
namespace {

/// told: begin, middle and end of the line of the log.
FeatureScaling measure(std::span<const std::uint32_t> rows, const FeatureRows& read,
                       const std::array<std::string, 3>& told) {
  const FeatureRows features = read.without_types();
  if (features.empty()) return {};
  FeatureScaling scaling = measure_scaling(
      rows, features.dim, [&](std::uint32_t row, float* out) { features.read(row, out); });
  if (scaling.empty()) return scaling;
  log_info(told[0], ": ", scaling.count(), " of ", format_count(features.dim, "feature"), told[1],
           " are large or tiny: scaled by their median and quartiles", told[2]);
  return scaling;
}

}  // namespace

void scale_features(const LinkData& data, const std::string& hint, SessionOptions& session) {
  std::vector<std::uint32_t> events, nodes;
  std::vector<bool> seen(data.stream().num_nodes());
  for (EventId event = 0; event < data.split().end(EventPart::train); ++event) {
    if (!data.trains(event)) continue;
    events.push_back(event);
    for (const NodeId node :
         {data.stream().sources()[event], data.stream().destinations()[event]}) {
      if (seen[node]) continue;
      seen[node] = true;
      nodes.push_back(node);
    }
  }
  const std::string& path = data.stream().path();
  session.edge_scaling = measure(events, data.stream().edge_features(), {path, " of events", hint});
  session.node_scaling = measure(nodes, data.stream().node_features(), {path, " of nodes", hint});
}

}  // namespace frugal::tgn
