#include "libcore/tables/text_kind.h"

#include <doctest/doctest.h>

using namespace frugal;

namespace {

std::string_view kind(std::string_view head) { return description(text_kind(head)).name; }

}  // namespace

TEST_CASE("a broken line among the first ones leaves JSON Lines what they are") {
  CHECK(kind("{\"a\": 1}\nbroken\n{\"a\": 2}\n") == "JSON Lines");
  CHECK(kind("{\"a\": 1}\n[1]\n") == "JSON Lines");
  CHECK(kind("{\"a\": 1\n{\"a\": 2}\n\n{\"a\": 3}\n") == "JSON Lines");
  CHECK(kind("{\"a\": NaN}\n{\"a\": 2}\n") == "JSON Lines");
  CHECK(kind("{\"a\":\n{\"b\": 2}\n}\n") == "a JSON document");
  CHECK(kind("{\"a\": {}\n,\"b\": {}\n}\n") == "a JSON document");
  CHECK(kind("{\"a\": [\n{\"b\": 2},\n{\"b\": 3}\n]}\n") == "a JSON document");
}

TEST_CASE("texts that are no tables are told by how they begin") {
  CHECK(kind("{\"a\": 1}\n{\"a\": 2}\n") == "JSON Lines");
  CHECK(kind("{\"a\": 1}\n") == "JSON Lines");
  const std::string long_object = "{\"a\": \"" + std::string(100'000, 'x') + "\"}\n";
  CHECK(kind(long_object + long_object) == "JSON Lines");
  CHECK(kind("{\"directed\": true,\n \"nodes\": []}\n") == "a JSON document");
  CHECK(kind("[{\"a\": 1}]") == "a JSON document");
  CHECK(kind("\n<?xml version='1.0'?>\n<graphml xmlns=\"x\">") == "a GraphML file");
  CHECK(kind("<gexf version=\"1.2\">") == "a GEXF file");
  CHECK(kind("<?xml version='1.0'?>\n<rows>") == "an XML document");
  CHECK(kind("graph [\n  node [ id 1 ]\n") == "a GML file");
  CHECK(kind("Creator \"x\"\ngraph\n[\n") == "a GML file");
  CHECK(kind("*Vertices 3\n1 \"a\"\n") == "a Pajek file");
  for (const char* text : {"", "a,b\n", "{x} y\n", "[1] word\n", "graph,edge\n", "<b> bold\n"}) {
    CAPTURE(text);
    CHECK(kind(text) == "a table");
  }
}
