#include "tools/tgn-train/history/node_set.h"

#include <doctest/doctest.h>

#include <set>

#include "libcore/base/rng.h"

using namespace frugal;
using namespace frugal::tgn;

TEST_CASE("A set of nodes has what was inserted, to its last place, and nothing else") {
  CHECK(!NodeSet().contains(0));
  for (const std::uint64_t size : {1, 2, 7, 100, 1000}) {
    NodeSet set(size);
    std::set<NodeId> expected;
    Rng rng(size);
    while (expected.size() < size) {
      // Few and close, or anywhere.
      const auto node =
          static_cast<NodeId>(rng.below(2) == 0 ? rng.below(size) : ~rng.below(size * 3) - 1);
      CHECK(set.insert(node) == expected.insert(node).second);
    }
    for (NodeId node = 0; node < 4 * size; ++node) {
      CHECK(set.contains(node) == (expected.count(node) != 0));
      CHECK(set.contains(~node - 1) == (expected.count(~node - 1) != 0));
    }
  }
}
