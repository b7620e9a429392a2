#include "tools/gnn-sample/batches/walk_documents.h"

#include <doctest/doctest.h>

#include <vector>

using namespace frugal;
using namespace frugal::gnn;

TEST_CASE("The nodes met most often come first, of equals those of the lower number") {
  std::vector<NodeId> walks = {9, 4, 4, 2, 9, 7, 7, kNoNode, 9, 2, 4, 5, kNoNode};
  const auto visited = most_visited(walks, 9, 3);
  REQUIRE(visited.size() == 3);
  CHECK(visited[0].node == 4);
  CHECK(visited[0].visits == 3);
  CHECK(visited[1].node == 2);
  CHECK(visited[2].node == 7);
  CHECK(most_visited(walks, 9, 100).size() == 4);
  std::vector<NodeId> alone = {9, kNoNode, kNoNode};
  CHECK(most_visited(alone, 9, 5).empty());
}
