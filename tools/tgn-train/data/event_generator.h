#pragma once
#include <cstdint>
#include <span>

#include "libcore/base/array.h"
#include "libcore/graph/id_permutation.h"
#include "tools/tgn-train/data/event_file.h"

namespace frugal::tgn {

struct GeneratorOptions {
  std::uint64_t nodes = 0, sources = 0;  ///< sources: 0 for nodes of one kind
  std::uint64_t events = 0;
  std::uint64_t distinct_times = 0;  ///< 0: as drawn, at most one for each event
  std::uint64_t duration = 1;        ///< times are in [0, duration)
  double exponent = 2;               ///< exponent of the power law of degrees, above 1
  double recurrence = 0;  ///< share of events with one of their source's last four partners
  std::uint64_t features = 0;
  std::uint64_t types = 0;  ///< edge types: each ranks destinations in its own way; 0: none
  std::uint64_t seed = 0;
};

/// Generates the events of a stream piece by piece. The degrees of nodes follow a power law, with a
/// separate ranking for each role. Times, sources and non-recurrent partners are functions of
/// (seed, event).
class EventGenerator {
 public:
  explicit EventGenerator(const GeneratorOptions& options);

  /// Times or sources of events [begin, begin + to.size()); the same in any order of calls.
  void times(std::uint64_t begin, std::span<std::int64_t> to) const;
  void sources(std::uint64_t begin, std::span<NodeId> to) const;
  /// Edge types of the events, drawn uniformly; in any order of calls.
  void types(std::uint64_t begin, std::span<std::uint16_t> to) const;
  /// Destinations of the events. Must be called in the order of the events, once for each, because
  /// recurrence depends on earlier partners.
  void destinations(std::uint64_t begin, std::span<NodeId> to);
  /// Features, [events, features]: noise around the source's centre, one of 64.
  void features(std::uint64_t begin, std::span<float> to) const;

  /// Number of events so far whose destination is one of the source's last partners.
  std::uint64_t recurring() const { return recurring_; }

 private:
  static constexpr std::size_t kPartners = 4, kCenters = 64;

  /// The last partners of a source; the next one replaces the oldest.
  struct Partners {
    NodeId nodes[kPartners];
    std::uint32_t count;
  };

  std::uint16_t type_of(std::uint64_t event) const;
  NodeId fresh_partner(std::uint64_t event, NodeId source) const;

  GeneratorOptions options_;
  std::uint64_t num_sources_, num_destinations_, first_destination_;
  IdPermutation source_ids_, destination_ids_;
  Array<Partners> partners_;  ///< of each source, for each type
  Array<float> centers_;
  std::uint64_t recurring_ = 0;
};

}  // namespace frugal::tgn
