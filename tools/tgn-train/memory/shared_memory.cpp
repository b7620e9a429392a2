#include "tools/tgn-train/memory/shared_memory.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace frugal::tgn {
namespace {

void append_record(std::vector<std::byte>& letter, const std::byte* record, std::size_t size) {
  letter.insert(letter.end(), record, record + size);
}

}  // namespace

std::span<const StepPlan> SharedMemory::parts_of(std::span<const StepPlan> parts, int rank) const {
  const std::size_t n = parts.size() / static_cast<std::size_t>(shards_.ranks().size());
  return parts.subspan(static_cast<std::size_t>(rank) * n, n);
}

/// Appends the loaded nodes that the rank does not own.
void SharedMemory::want(int rank, std::span<const MemoryLoad> loads,
                        std::vector<NodeId>& nodes) const {
  for (const MemoryLoad& load : loads) {
    if (shards_.owner(load.node) != rank) nodes.push_back(load.node);
  }
}

void SharedMemory::expect(std::span<const MemoryLoad> loads) {
  if (work_ != Work::together || shards_.ranks().size() == 1) return;
  std::vector<std::vector<NodeId>> wanted(static_cast<std::size_t>(shards_.ranks().size()));
  for (std::size_t r = 0; r < wanted.size(); ++r) want(static_cast<int>(r), loads, wanted[r]);
  bring(std::move(wanted));
}

void SharedMemory::begin_parts(std::span<const StepPlan> parts) {
  assert(work_ == Work::together && parts.size() == shards_.count());
  work_ = Work::parts;
  written_.clear();
  if (shards_.ranks().size() == 1) return;
  std::vector<std::vector<NodeId>> wanted(static_cast<std::size_t>(shards_.ranks().size()));
  for (std::size_t shard = 0; shard < parts.size(); ++shard) {
    const int rank = shards_.rank_of_shard(shard);
    want(rank, parts[shard].loads, wanted[static_cast<std::size_t>(rank)]);
  }
  bring(std::move(wanted));
}

/// Exchanges records. Every rank computes what the others want, so no requests are sent.
void SharedMemory::bring(std::vector<std::vector<NodeId>> wanted) {
  const auto me = static_cast<std::size_t>(shards_.ranks().rank());
  const std::size_t size = mine_.record_bytes();
  Letters out = letters();
  for (std::size_t r = 0; r < wanted.size(); ++r) {
    std::ranges::sort(wanted[r]);
    wanted[r].erase(std::unique(wanted[r].begin(), wanted[r].end()), wanted[r].end());
    for (const NodeId node : wanted[r]) {
      if (shards_.has(node)) append_record(out[r], mine_.record(shards_.place(node)), size);
    }
  }
  const Letters in = shards_.ranks().all_to_all(std::move(out));
  brought_nodes_ = std::move(wanted[me]);
  brought_.clear();
  std::vector<std::size_t> taken(in.size());
  for (const NodeId node : brought_nodes_) {
    const auto owner = static_cast<std::size_t>(shards_.owner(node));
    append_record(brought_, in[owner].data() + taken[owner], size);
    taken[owner] += size;
  }
}

void SharedMemory::read(NodeId node, MemoryPart part, float* out) const {
  if (shards_.has(node)) return mine_.read(shards_.place(node), part, out);
  const auto found = std::ranges::lower_bound(brought_nodes_, node);
  assert(found != brought_nodes_.end() && *found == node);
  const auto i = static_cast<std::size_t>(found - brought_nodes_.begin());
  mine_.read_of(brought_.data() + i * mine_.record_bytes(), part, out);
}

void SharedMemory::prefetch(NodeId node) const {
  if (shards_.has(node)) mine_.prefetch(shards_.place(node));
}

void SharedMemory::write(NodeId node, const float* state, const float* message) {
  if (work_ != Work::parts) {
    if (shards_.has(node)) mine_.write(shards_.place(node), state, message);
    return;
  }
  assert(message != nullptr || shape().message_dim == 0);
  const std::size_t begin = written_.size();
  written_.resize(begin + mine_.record_bytes());
  mine_.write_to(written_.data() + begin, state, message);
}

void SharedMemory::end_parts(std::span<const StepPlan> parts) {
  assert(work_ == Work::parts);
  work_ = Work::together;
  const int me = shards_.ranks().rank();
  const std::size_t size = mine_.record_bytes();
  Letters out = letters();
  const std::byte* record = written_.data();
  for (const StepPlan& part : parts_of(parts, me)) {
    for (const MemoryStore& store : part.stores) {
      append_record(out[static_cast<std::size_t>(shards_.owner(store.node))], record, size);
      record += size;
    }
  }
  const Letters in = shards_.ranks().all_to_all(std::move(out));
  for (int r = 0; r < shards_.ranks().size(); ++r) {
    const std::byte* from = in[static_cast<std::size_t>(r)].data();
    for (const StepPlan& part : parts_of(parts, r)) {
      for (const MemoryStore& store : part.stores) {
        if (!shards_.has(store.node)) continue;
        mine_.write_record(shards_.place(store.node), from);
        from += size;
      }
    }
  }
}

}  // namespace frugal::tgn
