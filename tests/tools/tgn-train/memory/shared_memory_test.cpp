// One memory of nodes that ranks share, in memory and in files.
#include "tools/tgn-train/memory/shared_memory.h"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "libcore/base/error.h"
#include "tests/libcore/parallel/test_ranks.h"
#include "tools/tgn-train/memory/whole_memory.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr std::size_t kSharedNodes = 333, kStateDim = 3, kMessageDim = 2;
constexpr std::uint32_t kSharedShards = 4;

NodeMemoryShape shape_of(const MemoryShards& shards) {
  return {shards.size(), kStateDim, kMessageDim};
}

/// The numbers of a node's record; round: how often it was written.
std::vector<float> numbers_of(NodeId node, MemoryPart part, int round) {
  std::vector<float> numbers(part == MemoryPart::state ? kStateDim : kMessageDim);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<float>(10 * node + i + (part == MemoryPart::state ? 0 : 5)) +
                 static_cast<float>(round) / 4;
  }
  return numbers;
}

void write_round(SharedMemory& memory, NodeId node, int round) {
  memory.write(node, numbers_of(node, MemoryPart::state, round).data(),
               numbers_of(node, MemoryPart::message, round).data());
}

bool has_round(const SharedMemory& memory, NodeId node, int round) {
  for (const MemoryPart part : {MemoryPart::state, MemoryPart::message}) {
    std::vector<float> found(part == MemoryPart::state ? kStateDim : kMessageDim);
    memory.read(node, part, found.data());
    if (found != numbers_of(node, part, round)) return false;
  }
  return true;
}

std::vector<MemoryLoad> loads_of(const std::vector<NodeId>& nodes) {
  std::vector<MemoryLoad> loads;
  for (const NodeId node : nodes) {
    loads.push_back({0, node, MemoryPart::state});
    loads.push_back({0, node, MemoryPart::message});
  }
  return loads;
}

/// Parts that read some nodes each, and store others.
std::vector<StepPlan> parts_of_step() {
  std::vector<StepPlan> parts(kSharedShards);
  for (NodeId p = 0; p < kSharedShards; ++p) {
    std::vector<NodeId> nodes;
    for (NodeId node = p; node < kSharedNodes; node += 3) nodes.push_back(node);
    parts[p].loads = loads_of(nodes);
    for (NodeId node = p; node < kSharedNodes; node += 2 * kSharedShards) {
      parts[p].stores.push_back({node, 0, 0, 0});
    }
  }
  return parts;
}

}  // namespace

TEST_CASE("every node is of one rank, which numbers its nodes one behind the other") {
  for (const int n : {1, 2, 4}) {
    std::vector<std::size_t> sizes(static_cast<std::size_t>(n));
    ThreadRanks(n).run([&](Communicator& ranks) {
      const MemoryShards shards(ranks, kSharedShards, kSharedNodes);
      NodeId next = 0;
      for (NodeId node = 0; node < kSharedNodes; ++node) {
        if (shards.has(node)) CHECK(shards.place(node) == next++);
        if (n == 1) CHECK(shards.place(node) == node);
      }
      CHECK(shards.size() == next);
      sizes[static_cast<std::size_t>(ranks.rank())] = next;
    });
    std::size_t all = 0;
    for (const std::size_t size : sizes) {
      all += size;
      CHECK(size + 2 * MemoryShards::kPage > kSharedNodes / static_cast<std::size_t>(n));
    }
    CHECK(all == kSharedNodes);
  }
  const auto alone = single_process();
  CHECK_NOTHROW(MemoryShards(*alone, 3, kSharedNodes));
  ThreadRanks(2).run(
      [&](Communicator& ranks) { CHECK_THROWS_AS(MemoryShards(ranks, 3, kSharedNodes), Error); });
}

TEST_CASE("steps of all ranks read every record, and each rank keeps its own") {
  for (const int n : {1, 2, 4}) {
    ThreadRanks(n).run([&](Communicator& ranks) {
      const MemoryShards shards(ranks, kSharedShards, kSharedNodes);
      NodeMemory mine(shape_of(shards));
      SharedMemory memory(shards, mine);
      std::vector<NodeId> nodes;
      for (NodeId node = 0; node < kSharedNodes; ++node) nodes.push_back(node);
      for (int round = 1; round < 4; ++round) {
        for (const NodeId node : nodes) write_round(memory, node, round);
        memory.expect(loads_of(nodes));
        for (const NodeId node : nodes) CHECK(has_round(memory, node, round));
      }
      memory.each_own_page([&](NodeId begin, NodeId end) {
        for (NodeId node = begin; node < end; ++node) {
          CHECK(shards.has(node));
          memory.expect(loads_of({node}));
          CHECK(has_round(memory, node, 3));
        }
      });
    });
  }
}

TEST_CASE("parts of a step read memory as it was, and what they store goes to its owners") {
  const std::vector<StepPlan> parts = parts_of_step();
  for (const int n : {1, 2, 4}) {
    ThreadRanks(n).run([&](Communicator& ranks) {
      const MemoryShards shards(ranks, kSharedShards, kSharedNodes);
      NodeMemory mine(shape_of(shards));
      SharedMemory memory(shards, mine);
      for (NodeId node = 0; node < kSharedNodes; ++node) write_round(memory, node, 1);
      memory.begin_parts(parts);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        if (shards.rank_of_shard(p) != ranks.rank()) continue;
        for (const MemoryLoad& load : parts[p].loads) CHECK(has_round(memory, load.node, 1));
        for (const MemoryStore& store : parts[p].stores) write_round(memory, store.node, 2);
      }
      memory.end_parts(parts);
      for (NodeId node = 0; node < kSharedNodes; ++node) {
        const bool stored = node % (2 * kSharedShards) < kSharedShards;
        if (shards.has(node)) CHECK(has_round(memory, node, stored ? 2 : 1));
      }
    });
  }
}

TEST_CASE("files have the memory whole, whatever number of ranks reads or wrote them") {
  const std::string folder = std::filesystem::temp_directory_path().string();
  Document file;
  for (const int n : {4, 1, 2}) {
    ThreadRanks(n).run([&](Communicator& ranks) {
      const MemoryShards shards(ranks, kSharedShards, kSharedNodes);
      NodeMemory mine(shape_of(shards));
      SharedMemory memory(shards, mine);
      WholeMemories whole(shards, folder);
      Document state;
      if (file.tensors.empty()) {
        for (NodeId node = 0; node < kSharedNodes; ++node) write_round(memory, node, 7);
      } else {
        state = file.clone();
        whole.take_share("memory", state, "file", mine);
        CHECK(state.at("memory").shape[0] == shards.size());
        CHECK(state.at("memory").content().data() == mine.bytes().data());
      }
      for (NodeId node = 0; node < kSharedNodes; ++node) {
        if (shards.has(node)) CHECK(has_round(memory, node, 7));
      }
      whole.gather("memory", mine);
      if (ranks.rank() != 0) return;
      Document found;
      const std::uint64_t numbers = mine.record_bytes() / sizeof(float);
      found.tensors.push_back({"memory", Dtype::f32, {shards.size(), numbers}, {}, mine.bytes()});
      whole.lend(found);
      const Tensor& tensor = found.at("memory");
      CHECK(tensor.shape == Shape{kSharedNodes, numbers});
      CHECK(tensor.content().size() == kSharedNodes * mine.record_bytes());
      if (file.tensors.empty()) {
        file = found.clone();
      } else {
        CHECK(std::memcmp(tensor.content().data(), file.at("memory").content().data(),
                          tensor.content().size()) == 0);
      }
    });
  }
  const auto alone = single_process();
  const MemoryShards others(*alone, kSharedShards, kSharedNodes + 1);
  NodeMemory mine(shape_of(others));
  CHECK_THROWS_AS(WholeMemories(others, folder).take_share("memory", file, "file", mine), Error);
}
