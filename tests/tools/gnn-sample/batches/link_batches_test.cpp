#include "tools/gnn-sample/batches/link_batches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "libcore/base/error.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// Node 0 has edges to all but 7 and 9; 3 -> 4, 3 -> 5; ten nodes.
struct Star {
  std::vector<EdgeId> offsets = {0};
  std::vector<NodeId> neighbors;
  Star() {
    for (NodeId v = 0; v < 10; ++v) {
      if (v != 0 && v != 7 && v != 9) neighbors.push_back(0);
      if (v == 4 || v == 5) neighbors.push_back(3);
      offsets.push_back(neighbors.size());
    }
  }
  CsrView csr() const { return {offsets, neighbors}; }
};

std::map<NodeId, double> target_counts(const NegativeLinks& draw, const Link& link, int trials) {
  std::map<NodeId, double> counts;
  Rng rng(4);
  for (int i = 0; i < trials; ++i) {
    const Link negative = draw.draw(link, rng);
    CHECK(negative.source == link.source);
    ++counts[negative.target];
  }
  return counts;
}

LinkList three_hundred() {
  LinkList list;
  for (NodeId i = 0; i < 300; ++i) {
    list.links.push_back({i % 10, (i / 10) % 10});
    list.times.push_back(i);
  }
  return list;
}

SeedBatchOptions sevens() {
  SeedBatchOptions batches;
  batches.batch_size = 7;
  return batches;
}

}  // namespace

TEST_CASE("Targets of negatives are equally likely, all of them or those that are no edges") {
  const Star star;
  constexpr int kTrials = 20000;
  NegativeLinkOptions options;
  const auto any = target_counts({star.csr(), options}, {3, 4}, kTrials);
  CHECK(any.size() == 10);
  for (const bool ascend : {true, false}) {
    options.no_edges = true;
    options.sources_ascend = ascend;
    const NegativeLinks draw(star.csr(), options);
    const auto others = target_counts(draw, {3, 4}, kTrials);
    CHECK(others.size() == 7);
    for (const NodeId edge : {3U, 4U, 5U}) CHECK(!others.contains(edge));
    double chi = 0;
    const double expected = kTrials / 7.0;
    for (const auto& [node, n] : others) chi += (n - expected) * (n - expected) / expected;
    CHECK(chi < 6 + 5 * 3.5);
    CHECK(target_counts(draw, {0, 1}, 100).size() == 2);
  }
}

TEST_CASE("Where a node has edges to all there is no negative, said so; both ends may be others") {
  const std::vector<EdgeId> offsets = {0, 0, 1, 2};
  const std::vector<NodeId> neighbors = {0, 0};
  NegativeLinkOptions options;
  options.no_edges = true;
  Rng rng(1);
  CHECK_THROWS_AS(NegativeLinks({offsets, neighbors}, options).draw({0, 1}, rng), Error);
  options.both_ends = true;
  const NegativeLinks both({offsets, neighbors}, options);
  for (int i = 0; i < 100; ++i) {
    const Link link = both.draw({0, 1}, rng);
    CHECK(link.source != 0);
    CHECK(link.source != link.target);
  }
}

TEST_CASE("A batch has its links, then the negatives of each, and ends with their times") {
  const Star star;
  const LinkList list = three_hundred();
  for (const bool both : {false, true}) {
    NegativeLinkOptions negatives;
    negatives.per_link = 3;
    negatives.both_ends = both;
    LinkBatches batches(list, sevens(), star.csr(), negatives);
    CHECK(batches.left() == 43);
    LinkBatch batch;
    std::size_t links = 0;
    while (batches.next(batch)) {
      batches.complete(batch);
      const std::size_t n = batch.positives.size();
      links += n;
      REQUIRE(batch.num_links() == 4 * n);
      CHECK(batch.seeds.nodes.size() <= LinkBatches::max_seeds(7, negatives));
      CHECK(batch.seeds.times.size() == batch.seeds.nodes.size());
      for (std::size_t i = 0; i < 4 * n; ++i) {
        const Link& positive = batch.positives[i < n ? i : (i - n) / 3];
        const NodeId source = batch.seeds.nodes[batch.sources[i]];
        const NodeId target = batch.seeds.nodes[batch.targets[i]];
        CHECK(batch.label(i) == (i < n ? 1 : 0));
        if (i < n || !both) CHECK(source == positive.source);
        if (i < n) CHECK(target == positive.target);
        const double time = batch.seeds.times[i < n ? i : (i - n) / 3];
        CHECK(batch.seeds.times[batch.sources[i]] == time);
        CHECK(batch.seeds.times[batch.targets[i]] == time);
      }
    }
    CHECK(links == 300);
  }
}

TEST_CASE("Negatives depend on the number of the batch alone; undirected links turn round") {
  const Star star;
  LinkList list = three_hundred();
  list.either_way = true;
  NegativeLinkOptions negatives;
  negatives.per_link = 2;
  SeedBatchOptions options = sevens();
  options.epochs = 2;
  LinkBatches whole(list, options, star.csr(), negatives);
  options.first = 50;
  LinkBatches later(list, options, star.csr(), negatives);
  LinkBatch a, b;
  int turned = 0, straight = 0;
  for (int i = 0; whole.next(a); ++i) {
    whole.complete(a);
    for (std::size_t j = 0; j < a.positives.size(); ++j) {
      const Link& given = list.links[static_cast<std::size_t>(a.seeds.times[j])];
      const Link& link = a.positives[j];
      if (given.source == given.target) continue;
      const bool same = link.source == given.source && link.target == given.target;
      CHECK((same || (link.source == given.target && link.target == given.source)));
      ++(same ? straight : turned);
    }
    if (i < 50) continue;
    REQUIRE(later.next(b));
    later.complete(b);
    CHECK(a.seeds.nodes == b.seeds.nodes);
    CHECK(a.targets == b.targets);
  }
  CHECK(turned > 200);
  CHECK(straight > 200);
}

TEST_CASE("Targets of another type are in a list of their own") {
  const Star star;
  LinkList list;
  list.links = {{12, 3}, {40, 4}, {12, 9}};
  list.two_types = true;
  NegativeLinkOptions options;
  options.per_link = 2;
  SeedBatchOptions one;
  one.shuffle = false;
  LinkBatches batches(list, one, star.csr(), options);
  LinkBatch batch;
  REQUIRE(batches.next(batch));
  batches.complete(batch);
  CHECK(batch.seeds.nodes == std::vector<NodeId>{12, 40, 12});
  REQUIRE(batch.target_nodes.size() == 9);
  CHECK(batch.target_nodes[1] == 4);
  CHECK(batch.target_nodes[2] == 9);
  for (const NodeId node : batch.target_nodes) CHECK(node < 10);
  CHECK(batch.sources == std::vector<std::uint32_t>{0, 1, 2, 0, 0, 1, 1, 2, 2});
  CHECK(batch.targets == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8});
}
