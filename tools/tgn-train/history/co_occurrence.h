#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/csr.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::tgn {

/// How closely a candidate belongs to the last destinations of a source. The three scores reach
/// back over its last 2, 10 and 32 destinations.
struct CoOccurrenceScore {
  float next = 0, recent = 0, lasting = 0;
};

/// Counts which destinations occur near each other in the events of one source. After item-based
/// recommenders (Sarwar et al., "Item-based collaborative filtering recommendation algorithms",
/// WWW 2001), with a direction and a distance: an event adds 0.8^j from the source's destination j
/// events before to the new one, and half of it back, for j below 10. A score is the sum over the
/// source's destinations h of
///
///     0.8^j count(h, candidate) / sqrt((events of h + 1) (events of the candidate + 10))
///
/// with 0.97^j in CoOccurrenceScore::lasting. Takes at most 8 bytes for each of kMaxEntries
/// destinations near a destination, and 128 bytes for each source.
class CoOccurrence {
 public:
  /// Destinations remembered near one. When there are more, the half with lower counts is dropped.
  static constexpr std::size_t kMaxEntries = 1024;

  /// Bytes that a node takes at most that is the source of `sent` events and the destination of
  /// `received` ones.
  static std::uint64_t most_bytes(std::uint64_t sent, std::uint64_t received);

  explicit CoOccurrence(std::size_t num_nodes = 0) { grow(num_nodes); }
  /// Raises the number of nodes to `num_nodes`.
  void grow(std::size_t num_nodes);

  /// Adds an event. Events must come in order.
  void add(NodeId source, NodeId destination);
  /// Sets `scores` to those of the source with each candidate, by the events added so far.
  void score(NodeId source, std::span<const NodeId> candidates,
             std::vector<CoOccurrenceScore>& scores);
  /// Sets `nodes` to all candidates with a score above 0, in no order, and `scores` to theirs.
  void near(NodeId source, std::vector<NodeId>& nodes, std::vector<CoOccurrenceScore>& scores);
  /// Sets `nodes` to the candidates with the highest lasting scores, at most `count`, best first;
  /// of equal ones those with lower numbers. among: the only candidates, ascending; null: all.
  void best(NodeId source, std::size_t count, std::vector<NodeId>& nodes,
            const std::span<const NodeId>* among = nullptr);

  /// Number of the node's events as a destination.
  std::uint32_t count(NodeId node) const { return counts_[node]; }
  /// Destinations of the source's last events, at most 32, the last one at the end.
  std::span<const NodeId> partners(NodeId source) const { return partners_[source]; }

  /// Adds the state of the first `num_nodes` nodes to a document, as tensors with that prefix, or
  /// loads it for as many nodes. Loading fails (bad_input) with `path`.
  void save(Document& document, const std::string& prefix, std::size_t num_nodes) const;
  void load(const Document& document, const std::string& path, const std::string& prefix,
            std::size_t num_nodes);

 private:
  struct Entry {
    NodeId node = 0;
    float weight = 0;
  };
  void strengthen(NodeId node, NodeId other, float weight);
  static void drop_half(std::vector<Entry>& row);
  /// Visits the source's last destinations: visit(row, share of each score).
  template <class Visit>
  void for_each_partner(NodeId source, const Visit& visit) const;
  void scatter(NodeId source);
  void forget_sums();
  CoOccurrenceScore scaled(const CoOccurrenceScore& sum, NodeId candidate) const;

  std::vector<std::vector<Entry>> rows_;       ///< [nodes] ascending by node
  std::vector<std::vector<NodeId>> partners_;  ///< [nodes]
  std::vector<std::uint32_t> counts_;          ///< [nodes]
  std::optional<NodeId> summed_;               ///< source that sums_ belong to
  std::vector<CoOccurrenceScore> sums_;        ///< [nodes] 0 for all but touched_
  std::vector<NodeId> touched_;                ///< nodes with a sum
};

}  // namespace frugal::tgn
