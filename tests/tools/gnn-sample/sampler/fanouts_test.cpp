#include "tools/gnn-sample/sampler/fanouts.h"

#include <doctest/doctest.h>

#include "libcore/base/error.h"

using namespace frugal;

TEST_CASE("Fanouts are read and written") {
  CHECK(parse_fanouts("15,10,5", "--fanouts") == Fanouts{15, 10, 5});
  CHECK(parse_fanouts("-1,20", "--fanouts") == Fanouts{kAllNeighbors, 20});
  CHECK(fanouts_text({kAllNeighbors, 20}) == "-1,20");
  for (const char* bad : {"", "0", "15,,5", "15,", "-2", "1.5", "x", "99999999999", "1,0",
                          "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"}) {
    CHECK_THROWS_AS(parse_fanouts(bad, "--fanouts"), Error);
  }
}
