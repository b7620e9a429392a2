#include "tools/gnn-sample/parts/node_owners.h"

#include <doctest/doctest.h>

using namespace frugal;
using namespace frugal::gnn;

TEST_CASE("even parts are blocks of nodes in turn") {
  const std::vector<std::uint32_t> owners = even_owners(1000, 3);
  CHECK(owners[0] == 0);
  CHECK(owners[255] == 0);
  CHECK(owners[256] == 1);
  CHECK(owners[767] == 2);
  CHECK(owners[768] == 0);
}

TEST_CASE("the most probable nodes are those of others, the first of equal ones") {
  const std::vector<float> p = {0.9F, 0.2F, 0.5F, 0.5F, 0.5F, 0, 0.8F};
  const std::vector<std::uint32_t> owners = {0, 1, 1, 1, 2, 2, 2};
  CHECK(most_probable(p, owners, 0, 3) == std::vector<NodeId>{2, 3, 6});
  CHECK(most_probable(p, owners, 1, 2) == std::vector<NodeId>{0, 6});
  CHECK(most_probable(p, owners, 0, 0).empty());
  // Never what no mini-batch has.
  CHECK(most_probable(p, owners, 0, 100) == std::vector<NodeId>{1, 2, 3, 4, 6});
}
