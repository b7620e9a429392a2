#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/parallel/joint_gradient.h"
#include "libcore/train/checkpoint.h"
#include "libcore/train/trainee.h"
#include "tools/tgn-train/steps/memory_copy.h"
#include "tools/tgn-train/steps/time_ranges.h"

namespace frugal::tgn {

/// Memory parallelism (DistTGL, Zhou et al. 2023): as many copies of the memory as there are ranges
/// of time, each at its own place in the stream, train one network. A step has a batch of each and
/// is made by the mean of their gradients. Copies begin at their ranges without any memory; one
/// that comes to the first range begins anew. The ranks have neighbouring copies, equally many.
class MemoryCopies {
 public:
  /// All outlive the object. Fails (usage) where the ranks cannot have equally many.
  MemoryCopies(const MemoryCopy::Stream& stream, const TimeRanges& ranges, TgnModel& model,
               const SessionOptions& session, Communicator& ranks);

  void begin_epoch(const RunPosition& at);
  /// Sums of a step over the batches of all ranks.
  struct Figures {
    double loss_sum = 0;  ///< over the events
    std::uint64_t events = 0, batches = 0;
  };
  /// The gradients of the next step; no batches: the epoch is over.
  Figures backward(const RunPosition& at);
  /// Steps by their mean.
  void step(const Figures& figures, float rate);
  /// Returns the time for which steps were waited for.
  double end_epoch();
  /// Behind an epoch: the state of the copy that had the last range, brought behind all events that
  /// train by the present weights, `window` events at once. The first rank gets it.
  Document last_state(std::size_t epoch, std::size_t window);

  /// The first rank gets the states of all copies, which save() adds to its checkpoint: lent until
  /// the next call.
  void bring_together();
  void save(Document& state) const;
  void load(const Document& state, const std::string& path);
  /// Of the first copy here.
  const EpochPosition& at() const { return mine_.front().copy->at(); }
  std::size_t range(std::size_t epoch) const { return ranges_.of(first_, epoch); }

 private:
  struct Copy {
    std::unique_ptr<StreamSession> session;
    std::unique_ptr<MemoryCopy> copy;
  };
  int rank_of(std::size_t copy) const { return static_cast<int>(copy / mine_.size()); }
  MemoryCopy* find(std::size_t copy);

  const MemoryCopy::Stream& stream_;
  const TimeRanges& ranges_;
  TgnModel& model_;
  Communicator& ranks_;
  std::size_t first_ = 0;  ///< the number of the first copy here
  std::vector<Copy> mine_;
  JointGradient gradient_;
  std::vector<Document> saved_;  ///< by bring_together(), of the first rank
};

}  // namespace frugal::tgn
