#pragma once
#include <memory>
#include <string>

#include "tools/tgn-train/steps/steps_ahead.h"

namespace frugal::tgn {

/// A memory of nodes on its way through the events that train, with its place among them.
class MemoryCopy {
 public:
  /// What all copies go through. Outlives them.
  struct Stream {
    const LinkData& data;
    const UniformNegative& negatives;
    std::uint64_t seed = 0;
    StepsAhead::Sizes sizes;
  };
  MemoryCopy(const Stream& stream, StreamSession& session) : stream_(stream), session_(session) {}

  StreamSession& session() { return session_; }
  /// Begins anew at that event: nodes have had the events before, but no memory of them.
  void restart(EventId at);
  /// From now on next() has the steps of an epoch, up to that event.
  void begin_epoch(std::size_t epoch, EventId end);
  /// The next step, which the caller has until the next call; null: there is none in this epoch.
  const PlannedStep* next();
  /// Takes back what was planned ahead, so that the session stands behind the last step. Returns
  /// the time for which steps were waited for.
  double end_epoch();

  const EpochPosition& at() const { return at_; }
  /// Of a checkpoint: what the session knows, which is lent, and the place; what was planned ahead
  /// is taken back. Loading fails (bad_input) with `path`.
  void save(Document& state);
  void load(const Document& state, const std::string& path);

 private:
  const Stream& stream_;
  StreamSession& session_;
  EpochPosition at_;
  std::unique_ptr<StepsAhead> steps_;  ///< of the epoch
};

}  // namespace frugal::tgn
