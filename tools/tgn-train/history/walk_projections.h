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
#include "tools/tgn-train/data/event_times.h"
#include "tools/tgn-train/data/node_keys.h"

namespace frugal::tgn {

/// ln(1 + x) of finite x >= 0, off by less than 1e-6 and four units in the last place, for features
/// of which there are many.
inline float log_compressed(float x) {
  // 1 + x = 2^exponent (1 + f). The polynomial is that of ln(1 + f) / f with the least error of
  // those that are right at 0 and 1, so that the result rises with x from one power of two to the
  // next.
  const auto bits = std::bit_cast<std::uint32_t>(1 + x);
  const auto exponent = static_cast<float>(static_cast<int>(bits >> 23) - 127);
  const float f = std::bit_cast<float>((bits & 0x007fffffU) | 0x3f800000U) - 1;
  const float rest =
      (((((0.011883456F * f - 0.059304261F) * f + 0.140769598F) * f - 0.230346594F) * f +
        0.329915576F) *
           f -
       0.499770594F) *
          f +
      1;
  return exponent * 0.693147181F + f * rest;
}

struct WalkProjectionOptions {
  std::size_t hops = 2;  ///< length of the longest walk
  std::size_t dim = 64;  ///< of the projections; products are off by about 1 / sqrt(dim)
  double half_life = 1;  ///< time after which a step of a walk counts half
  std::uint64_t seed = 1;

  std::size_t num_products() const { return (hops + 1) * (hops + 1) - 1; }
  /// Of a pair: products and, for each end and hop, a norm.
  std::size_t num_features() const { return num_products() + 2 * hops; }
};

/// Random projections of temporal walk matrices (TPNet: Lu et al., "Improving temporal link
/// prediction via temporal walk matrix projection", NeurIPS 2024, section 4). A^k[u, w] is the sum
/// over walks of k events, each earlier than the one before, from u to w; a walk counts the product
/// of what its steps count, 2^(-age / half_life). H^k[u] = A^k[u, :] P for a random P with
/// independent columns keeps inner products: H^i[u] . H^j[v] is about the number of ways to walk i
/// steps from u and j from v to one node. An event adds H^(k-1) of each end to H^k of the other.
///
/// P has entries of +-1 / sqrt(dim) that are computed, not stored: hops * dim floats a node.
class WalkProjections {
 public:
  static constexpr std::size_t kMaxDim = 512;

  /// keys: what random vectors of nodes are made of.
  WalkProjections(const WalkProjectionOptions& options, const EventTimes& times,
                  std::size_t num_nodes, const NodeKeys& keys = {});
  /// From now on these are the times of the stream, which has grown, and there are so many nodes,
  /// not fewer than before.
  void use(const EventTimes& times, std::size_t num_nodes, const NodeKeys& keys);
  /// Visits the last events of nodes; they may be given other numbers.
  template <class Visit>
  void for_each_event(const Visit& visit) {
    for (EventId& event : updated_) {
      if (event != kNoEvent) visit(event);
    }
  }

  /// Events come in their order.
  void add(NodeId source, NodeId destination, EventId event);
  void reset();

  /// H^0 to H^hops of a node at the time of an event, [hops + 1, dim].
  std::vector<float> at(NodeId node, EventId event) const;
  /// What all candidates of a source share.
  struct Source {
    std::vector<float> rows, norms;
  };
  Source source(NodeId node, EventId event) const;

  /// Features of a pair, see features().
  std::size_t num_features() const { return options_.num_features(); }
  /// What they are, in their order.
  std::vector<std::string> names() const;
  /// ln(1 + max(0, x)) of each x of: H^i[source] . H^j[candidate] for j, i in [0, hops] but 0, 0, i
  /// running faster; H^i[source]^2, then H^i[candidate]^2 for i in [1, hops]. source: what at()
  /// gave.
  void features(const Source& source, NodeId candidate, EventId event, float* out) const;
  void prefetch(NodeId node) const;

  /// All of it, to be copied and put back.
  std::array<std::span<std::byte>, 2> pieces() {
    return {std::as_writable_bytes(std::span(rows_.data(), rows_.size())),
            std::as_writable_bytes(std::span(updated_))};
  }
  /// Whether all events are below that number, and all projections finite.
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
  /// What a step that was counted at the node's last update counts now.
  float decay(NodeId node, EventId event) const;
  void bring_up_to(NodeId node, EventId event);

  WalkProjectionOptions options_;
  EventTimes times_;
  NodeKeys keys_;
  Array<float> rows_;             ///< [nodes, hops, dim], as of the node's last update
  std::vector<EventId> updated_;  ///< [nodes]
};

}  // namespace frugal::tgn
