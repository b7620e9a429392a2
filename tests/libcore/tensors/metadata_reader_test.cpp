#include "libcore/tensors/metadata_reader.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/refusal.h"

using namespace frugal;

TEST_CASE("metadata are read as what they stand for, and refused by key and expectation") {
  Document document;
  document.metadata = {{"n", "17"},       {"yes", "true"}, {"old", "0"},  {"bad", "1\n"},
                       {"padded", "017"}, {"half", "0.5"}, {"nan", "nan"}};
  const MetadataReader read(document), named(document, "m");
  CHECK(read.text("n") == "17");
  CHECK(read.number("n", 17, 17) == 17);
  CHECK(read.flag("yes"));
  CHECK(!read.flag("old"));
  CHECK(read.finite("half", 0.5, 0.5) == 0.5);
  CHECK(std::isnan(read.real("nan")));
  CHECK(refusal_of([&] {
          read.number("padded");
        }).starts_with("metadata 'padded' is '017', expected a number"));
  CHECK(refusal_of([&] { read.finite("nan"); }) ==
        "metadata 'nan' is 'nan', expected a finite number");
  CHECK(refusal_of([&] { read.finite("half", 0, 0.25); }) ==
        "metadata 'half' is '0.5', expected a finite number from 0 to 0.25");
  CHECK(refusal_of([&] { read.finite("half", 1); }) ==
        "metadata 'half' is '0.5', expected a finite number from 1");
  CHECK(refusal_of([&] { named.text("x"); }) == "m: metadata 'x' is missing");
  CHECK(refusal_of([&] { read.number("n", 1, 16); }) ==
        "metadata 'n' is '17', expected a number from 1 to 16");
  CHECK(refusal_of([&] { named.flag("n"); }) == "m: metadata 'n' is '17', expected true or false");
  CHECK(refusal_of([&] { read.flag("bad"); }).starts_with("metadata 'bad' is '1\\x0a', expected"));
}
