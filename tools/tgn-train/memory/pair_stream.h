#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/history/pair_history.h"

namespace frugal::tgn {

/// A PairHistory that follows a stream. The features of an event's pairs depend on the events
/// strictly before its time, however the stream is cut into batches.
class PairStream {
 public:
  /// Names of the tensors that save() writes, except pairs.now, and their bytes for each node.
  static std::vector<std::pair<std::string, std::size_t>> bytes_per_node(
      const PairHistoryOptions& options);

  /// events: their nodes and times must outlive the object.
  PairStream(const PairHistoryOptions& options, const EventView& events);

  std::size_t dim() const { return history_.dim(); }
  /// For a growing stream: as the functions of the same names in PairHistory.
  void use(const EventView& events);
  void mark_needed(std::vector<std::uint8_t>& keep);
  void renumber(std::span<const EventId> numbers);
  /// Removes all events from the history.
  void restart();
  /// Adds an event, which affects features from the next later time on. Events come in stream
  /// order; one that was added already is ignored.
  void pass(EventId event);
  /// Writes the features of the event's source with each candidate to out, [candidates, dim()],
  /// multiplied by kPairScale. The event must come after all those added.
  void features(EventId event, std::span<const NodeId> candidates, float* out);

  /// The walks as of the event, which must come after all those added. Valid until the next call.
  const WalkProjections& walks_before(EventId event);

  /// Copy of the history's state, for restore().
  struct Snapshot {
    std::vector<Array<std::byte>> pieces;
    std::vector<EventId> now;
    EventId passed = kNoEvent;
  };
  Snapshot snapshot();
  void restore(const Snapshot& snapshot);
  /// Adds the state of the first `num_nodes` nodes to a file's document (tensors are lent), or
  /// loads the state of all nodes. end: all waiting events must be before it. Loading fails
  /// (bad_input) with `path`.
  void save(Document& document, std::size_t num_nodes);
  void load(const Document& document, const std::string& path, EventId end);

 private:
  void catch_up(EventId event);

  EventView events_;
  PairHistory history_;
  /// Events at the last time that were passed but are not in history_ yet.
  std::vector<EventId> now_;
  EventId passed_ = kNoEvent;  ///< the last event that was passed
};

}  // namespace frugal::tgn
