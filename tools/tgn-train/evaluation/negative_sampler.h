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

/// The events of each source: 4 bytes an event, 8 a node.
class SourceEvents {
 public:
  explicit SourceEvents(const EventView& events);

  /// In their order.
  std::span<const EventId> of(NodeId source) const {
    return {events_.data() + offsets_[source], offsets_[source + 1] - offsets_[source]};
  }
  /// The destinations that the source of `event` meets at its time, ascending, each once.
  void destinations_at_time_of(EventId event, std::vector<NodeId>& destinations) const;

  const EventView& view() const { return view_; }

 private:
  EventView view_;
  Array<EdgeId> offsets_;  ///< [nodes + 1]
  Array<EventId> events_;
};

/// Draws nodes uniformly from a set, without some of them.
class DistinctDraw {
 public:
  /// The nodes of `pool` that are in neither of two sets; all ascending, each node once.
  DistinctDraw(std::span<const NodeId> pool, std::span<const NodeId> without,
               std::span<const NodeId> nor = {})
      : pool_(pool), without_{without, nor} {}

  /// Appends `count` nodes to `nodes`, or as many as there are, no two the same. Returns how many.
  std::size_t draw(std::size_t count, Rng& rng, std::vector<NodeId>& nodes) const;
  /// All of them, ascending.
  std::vector<NodeId> all() const;

 private:
  bool excluded(NodeId node) const {
    return std::binary_search(without_[0].begin(), without_[0].end(), node) ||
           std::binary_search(without_[1].begin(), without_[1].end(), node);
  }
  /// Whether most of what is drawn from the pool will do, so that nothing need be listed.
  bool is_roomy(std::size_t count) const {
    return pool_.size() / 2 >= count + without_[0].size() + without_[1].size();
  }
  void draw_by_rejection(std::size_t count, Rng& rng, std::vector<NodeId>& nodes) const;

  std::span<const NodeId> pool_;
  std::array<std::span<const NodeId>, 2> without_;
};

/// The destinations of the events that `keep` says, ascending, each once; null: of all.
std::vector<NodeId> distinct_destinations(const EventView& events,
                                          const std::function<bool(EventId)>& keep = nullptr);

/// One negative for each event: uniform among destinations, true ones included, as
/// twitter-research/tgn draws them. A function of (seed, stream, event) alone. Streams tell apart
/// epochs and parts.
class UniformNegative {
 public:
  /// destinations: at least one.
  UniformNegative(std::vector<NodeId> destinations, std::uint64_t seed)
      : destinations_(std::move(destinations)), seed_(seed) {}

  NodeId draw(EventId event, std::uint64_t stream) const {
    return destinations_[Rng(seed_, hash_combine(stream, event)).below(destinations_.size())];
  }
  std::span<const NodeId> destinations() const { return destinations_; }

 private:
  std::vector<NodeId> destinations_;
  std::uint64_t seed_;
};

/// What the destination of an event is ranked among.
class NegativeSampler {
 public:
  virtual ~NegativeSampler() = default;
  /// Replaces what is in `negatives`. The same for an event whenever it is asked, by any thread.
  virtual void draw(EventId event, std::vector<NodeId>& negatives) const = 0;
};

enum class NegativeKind : std::uint8_t {
  uniform,     ///< some destinations
  historical,  ///< half of them are, if possible, such as the source met in training
  all,         ///< all destinations
};

struct NegativeOptions {
  NegativeKind kind = NegativeKind::uniform;
  std::size_t count = 100;  ///< for each event, or as many as there are; more than nothing
  std::uint64_t seed = 2;
};

/// Negatives by the rules of the Temporal Graph Benchmark (Huang et al., NeurIPS 2023, section 4):
/// never what the source meets at the very time of the event, no two the same. Historical ones are
/// drawn from the destinations that the source met in training, at most half of them unless there
/// are no others, the others from those that it did not.
class DrawnNegatives : public NegativeSampler {
 public:
  /// destinations: the candidates, ascending, each once. train_end: the events before it are those
  /// of training. events: outlives this.
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
  std::vector<NodeId> met_;               ///< of each source its destinations in training
  std::vector<EdgeId> met_begin_;         ///< [nodes]
  std::vector<std::uint32_t> met_count_;  ///< [nodes]
};

}  // namespace frugal::tgn
