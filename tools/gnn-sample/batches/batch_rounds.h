#pragma once
#include <cstdint>
#include <deque>
#include <functional>

#include "libcore/parallel/communicator.h"
#include "libcore/threading/prepared_queue.h"
#include "tools/gnn-sample/batches/train_batch.h"
#include "tools/gnn-sample/parts/kept_rows.h"

namespace frugal::gnn {

/// The mini-batches of a run in rounds: in each round every rank has one, or none. They are
/// prepared ahead by other threads. If ranks keep parts of the features, missing rows are requested
/// kRoundsAhead rounds ahead, while the caller computes. All ranks must go through all rounds.
class BatchRounds {
 public:
  static constexpr std::uint64_t kRoundsAhead = 2;

  struct Source {
    /// starts this rank's next mini-batch; false: there is none
    std::function<bool(TrainBatch&)> produce;
    std::function<void(TrainBatch&)> prepare;      ///< completes it, on any thread
    std::function<bool(std::uint64_t round)> has;  ///< true if this rank has one in that round
    std::uint64_t first = 0, end = 0;              ///< rounds [first, end)
  };
  /// kept: feature rows of this rank that mini-batches are gathered from; null: batches have all
  /// their features.
  BatchRounds(Source source, Communicator& ranks, const KeptRows* kept);

  /// This rank's mini-batch of the next round, valid until the next call. Null: none in this round,
  /// or all rounds are over.
  const TrainBatch* next();

  const RowCounts& row_counts() const { return counts_; }
  double waiting_seconds() const { return queue_.waiting_seconds(); }

 private:
  struct Round {
    TrainBatch* batch = nullptr;
    RowCounts counts;
    Communicator::Pending rows;
  };
  void begin_round();

  Source source_;
  Communicator& ranks_;
  const KeptRows* kept_;
  PreparedQueue<TrainBatch> queue_;
  std::uint64_t begun_;       ///< number of the round to begin next
  std::deque<Round> rounds_;  ///< started rounds; the first is the caller's
  bool is_used_ = false;      ///< the caller has the first of them
  RowCounts counts_;
};

}  // namespace frugal::gnn
