#pragma once
#include <cstdint>
#include <span>

#include "libcore/base/array.h"
#include "libcore/graph/id_permutation.h"
#include "tools/tgn-train/data/event_file.h"

namespace frugal::tgn {

struct GeneratorOptions {
  std::uint64_t nodes = 0, sources = 0;  ///< sources: 0 where nodes are of one kind
  std::uint64_t events = 0;
  std::uint64_t distinct_times = 0;  ///< 0: any, up to one for each event
  std::uint64_t duration = 1;        ///< times are below
  double exponent = 2;               ///< of the power law of degrees, above 1
  double recurrence = 0;  ///< share of events with one of their source's last four partners
  std::uint64_t features = 0;
  std::uint64_t seed = 0;
};

/// Makes the events of a stream piece by piece. Nodes take part as often as a power law says, in
/// either role by a rank of its own. Times and sources, and partners but for recurrence, are a
/// function of (seed, event).
class EventGenerator {
 public:
  explicit EventGenerator(const GeneratorOptions& options);

  /// The same for events [begin, begin + to.size()).
  void times(std::uint64_t begin, std::span<std::int64_t> to) const;
  void sources(std::uint64_t begin, std::span<NodeId> to) const;
  /// In the order of the events, each once: who met whom is remembered.
  void destinations(std::uint64_t begin, std::span<NodeId> to);
  /// Rows of noise around a centre of the source's, one of 64: to[events, features].
  void features(std::uint64_t begin, std::span<float> to) const;

  /// Events so far that have one of their source's last partners again.
  std::uint64_t recurring() const { return recurring_; }

 private:
  static constexpr std::size_t kPartners = 4, kCenters = 64;

  /// Of a source the last partners, the oldest is the next to go.
  struct Partners {
    NodeId nodes[kPartners];
    std::uint32_t count;
  };

  NodeId fresh_partner(std::uint64_t event, NodeId source) const;

  GeneratorOptions options_;
  std::uint64_t num_sources_, num_destinations_, first_destination_;
  IdPermutation source_ids_, destination_ids_;
  Array<Partners> partners_;
  Array<float> centers_;
  std::uint64_t recurring_ = 0;
};

}  // namespace frugal::tgn
