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
#include "tools/tgn-train/evaluation/training_negatives.h"
#include "tools/tgn-train/links/link_data.h"
#include "tools/tgn-train/memory/stream_session.h"
#include "tools/tgn-train/memory/waiting_events.h"

namespace frugal::tgn {

/// Position of training in an epoch.
struct EpochPosition {
  EventId next = 0;           ///< first event that was in no step yet
  EventId window = 0;         ///< first event that the memory has not applied
  std::size_t in_window = 0;  ///< training events between `window` and `next`

  /// Adds the position to a checkpoint's metadata.
  void save(Document& state) const;
  /// Fails (bad_input) with `path` if a number is missing or malformed.
  static EpochPosition load(const Document& state, const std::string& path);
};

/// A step of training, and the position after it. A step without events only updates the memory.
struct PlannedStep {
  std::vector<EventId> events, updates;
  std::vector<NodeId> others;  ///< negative destinations, as many for each event
  StepPlan plan;
  EpochPosition behind;
};

/// Plans the steps of an epoch. While a step is computed, another thread, if there is one, plans
/// the next one and prefetches its memory. That is possible because plans depend on events only.
class StepsAhead {
 public:
  struct Sizes {
    std::size_t batch = 200;  ///< events in a step
    /// batch modes: events that the memory applies together; a multiple of batch
    std::size_t window = 200;
    Ties ties = Ties::strict;   ///< window mode
    std::size_t negatives = 1;  ///< for each event
    EventId end = kNoEvent;     ///< no step begins at this event or after it
  };
  /// All must outlive the object. at: the session's present position. stream: stream of random
  /// numbers for negatives.
  StepsAhead(const LinkData& data, StreamSession& session, const TrainingNegatives& negatives,
             std::uint64_t stream, const Sizes& sizes, const EpochPosition& at);
  StepsAhead(const StepsAhead&) = delete;
  StepsAhead& operator=(const StepsAhead&) = delete;
  ~StepsAhead();

  /// The next step, valid until the next call; null at the end of the epoch.
  const PlannedStep* next();
  /// Undoes what was planned ahead, so that the session is right after the caller's step. Rethrows
  /// an error of planning: a plan that is half made cannot be undone.
  void rewind();
  /// Seconds in which the caller waited for plans or planned itself.
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
  const TrainingNegatives& negatives_;
  std::uint64_t stream_;
  Sizes sizes_;
  EventTimes times_;
  PlannedStep steps_[2];
  int caller_ = 0;        ///< index in steps_ of the caller's step
  bool started_ = false;  ///< the other step is planned
  double waiting_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false;  ///< the other one
  std::exception_ptr error_;
};

}  // namespace frugal::tgn
