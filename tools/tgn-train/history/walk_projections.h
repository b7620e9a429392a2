#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"
#include "libcore/kernels/log_polynomial.h"
#include "tools/tgn-train/data/event_times.h"
#include "tools/tgn-train/data/node_keys.h"

namespace frugal::tgn {

/// Fast ln(1 + x) for finite x >= 0, with an error below 1e-6 and four units in the last place.
inline float log_compressed(float x) {
  // 1 + x = 2^exponent (1 + f)
  const auto bits = std::bit_cast<std::uint32_t>(1 + x);
  const auto exponent = static_cast<float>(static_cast<int>(bits >> 23) - 127);
  const float f = std::bit_cast<float>((bits & 0x007fffffU) | 0x3f800000U) - 1;
  float rest = 0;
  for (const float coefficient : kLogPolynomial) rest = rest * f + coefficient;
  return exponent * kLog2 + f * rest;
}

struct WalkProjectionOptions {
  std::size_t hops = 2;  ///< length of the longest walk
  std::size_t dim = 64;  ///< size of projections; products have an error of about 1 / sqrt(dim)
  double half_life = 1;  ///< time after which a step of a walk has half its weight
  std::uint64_t seed = 1;

  std::size_t num_products() const { return (hops + 1) * (hops + 1) - 1; }
  /// Number of features of a pair: products and, for each end and hop, a norm.
  std::size_t num_features() const { return num_products() + 2 * hops; }
};

/// Random projections of temporal walk matrices (TPNet: Lu et al., "Improving temporal link
/// prediction via temporal walk matrix projection", NeurIPS 2024, section 4). A^k[u, w] is the sum
/// over walks of k events from u to w, each event earlier than the one before. The weight of a walk
/// is the product of the weights of its steps, 2^(-age / half_life). H^k[u] = A^k[u, :] P for a
/// random P with independent columns keeps inner products: H^i[u] . H^j[v] is about the number of
/// ways to walk i steps from u and j from v to the same node. An event adds H^(k-1) of each end to
/// H^k of the other.
///
/// P has entries of +-1 / sqrt(dim) that are computed, not stored. The state is hops * dim floats
/// for each node.
class WalkProjections {
 public:
  static constexpr std::size_t kMaxDim = 512;

  /// keys: seeds of the nodes' random vectors.
  WalkProjections(const WalkProjectionOptions& options, const EventTimes& times,
                  std::size_t num_nodes, const NodeKeys& keys = {});
  /// Replaces the times and raises the number of nodes after the stream has grown.
  void use(const EventTimes& times, std::size_t num_nodes, const NodeKeys& keys);
  /// Visits the last event of each node; visit() may renumber it.
  template <class Visit>
  void for_each_event(const Visit& visit) {
    for (EventId& event : updated_) {
      if (event != kNoEvent) visit(event);
    }
  }

  /// Adds an event. Events must come in order.
  void add(NodeId source, NodeId destination, EventId event);
  void reset();

  const WalkProjectionOptions& options() const { return options_; }
  /// H^0 to H^hops of a node at the time of an event, [hops + 1, dim].
  std::vector<float> at(NodeId node, EventId event) const;
  void at(NodeId node, EventId event, float* rows) const;
  /// The source's rows and norms, for all its candidates.
  struct Source {
    std::vector<float> rows, norms;
  };
  Source source(NodeId node, EventId event) const;

  /// Number of features of a pair; see features().
  std::size_t num_features() const { return options_.num_features(); }
  /// Names of the features, in order.
  std::vector<std::string> names() const;
  /// Writes ln(1 + max(0, x)) for these x: H^i[source] . H^j[candidate] for i, j in [0, hops]
  /// except 0, 0, with i running faster; then H^i[source]^2, then H^i[candidate]^2 for i in [1,
  /// hops]. source: from source().
  void features(const Source& source, NodeId candidate, EventId event, float* out) const;
  void prefetch(NodeId node) const;

  /// The whole state, to be copied and restored.
  std::array<std::span<std::byte>, 2> pieces() {
    return {std::as_writable_bytes(std::span(rows_.data(), rows_.size())),
            std::as_writable_bytes(std::span(updated_))};
  }
  /// True if all events are below `num_events` and all projections are finite.
  bool is_within(EventId num_events) const {
    return std::all_of(updated_.begin(), updated_.end(),
                       [&](EventId event) { return event < num_events || event == kNoEvent; }) &&
           std::all_of(rows_.begin(), rows_.end(), [](float x) { return std::isfinite(x); });
  }

 private:
  float* row(NodeId node, std::size_t hop) {
    return rows_.data() + (node * options_.hops + hop - 1) * options_.dim;
  }
  const float* row(NodeId node, std::size_t hop) const {
    return rows_.data() + (node * options_.hops + hop - 1) * options_.dim;
  }
  /// The node's row of P.
  void fill_base(NodeId node, float* out) const;
  /// Factor by which the node's rows have decayed since its last update.
  float decay(NodeId node, EventId event) const;
  void bring_up_to(NodeId node, EventId event);

  WalkProjectionOptions options_;
  EventTimes times_;
  NodeKeys keys_;
  Array<float> rows_;             ///< [nodes, hops, dim], as of the node's last update
  std::vector<EventId> updated_;  ///< [nodes]
};

}  // namespace frugal::tgn
