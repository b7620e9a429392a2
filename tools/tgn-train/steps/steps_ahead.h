#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/data/event_times.h"
#include "tools/tgn-train/evaluation/evaluation_parts.h"
#include "tools/tgn-train/links/link_data.h"
#include "tools/tgn-train/memory/stream_session.h"
#include "tools/tgn-train/memory/waiting_events.h"

namespace frugal::tgn {

/// Where training stands in an epoch.
struct EpochPosition {
  EventId next = 0;           ///< the first event that was not in a step
  EventId window = 0;         ///< the first that memory does not know
  std::size_t in_window = 0;  ///< events between them that train

  /// Adds it to the metadata of a checkpoint.
  void save(Document& state) const;
  /// Fails (bad_input) with `path` where something is missing or no number.
  static EpochPosition load(const Document& state, const std::string& path);
};

/// A step of training, and where training stands behind it. Without events it trains nothing.
struct PlannedStep {
  std::vector<EventId> events, updates;
  std::vector<NodeId> others;  ///< an event's destination that it did not have
  StepPlan plan;
  EpochPosition behind;
};

/// The steps of an epoch, each planned, and its memory called for, while the one before is computed
/// where there is a second thread: plans depend on events alone.
class StepsAhead {
 public:
  struct Sizes {
    std::size_t batch = 200;   ///< events a step
    std::size_t window = 200;  ///< events after which they become known; a multiple of batch
    Ties ties = Ties::strict;  ///< of a memory of events in turn, which has no windows
    EventId end = kNoEvent;    ///< no step begins there or behind
  };
  /// All outlive the object; the session stands at `at`. stream: of random numbers, for negatives.
  StepsAhead(const LinkData& data, StreamSession& session, const UniformNegative& negatives,
             std::uint64_t stream, const Sizes& sizes, const EpochPosition& at);
  StepsAhead(const StepsAhead&) = delete;
  StepsAhead& operator=(const StepsAhead&) = delete;
  ~StepsAhead();

  /// The next step, the caller's until the next call; null at the end of the epoch.
  const PlannedStep* next();
  /// Takes back what was planned ahead, so that the session stands behind the caller's step.
  /// Rethrows what planning threw: a plan that is half made cannot be taken back.
  void rewind();
  /// Time in which the caller waited for plans; what it planned itself counts.
  double waiting_seconds() const { return waiting_; }

 private:
  void start();
  void wait();
  void make(PlannedStep& step) const;
  void choose_in_turn(PlannedStep& step) const;
  void choose_of_batches(PlannedStep& step) const;
  void take_batch(PlannedStep& step) const;
  std::vector<EventId> window_events(const EpochPosition& at) const;
  EventId first_from(EventId next) const;

  const LinkData& data_;
  StreamSession& session_;
  const UniformNegative& negatives_;
  std::uint64_t stream_;
  Sizes sizes_;
  EventTimes times_;
  PlannedStep steps_[2];
  int caller_ = 0;        ///< which step is the caller's
  bool started_ = false;  ///< the other one was begun
  double waiting_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false;  ///< the other one
  std::exception_ptr error_;
};

}  // namespace frugal::tgn
