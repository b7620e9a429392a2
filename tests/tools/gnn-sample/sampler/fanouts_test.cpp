#include "tools/gnn-sample/sampler/fanouts.h"

#include <doctest/doctest.h>

#include "libcore/base/error.h"

using namespace frugal;
using namespace frugal::gnn;

TEST_CASE("Fanouts are read and written") {
  CHECK(parse_fanouts("15,10,5", "--fanouts") == Fanouts{15, 10, 5});
  CHECK(parse_fanouts("-1,20", "--fanouts") == Fanouts{kAllNeighbors, 20});
  CHECK(fanouts_text({kAllNeighbors, 20}) == "-1,20");
  for (const char* bad : {"", "0", "15,,5", "15,", "-2", "1.5", "x", "99999999999", "1,0",
                          "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"}) {
    CHECK_THROWS_AS(parse_fanouts(bad, "--fanouts"), Error);
  }
}

TEST_CASE("Fanouts of types of edges are those named, else common ones") {
  const std::vector<std::string> types = {"a:r:b", "b:r:a", "b:s:b"};
  CHECK(parse_type_fanouts({"b:r:a=3,0", "b:s:b=0"}, "5,-1", types) ==
        std::vector<Fanouts>{{5, kAllNeighbors}, {3, 0}, {0, 0}});
  // Where all are named the common ones do not count.
  CHECK(parse_type_fanouts({"a:r:b=1", "b:r:a=2", "b:s:b=3"}, "5,5", types) ==
        std::vector<Fanouts>{{1}, {2}, {3}});
  for (const std::vector<std::string>& bad : {std::vector<std::string>{"a:r:c=3,3"},
                                              {"a:r:b"},
                                              {"a:r:b=3"},
                                              {"a:r:b=3,-2"},
                                              {"a:r:b="},
                                              {"a:r:b=3,3", "a:r:b=3,3"},
                                              {"a:r:b=0", "b:r:a=0", "b:s:b=0,0"}}) {
    CHECK_THROWS_AS(parse_type_fanouts(bad, "5,5", types), Error);
  }
}
