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
  CHECK(kind("{\n") == "a JSON document");
  CHECK(kind("{\"a\": 1}, \r\n{\"a\": 2}\n") == "JSON Lines with a comma after each object");
  CHECK(kind("{'a': 1, 'b': \"it's\"}\n{'a': 2, 'b': 'x'}\n") ==
        "a text of Python dicts, one a line");
  CHECK(kind("{u'a': 1}\n") == "a text of Python dicts, one a line");
  CHECK(kind("% of Weka\n%\n@RELATION iris\n@attribute a real\n") == "an ARFF file");
  CHECK(kind("p sp 3 2\na 1 2 5\n") == "a DIMACS graph");
  CHECK(kind("c first\nc\np edge 3 2\ne 1 2\n") == "a DIMACS graph");
  CHECK(kind("# Alice\nBob 1.5\n# Bob\nCy 2.5\n") == "a graph in LGL's format");
  CHECK(kind("# 1\n2\n3\n# 2\n3\n# 4") == "a graph in LGL's format");
  // Comments of one word make no other format.
  for (const char* text :
       {"# 1\n2 5\n# 2\n5 1\n", "# Bob\n1 2\n# Cy\n3 4\n", "# one\nBob Cy\n# Bob\nCy D\n",
        "# id\n1\n2\n", "p sp three 2\n", "p q 3 2\na b\n", "c a\nb c\n"}) {
    CAPTURE(text);
    CHECK(kind(text) == "a table");
  }
  for (const char* text : {"", "a,b\n", "{x} y\n", "[1] word\n", "graph,edge\n", "<b> bold\n"}) {
    CAPTURE(text);
    CHECK(kind(text) == "a table");
  }
}

TEST_CASE("pairs in JSON, fields between double colons and pointers of Git LFS are no tables") {
  CHECK(kind("[[0,1],[1,2]]\n") == "a JSON list of lists");
  CHECK(kind("1::1193::5::978300760\n1::661::3::978302109\n") ==
        "a table with '::' between its fields");
  std::string movies;
  for (int i = 0; i < 300; ++i) movies += std::to_string(i) + "::A, b (1995)::x|y\n";
  CHECK(kind(movies) == "a table with '::' between its fields");
  CHECK(kind("version https://git-lfs.github.com/spec/v1\noid sha256:1f\nsize 5\n") ==
        "a pointer of Git LFS, not the file itself");
  for (const char* text : {"a::b::c\n", "a::b\nc::d\n", "x,a::b::c\ny,a::b::c\n", "a::b::c\na::b\n",
                           "::a::b\n::c::d\n", "word a::b::c\nword a::b::c\n", "version 2\n"}) {
    CAPTURE(text);
    CHECK(kind(text) == "a table");
  }
}

TEST_CASE("Vowpal Wabbit's lines have numbers, a bar and a namespace, whose features have values") {
  CHECK(kind("1 |f x:0.5 y\n-1 |f y |g z:2\n") == "a Vowpal Wabbit file");
  CHECK(kind("1 0.5 'tag|f x:0.5\n") == "a Vowpal Wabbit file");
  CHECK(kind("|f x:0.5\n") == "a Vowpal Wabbit file");
  CHECK(kind("1 |f x:0.5\n-1 | y:2\n1 |f") == "a table");
  for (const char* text : {"1 |good text\n", "1|x:1\n", "a |f x:1\n", "1 | x:1\n", "1 |\n"}) {
    CAPTURE(text);
    CHECK(kind(text) == "a table");
  }
}

TEST_CASE("a table drawn with bars has a line of dashes") {
  const std::string drawn = "a table drawn with bars and dashes, as in Markdown";
  CHECK(kind("| a | b |\n|---|:-:|\n| 1 | 2 |\n") == drawn);
  CHECK(kind("+---+---+\n| a | b |\n+---+---+\n") == drawn);
  CHECK(kind(" a | b \n---+---\n 1 | 2\n") == drawn);
  CHECK(kind("a|b\n-|-\n") == "a table");
  CHECK(kind("a,b\n---\n") == "a table");
}
