#include "tools/gnn-sample/sampler/epoch_shuffle.h"

#include <algorithm>
#include <thread>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kRowsOfBlock = 4096;
constexpr std::uint64_t kStream = 0x77696e646f77;

}  // namespace

EpochShuffle::Epoch::Epoch(std::uint64_t number, std::size_t num_edges)
    : number_(number), neighbors_(num_edges, uninitialized) {}

EpochShuffle::EpochShuffle(const CsrView& graph, std::uint64_t seed)
    : graph_(graph),
      seed_(seed),
      num_blocks_((graph.num_nodes() + kRowsOfBlock - 1) / kRowsOfBlock) {}

std::shared_ptr<const EpochShuffle::Epoch> EpochShuffle::of(std::uint64_t epoch) {
  std::shared_ptr<Epoch> wanted;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Epoch>& kept = kept_[epoch % 2];
    if (!kept || kept->number_ != epoch) {
      // New holders come this way alone.
      while (kept.use_count() > 1) std::this_thread::yield();
      kept.reset();
      kept.reset(new Epoch(epoch, graph_.num_edges()));
    }
    wanted = kept;
  }
  for (std::size_t block = wanted->next_++; block < num_blocks_; block = wanted->next_++) {
    shuffle_block(block, *wanted);
    if (++wanted->done_ == num_blocks_) wanted->done_.notify_all();
  }
  for (std::size_t done = wanted->done_; done < num_blocks_; done = wanted->done_) {
    wanted->done_.wait(done);
  }
  return wanted;
}

void EpochShuffle::shuffle_block(std::size_t block, Epoch& epoch) const {
  const std::size_t begin = block * kRowsOfBlock;
  const std::size_t end = std::min(begin + kRowsOfBlock, graph_.num_nodes());
  const std::uint64_t stream = hash_combine(kStream, epoch.number_);
  for (std::size_t v = begin; v < end; ++v) {
    const auto row = graph_.row(static_cast<NodeId>(v));
    NodeId* to = epoch.neighbors_.data() + graph_.offsets[v];
    std::copy(row.begin(), row.end(), to);
    shuffle(to, row.size(), Rng(seed_, hash_combine(stream, v)));
  }
}

}  // namespace frugal::gnn
