#include "tools/gnn-sample/batches/seed_batches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "libcore/base/error.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

std::vector<NodeId> hundred() {
  std::vector<NodeId> nodes(100);
  std::iota(nodes.begin(), nodes.end(), NodeId{1000});
  return nodes;
}

std::vector<SeedBatches::Seeds> all(const SeedBatchOptions& options) {
  SeedBatches batches(hundred(), options);
  std::vector<SeedBatches::Seeds> list;
  SeedBatches::Seeds seeds;
  const std::uint64_t left = batches.left();
  while (batches.next(seeds)) list.push_back(seeds);
  CHECK(list.size() == left);
  CHECK(batches.left() == 0);
  return list;
}

SeedBatchOptions thirty(std::uint64_t epochs) {
  SeedBatchOptions options;
  options.batch_size = 30;
  options.epochs = epochs;
  return options;
}

}  // namespace

TEST_CASE("Each epoch has every seed once, in an order of its own") {
  const auto list = all(thirty(2));
  REQUIRE(list.size() == 8);
  std::vector<std::vector<NodeId>> epochs(2);
  for (std::size_t i = 0; i < list.size(); ++i) {
    CHECK(list[i].number == i);
    CHECK(list[i].epoch == i / 4);
    auto& epoch = epochs[i / 4];
    epoch.insert(epoch.end(), list[i].nodes.begin(), list[i].nodes.end());
  }
  CHECK(epochs[0] != epochs[1]);
  for (auto& epoch : epochs) {
    CHECK(epoch != hundred());
    std::sort(epoch.begin(), epoch.end());
    CHECK(epoch == hundred());
  }
}

TEST_CASE("Without shuffling seeds keep their order; a small last batch may be left out") {
  SeedBatchOptions options = thirty(1);
  options.shuffle = false;
  options.drop_last = true;
  const auto list = all(options);
  REQUIRE(list.size() == 3);
  CHECK(list[2].nodes.front() == 1060);
  options.batch_size = 200;
  CHECK(all(options).empty());
}

TEST_CASE("Where batches do not divide by the shards all get as many, with or without the last") {
  const auto whole = all(thirty(3));  // four an epoch
  for (const bool repeat : {false, true}) {
    std::vector<std::vector<NodeId>> found(12 + (repeat ? 6 : -3));
    for (int index = 0; index < 3; ++index) {
      SeedBatchOptions options = thirty(3);
      options.shard = {index, 3};
      options.uneven = repeat ? UnevenShards::repeat : UnevenShards::drop;
      const auto part = all(options);
      CHECK(part.size() == found.size() / 3);
      for (const auto& seeds : part) {
        CHECK(seeds.epoch == seeds.number / (repeat ? 6 : 3));
        found[seeds.number] = seeds.nodes;
      }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t epoch = i / (repeat ? 6 : 3), place = i % (repeat ? 6 : 3);
      CHECK(found[i] == whole[epoch * 4 + place % 4].nodes);
    }
  }
  SeedBatchOptions few = thirty(1);
  few.shard = {0, 5};
  few.uneven = UnevenShards::drop;
  CHECK_THROWS_AS(SeedBatches(hundred(), few), Error);
}

TEST_CASE("A batch is the same wherever a run begins and however many share it") {
  const auto whole = all(thirty(3));
  for (int count = 1; count <= 5; ++count) {
    for (std::uint64_t first : {0, 1, 5, 11, 12, 40}) {
      std::vector<bool> seen(whole.size());
      for (int index = 0; index < count; ++index) {
        SeedBatchOptions options = thirty(3);
        options.first = first;
        options.shard = {index, count};
        for (const auto& seeds : all(options)) {
          REQUIRE(seeds.number < whole.size());
          CHECK(!seen[seeds.number]);
          seen[seeds.number] = true;
          CHECK(seeds.nodes == whole[seeds.number].nodes);
        }
      }
      for (std::size_t i = 0; i < whole.size(); ++i) CHECK(seen[i] == (i >= first));
    }
  }
}
