#include "tools/gnn-sample/typed/schema.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::gnn;

TEST_CASE("a schema is read back as it was written, its seeds first") {
  TypedSchema schema;
  schema.nodes = {{"an author", 0}, {"paper", 128}};
  schema.relations = {{"an author:writes:paper", 0, 1}, {"paper:cites:paper", 1, 1}};
  schema.seeds = 1;
  const std::string text = "paper 128\nan author 0\nan author:writes:paper\npaper:cites:paper";
  CHECK(schema.text() == text);
  const TypedSchema read = TypedSchema::parse(text, "m");
  CHECK(read.text() == text);
  CHECK(read.seeds == 0);
  REQUIRE(read.relations.size() == 2);
  CHECK(read.relations[0].source == 1);
  CHECK(read.relations[0].target == 0);
}

TEST_CASE("lines that are no types are refused") {
  const auto error = [](const std::string& text) {
    return error_of([&] { TypedSchema::parse(text, "m"); });
  };
  const std::string expected =
      "', expected TYPE FEATURES for each type of nodes, then SOURCE:RELATION:TARGET";
  for (const char* line : {"", "paper", "paper -1", " 3", "paper 99999999999", "paper:x", "a:b:c:d",
                           "paper:cites:book", "paper 5"}) {
    CAPTURE(line);
    CHECK(error(std::string("paper 3\n") + line) ==
          std::string("65 m has the line '") + line + expected);
  }
  CHECK(error("paper 3\npaper:cites:paper\npaper:cites:paper") ==
        "65 m has the line 'paper:cites:paper" + expected);
  CHECK(error("paper 3\npaper:cites:paper\nauthor 4") == "65 m has the line 'author 4" + expected);
}
