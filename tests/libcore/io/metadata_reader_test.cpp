#include "libcore/io/metadata_reader.h"

#include <doctest/doctest.h>

#include "tests/support/refusal.h"

using namespace frugal;

TEST_CASE("metadata are read as what they stand for, and refused by key and expectation") {
  Document document;
  document.metadata = {{"n", "17"},  {"yes", "true"}, {"old", "0"},
                       {"s", "4-5"}, {"none", ""},    {"bad", "1\n"}};
  const MetadataReader read(document), named(document, "m");
  CHECK(read.text("n") == "17");
  CHECK(read.number("n", 17, 17) == 17);
  CHECK(read.flag("yes"));
  CHECK(!read.flag("old"));
  CHECK(read.sizes("s") == std::vector<std::size_t>{4, 5});
  CHECK(read.sizes("none").empty());
  CHECK(refusal_of([&] { named.text("x"); }) == "m: metadata 'x' is missing");
  CHECK(refusal_of([&] { read.number("n", 1, 16); }) ==
        "metadata 'n' is '17', expected a number from 1 to 16");
  CHECK(refusal_of([&] { named.flag("n"); }) == "m: metadata 'n' is '17', expected true or false");
  CHECK(refusal_of([&] { read.sizes("bad"); }).starts_with("metadata 'bad' is '1\\x0a', expected"));
}
