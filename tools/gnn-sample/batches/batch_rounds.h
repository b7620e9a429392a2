#pragma once
#include <cstdint>
#include <deque>
#include <functional>

#include "libcore/parallel/communicator.h"
#include "libcore/threading/prepared_queue.h"
#include "tools/gnn-sample/batches/train_batch.h"
#include "tools/gnn-sample/parts/kept_rows.h"

namespace frugal::gnn {

/// The mini-batches of a run as ranks take them: in each round every rank has one, or none. They
/// are prepared ahead on the side; where ranks keep parts of the features, missing rows are asked
/// for kRoundsAhead rounds ahead, while the caller works. All ranks go through all rounds.
class BatchRounds {
 public:
  static constexpr std::uint64_t kRoundsAhead = 2;

  struct Source {
    std::function<bool(TrainBatch&)> produce;  ///< begins this rank's next; false: there is none
    std::function<void(TrainBatch&)> prepare;  ///< on any thread
    std::function<bool(std::uint64_t round)> has;  ///< whether this rank has one in that round
    std::uint64_t first = 0, end = 0;              ///< rounds
  };
  /// kept: the rows that mini-batches were gathered from; null: they have all their features.
  BatchRounds(Source source, Communicator& ranks, const KeptRows* kept);

  /// That of the next round, the caller's until the next call; null: none in this round, or all
  /// rounds are over.
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
  std::deque<Round> rounds_;  ///< begun; the first is the caller's
  bool is_used_ = false;      ///< the first of them, by the caller
  RowCounts counts_;
};

}  // namespace frugal::gnn
