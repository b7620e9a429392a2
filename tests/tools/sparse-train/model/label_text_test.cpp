#include "tools/sparse-train/model/label_text.h"

#include <doctest/doctest.h>

using namespace frugal::sparse;

TEST_CASE("names that a line of words cannot hold are JSON strings") {
  CHECK(as_word("M\u00fcnchen:1") == "M\u00fcnchen:1");
  CHECK(as_word("New York") == "\"New York\"");
  CHECK(as_word("a\u00a0b\u3000c") == "\"a\u00a0b\u3000c\"");
  CHECK(as_word("say \"hi\"") == "\"say \\\"hi\\\"\"");
  CHECK(as_word("line\nbreak\u2028") == "\"line\\nbreak\\u2028\"");
  CHECK(as_word("") == "\"\"");
  CHECK(as_word("\xff") == "\xff");  // --encoding bytes
  CHECK(as_field("New York") == "New York");
  CHECK(as_field("a\tb") == "\"a\\tb\"");
}
