#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/history/pair_history.h"

namespace frugal::tgn {

/// The history of pairs as it follows a stream: what it says of an event's pairs is by the events
/// strictly before its time, however the stream is cut into batches.
class PairStream {
 public:
  /// Tensors that save() writes, but for pairs.now: each has that many bytes a node.
  static std::vector<std::pair<std::string, std::size_t>> bytes_per_node(
      const PairHistoryOptions& options);

  /// events: their nodes and times outlive this.
  PairStream(const PairHistoryOptions& options, const EventView& events);

  std::size_t dim() const { return history_.dim(); }
  /// Of a stream that goes on: see PairHistory.
  void use(const EventView& events);
  void mark_needed(std::vector<std::uint8_t>& keep);
  void renumber(std::span<const EventId> numbers);
  /// Forgets all events.
  void restart();
  /// Lets the history know an event, from the next time on. Events come in their order; one that
  /// was passed is not passed again.
  void pass(EventId event);
  /// Of the event's source with each candidate: [candidates, dim()], times kPairScale. The event
  /// lies behind all that were passed.
  void features(EventId event, std::span<const NodeId> candidates, float* out);

  /// What it knows of the past.
  struct Snapshot {
    std::vector<Array<std::byte>> pieces;
    std::vector<EventId> now;
    EventId passed = kNoEvent;
  };
  Snapshot snapshot();
  void restore(const Snapshot& snapshot);
  /// The same for a file, of the first nodes; what is saved is lent. end: behind what it knows.
  /// Loading, of all nodes, fails (bad_input) with `path`.
  void save(Document& document, std::size_t num_nodes);
  void load(const Document& document, const std::string& path, EventId end);

 private:
  void catch_up(EventId event);

  EventView events_;
  PairHistory history_;
  /// Events of one time that were passed and that the history does not know yet.
  std::vector<EventId> now_;
  EventId passed_ = kNoEvent;  ///< the last one
};

}  // namespace frugal::tgn
