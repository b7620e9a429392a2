#include "tools/tgn-train/memory/memory_shards.h"

#include "libcore/base/error.h"

namespace frugal::tgn {

MemoryShards::MemoryShards(Communicator& ranks, std::uint32_t count, std::size_t nodes)
    : ranks_(ranks),
      count_(count),
      per_rank_(count / static_cast<std::uint32_t>(ranks.size())),
      nodes_(nodes) {
  if (count % static_cast<std::uint32_t>(ranks.size()) == 0) return;
  fail(ExitStatus::usage, "--memory-shards ", count, " cannot be shared by ", ranks.size(),
       " ranks: expected a multiple of their number");
}

std::size_t MemoryShards::size() const {
  std::size_t size = 0;
  each_page(ranks_.rank(), [&](NodeId begin, NodeId end) { size += end - begin; });
  return size;
}

}  // namespace frugal::tgn
