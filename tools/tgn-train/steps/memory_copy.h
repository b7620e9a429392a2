#pragma once
#include <memory>
#include <string>

#include "tools/tgn-train/steps/steps_ahead.h"

namespace frugal::tgn {

/// A memory of nodes that trains on the stream, with its position among the training events.
class MemoryCopy {
 public:
  /// The stream that all copies train on; must outlive them.
  struct Stream {
    const LinkData& data;
    const TrainingNegatives& negatives;
    std::uint64_t seed = 0;
    StepsAhead::Sizes sizes;
  };
  MemoryCopy(const Stream& stream, StreamSession& session) : stream_(stream), session_(session) {}

  StreamSession& session() { return session_; }
  /// Starts anew at that event: nodes have their earlier events, but a zero memory.
  void restart(EventId at);
  /// Starts an epoch, in which next() returns the steps up to event `end`.
  void begin_epoch(std::size_t epoch, EventId end);
  /// The next step, valid until the next call; null at the end of the epoch.
  const PlannedStep* next();
  /// Undoes what was planned ahead, so that the session is right after the last step. Returns the
  /// seconds spent waiting for plans.
  double end_epoch();

  const EpochPosition& at() const { return at_; }
  /// Saves the session's state (tensors are lent) and the position in a checkpoint, or loads them.
  /// Saving undoes what was planned ahead. Loading fails (bad_input) with `path`.
  void save(Document& state);
  void load(const Document& state, const std::string& path);

 private:
  const Stream& stream_;
  StreamSession& session_;
  EpochPosition at_;
  std::unique_ptr<StepsAhead> steps_;  ///< steps of the present epoch
};

}  // namespace frugal::tgn
