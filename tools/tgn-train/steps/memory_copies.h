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

/// Memory parallelism (DistTGL, Zhou et al. 2023). There are as many copies of the memory as ranges
/// of time, each at its own place in the stream, and all train one network. A step takes a batch
/// from each copy and uses the mean of their gradients. At its first range, a copy starts with an
/// empty memory; it starts anew whenever it comes to the first range of the stream. Every rank has
/// equally many consecutive copies.
class MemoryCopies {
 public:
  /// All must outlive the object. Fails (usage) if the number of ranges is not a multiple of the
  /// number of ranks.
  MemoryCopies(const MemoryCopy::Stream& stream, const TimeRanges& ranges, TgnModel& model,
               const SessionOptions& session, Communicator& ranks);

  void begin_epoch(const RunPosition& at);
  /// Sums over the batches of a step, of all ranks.
  struct Figures {
    double loss_sum = 0;  ///< sum over the events
    std::uint64_t events = 0, batches = 0;
  };
  /// Computes the gradients of the next step. If there are no batches, the epoch is over.
  Figures backward(const RunPosition& at);
  /// Makes an optimiser step with the mean of the gradients.
  void step(const Figures& figures, float rate);
  /// Returns the seconds spent waiting for planned steps.
  double end_epoch();
  /// After an epoch: brings the copy that had the last range behind all training events, `window`
  /// events at once, with the present weights. Returns its state on the first rank.
  Document last_state(std::size_t epoch, std::size_t window);

  /// Collective: sends the states of all copies to the first rank. save() adds them to its
  /// checkpoint, lent until the next call.
  void bring_together();
  void save(Document& state) const;
  void load(const Document& state, const std::string& path);
  /// Position of this rank's first copy.
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
  std::size_t first_ = 0;  ///< number of this rank's first copy
  std::vector<Copy> mine_;
  JointGradient gradient_;
  std::vector<Document> saved_;  ///< set by bring_together() on the first rank
};

}  // namespace frugal::tgn
