#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/rng.h"
#include "libcore/graph/csr.h"
#include "tools/tgn-train/data/event_view.h"

namespace frugal::tgn {

/// The events of each source. Takes 4 bytes for each event and 8 for each node.
class SourceEvents {
 public:
  explicit SourceEvents(const EventView& events);

  /// The source's events, in order.
  std::span<const EventId> of(NodeId source) const {
    return {events_.data() + offsets_[source], offsets_[source + 1] - offsets_[source]};
  }
  /// Distinct destinations of the source's events at the time of `event`, ascending.
  void destinations_at_time_of(EventId event, std::vector<NodeId>& destinations) const;
  /// Distinct destinations of the source's events up to the time of `event`, ascending.
  void destinations_until(EventId event, std::vector<NodeId>& destinations) const;

  const EventView& view() const { return view_; }

 private:
  void destinations_from(EventId first, EventId event, std::vector<NodeId>& destinations) const;

  EventView view_;
  Array<EdgeId> offsets_;  ///< [nodes + 1]
  Array<EventId> events_;
};

/// Draws nodes uniformly from a set, except some.
class DistinctDraw {
 public:
  /// Draws from `pool` except the nodes in `without` and `nor`. All are ascending, without
  /// duplicates.
  DistinctDraw(std::span<const NodeId> pool, std::span<const NodeId> without,
               std::span<const NodeId> nor = {})
      : pool_(pool), without_{without, nor} {}

  /// Appends `count` distinct nodes to `nodes`, or all if there are fewer. Returns how many.
  std::size_t draw(std::size_t count, Rng& rng, std::vector<NodeId>& nodes) const;
  /// All nodes that can be drawn, ascending.
  std::vector<NodeId> all() const;

 private:
  bool excluded(NodeId node) const {
    return std::binary_search(without_[0].begin(), without_[0].end(), node) ||
           std::binary_search(without_[1].begin(), without_[1].end(), node);
  }
  /// True if at least half of all draws from the pool are valid, so that rejection is cheap.
  bool is_roomy(std::size_t count) const {
    return pool_.size() / 2 >= count + without_[0].size() + without_[1].size();
  }
  void draw_by_rejection(std::size_t count, Rng& rng, std::vector<NodeId>& nodes) const;

  std::span<const NodeId> pool_;
  std::array<std::span<const NodeId>, 2> without_;
};

/// Distinct destinations, ascending, of the events for which keep(event) is true; null: of all.
std::vector<NodeId> distinct_destinations(const EventView& events,
                                          const std::function<bool(EventId)>& keep = nullptr);

/// Negatives of an event: uniform among the destinations. They are a function of (seed, stream,
/// event). Each epoch and each part has its own stream.
class UniformNegative {
 public:
  /// destinations: at least one.
  UniformNegative(std::vector<NodeId> destinations, std::uint64_t seed)
      : destinations_(std::move(destinations)), seed_(seed) {}

  /// Draws again as long as the node is `destination`, if there are others.
  NodeId draw_other(EventId event, std::uint64_t stream, NodeId destination) const {
    Rng rng(seed_, hash_combine(stream, event));
    NodeId node = destination;
    do {
      node = destinations_[rng.below(destinations_.size())];
    } while (node == destination && destinations_.size() > 1);
    return node;
  }
  /// Appends `count` negatives to `negatives`; destinations that happened are among them, as in
  /// twitter-research/tgn.
  void draw(EventId event, std::uint64_t stream, std::size_t count,
            std::vector<NodeId>& negatives) const {
    Rng rng(seed_, hash_combine(stream, event));
    for (; count > 0; --count) negatives.push_back(destinations_[rng.below(destinations_.size())]);
  }
  std::span<const NodeId> destinations() const { return destinations_; }
  std::uint64_t seed() const { return seed_; }

 private:
  std::vector<NodeId> destinations_;
  std::uint64_t seed_;
};

/// Source of the negatives that an event's destination is ranked among.
class NegativeSampler {
 public:
  virtual ~NegativeSampler() = default;
  /// Sets `negatives` to those of the event: the same ones in every call. May be called by several
  /// threads.
  virtual void draw(EventId event, std::vector<NodeId>& negatives) const = 0;
};

enum class NegativeKind : std::uint8_t {
  uniform,     ///< some destinations
  historical,  ///< half of them, if possible, are destinations of the source in training
  all,         ///< all destinations
  unseen,      ///< all destinations that the source has had no earlier event with
};

struct NegativeOptions {
  NegativeKind kind = NegativeKind::uniform;
  std::size_t count = 100;  ///< for each event, or all if there are fewer; at least 1
  std::uint64_t seed = 2;
};

/// Negatives by the rules of the Temporal Graph Benchmark (Huang et al., NeurIPS 2023, section 4):
/// distinct, and never a destination of the source at the time of the event. Historical ones are
/// drawn from the source's destinations in training. They are at most half, unless there are no
/// others; the rest is drawn from the other destinations.
class DrawnNegatives : public NegativeSampler {
 public:
  /// destinations: candidates, ascending and distinct. train_end: events before it are of training.
  /// events: must outlive the object.
  DrawnNegatives(const SourceEvents& events, EventId train_end, std::vector<NodeId> destinations,
                 const NegativeOptions& options);

  void draw(EventId event, std::vector<NodeId>& negatives) const override;

 private:
  std::span<const NodeId> met_in_training(NodeId source) const {
    return std::span(met_).subspan(met_begin_[source], met_count_[source]);
  }

  const SourceEvents& events_;
  std::vector<NodeId> destinations_;
  NegativeOptions options_;
  std::vector<NodeId> met_;               ///< destinations of each source in training
  std::vector<EdgeId> met_begin_;         ///< [nodes]
  std::vector<std::uint32_t> met_count_;  ///< [nodes]
};

}  // namespace frugal::tgn
