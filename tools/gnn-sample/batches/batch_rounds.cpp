#include "tools/gnn-sample/batches/batch_rounds.h"

#include <utility>

#include "libcore/threading/parallel.h"

namespace frugal::gnn {

/// One mini-batch in use, one to come for each thread that samples.
BatchRounds::BatchRounds(Source source, Communicator& ranks, const KeptRows* kept)
    : source_(std::move(source)),
      ranks_(ranks),
      kept_(kept),
      queue_(static_cast<std::size_t>(num_threads()) + 1, kept == nullptr ? 1 : kRoundsAhead + 1),
      begun_(source_.first) {
  queue_.produce = source_.produce;
  queue_.prepare = source_.prepare;
}

void BatchRounds::begin_round() {
  Round& round = rounds_.emplace_back();
  if (source_.has(begun_++)) round.batch = queue_.next();
  if (kept_ == nullptr) return;
  round.rows = ranks_.begin([this, &round] {
    round.counts = kept_->fetch(ranks_, round.batch == nullptr ? nullptr : &round.batch->gathered);
  });
}

const TrainBatch* BatchRounds::next() {
  if (is_used_) rounds_.pop_front();
  const std::uint64_t ahead = kept_ == nullptr ? 0 : kRoundsAhead;
  while (begun_ < source_.end && rounds_.size() <= ahead) begin_round();
  is_used_ = !rounds_.empty();
  if (!is_used_) return nullptr;
  Round& round = rounds_.front();
  round.rows.wait();
  counts_ += round.counts;
  return round.batch;
}

}  // namespace frugal::gnn
