#pragma once
#include <functional>
#include <span>
#include <vector>

#include "libcore/base/rng.h"
#include "tools/tgn-train/evaluation/source_events.h"

namespace frugal::tgn {

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
  std::size_t count = 100;  ///< for each event; more than nothing
  std::uint64_t seed = 2;
};

/// Negatives by the rules of the Temporal Graph Benchmark (Huang et al., NeurIPS 2023, section 4):
/// never what the source meets at the very time of the event, no two the same while there are
/// others. Historical ones are drawn from the destinations that the source met in training, at most
/// half of them, the others from those that it did not.
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
