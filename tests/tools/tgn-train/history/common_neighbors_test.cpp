#include "tools/tgn-train/history/common_neighbors.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace frugal;
using namespace frugal::tgn;

namespace {

using Pair = std::pair<NodeId, NodeId>;

TemporalCsr graph_of(const std::vector<Pair>& events, std::size_t nodes) {
  std::vector<NodeId> sources, destinations;
  for (const auto& [source, destination] : events) {
    sources.push_back(source);
    destinations.push_back(destination);
  }
  return {sources, destinations, nodes};
}

std::vector<NodeId> common_of(const TemporalCsr& graph, NodeId u, NodeId v, CommonHops hops,
                              EventId limit = 100, std::size_t count = 10) {
  Surroundings source, destination;
  source.gather(graph, u, limit, count);
  destination.gather(graph, v, limit, count);
  std::vector<NodeId> nodes = {77};  // from the call before
  find_common(source, destination, hops, nodes);
  return nodes;
}

}  // namespace

TEST_CASE("surroundings are the last events' partners, and theirs with the only way to them") {
  // 0 - 1 twice, 0 - 2, 0 - 0, 1 - 3, 2 - 3, 2 - 4
  const TemporalCsr graph = graph_of({{0, 1}, {1, 0}, {0, 2}, {0, 0}, {1, 3}, {3, 2}, {2, 4}}, 5);
  Surroundings around;
  around.gather(graph, 0, 100, 10);
  CHECK(around.node() == 0);
  CHECK(std::vector<NodeId>(around.partners().begin(), around.partners().end()) ==
        std::vector<NodeId>{1, 2});
  REQUIRE(around.far().size() == 2);
  CHECK(around.far()[0].node == 3);
  CHECK(around.far()[0].via == Surroundings::kSeveral);
  CHECK(around.far()[1].node == 4);
  CHECK(around.far()[1].via == 2);
  CHECK(around.has_partner(2));
  CHECK(!around.has_partner(3));
  SUBCASE("earlier events alone, and no more than asked for") {
    around.gather(graph, 0, 2, 10);
    CHECK(around.has_partner(1));
    CHECK(!around.has_partner(2));
    CHECK(around.far().empty());
    // A self loop has two entries, so two entries leave no partner.
    around.gather(graph, 0, 100, 2);
    CHECK(around.partners().empty());
    // The last event of 1 is with 3, of 2 with 4.
    around.gather(graph, 3, 100, 1);
    CHECK(std::vector<NodeId>(around.partners().begin(), around.partners().end()) ==
          std::vector<NodeId>{2});
    REQUIRE(around.far().size() == 1);
    CHECK(around.far()[0].node == 4);
  }
}

TEST_CASE("common neighbours of each number of hops") {
  using enum CommonHops;
  // A square 0 1 2 3 with the tail 3 4 5.
  const TemporalCsr graph = graph_of({{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}, {4, 5}}, 6);
  CHECK(common_of(graph, 0, 2, one_one) == std::vector<NodeId>{1, 3});
  CHECK(common_of(graph, 2, 0, one_one) == std::vector<NodeId>{1, 3});
  CHECK(common_of(graph, 0, 2, one_two).empty());
  // 4 is one hop from 3, and two from 0 by 3 alone, which is the other end. 2 is so by 1, too.
  CHECK(common_of(graph, 3, 0, one_two) == std::vector<NodeId>{2});
  CHECK(common_of(graph, 0, 5, one_two) == std::vector<NodeId>{3});
  CHECK(common_of(graph, 5, 0, two_one) == std::vector<NodeId>{3});
  CHECK(common_of(graph, 0, 5, two_one) == std::vector<NodeId>{4});
  // Both 0 and 2 lie one hop from 1 and two from 4.
  CHECK(common_of(graph, 1, 4, one_two) == std::vector<NodeId>{0, 2});
  // The ends themselves are two hops away from each other, and no common neighbours.
  CHECK(common_of(graph, 0, 2, two_two) == std::vector<NodeId>{4});
  CHECK(common_of(graph, 0, 2, two_two, 4).empty());
}

TEST_CASE("a way that passes the other end is none, but a second way counts") {
  using enum CommonHops;
  // 0 and 1 met; 5 is a partner of both 1 and 4, and 4 of 0.
  const TemporalCsr line = graph_of({{0, 1}, {1, 2}, {0, 4}, {4, 5}, {1, 5}}, 6);
  // 5 is two hops from 0 by 4 and by 1, and a partner of 1.
  CHECK(common_of(line, 0, 1, two_one) == std::vector<NodeId>{5});
  // 2 is two hops from 0 only by 1 itself.
  const TemporalCsr only = graph_of({{0, 1}, {1, 2}, {0, 4}}, 6);
  CHECK(common_of(only, 0, 1, two_one).empty());
  CHECK(common_of(only, 1, 0, one_two).empty());
}

TEST_CASE("a node without events has no common neighbours") {
  using enum CommonHops;
  const TemporalCsr graph = graph_of({{0, 1}}, 4);
  for (const CommonHops hops : {one_one, one_two, two_one, two_two}) {
    CHECK(common_of(graph, 0, 3, hops).empty());
    CHECK(common_of(graph, 2, 3, hops).empty());
  }
}
