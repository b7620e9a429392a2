#include "libcore/cli/depfile.h"

#include <doctest/doctest.h>

using namespace frugal;

TEST_CASE("a dependency file is a make rule with an empty rule for each input") {
  CHECK(depfile_text({"out"}, {"a", "b", "a"}) == "out: \\\n a \\\n b\na:\nb:\n");
  CHECK(depfile_text({"out", "report"}, {}) == "out report:\n");
  CHECK(depfile_text({"-"}, {"a"}) == "");
  CHECK(depfile_text({"out"}, {"-", ""}) == "out:\n");
  CHECK(depfile_text({"same"}, {"same"}) == "same: \\\n same\n");
}

TEST_CASE("names are escaped for make") {
  CHECK(depfile_text({"a b"}, {"c#d", "e$f", "g\\ h"}) ==
        "a\\ b: \\\n c\\#d \\\n e$$f \\\n g\\\\\\ h\nc\\#d:\ne$$f:\ng\\\\\\ h:\n");
}
