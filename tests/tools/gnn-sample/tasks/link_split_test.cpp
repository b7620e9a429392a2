#include "tools/gnn-sample/tasks/link_split.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "tests/support/text_file.h"
#include "tests/tools/gnn-sample/inputs/small_graph.h"
#include "tests/tools/gnn-sample/inputs/typed_graph.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

std::string split_error(const std::string& text) {
  const TextFile graph_file("", ".safetensors"), file(text);
  Document document = small_bare_graph();
  add_names(document, {"a", "b", "c", "d,e"});
  write_document(graph_file.path(), document);
  const StoredGraph graph(graph_file.path());
  std::string error = error_of([&] { LinkSplit::read(file.path(), LinkRelation(graph)); });
  const std::size_t at = error.find(file.path());
  if (at != std::string::npos) error.replace(at, file.path().size(), "FILE");
  return error;
}

}  // namespace

TEST_CASE("a split that is read holds out its pairs in both directions, edges or not") {
  Document document = small_bare_graph();
  add_names(document, {"a", "b", "c", "d,e"});
  const StoredDocument stored(document);
  const StoredGraph graph = stored.open();
  const TextFile file(
      "source,target,part\nb,a,valid\nb,c,test\n\"d,e\",a,test\n\"d,e\",b,train\nb,a,val\n");
  const LinkRelation relation(graph);
  const LinkSplit split = LinkSplit::read(file.path(), relation);
  CHECK(split.part(relation.key(0, 1)) == Part::valid);
  CHECK(split.part(relation.key(1, 0)) == Part::valid);
  CHECK(split.part(relation.key(0, 3)) == Part::test);
  CHECK(split.part(relation.key(2, 0)) == Part::train);
  const SplitLinks links(relation, split);
  // 2->0, 1->3 and 2->3 are left; the edge of node 2 to itself is no link.
  REQUIRE(links.train.size() == 3);
  CHECK(links.train[0].source == 2);
  CHECK(links.train[0].target == 0);
  REQUIRE(links.valid.size() == 1);
  CHECK(links.valid[0].source == 1);
  REQUIRE(links.test.size() == 2);
  CHECK(links.test[0].target == 2);
  CHECK(links.test[1].source == 3);
  // A split that is written is read again as the same split.
  const TextFile written("");
  write_held_out(written.path(), relation, split, links);
  std::ostringstream text;
  text << std::ifstream(written.path()).rdbuf();
  CHECK(text.str() == "source,target,part\nb,a,valid\nb,c,test\n\"d,e\",a,test\n");
  const SplitLinks again(relation, LinkSplit::read(written.path(), relation));
  CHECK(again.train.size() == 3);
  CHECK(again.valid.size() == 1);
  CHECK(again.test.size() == 2);
}

TEST_CASE("negatives of a part are read and written, in one direction") {
  Document document = small_bare_graph();
  add_names(document, {"a", "b", "c", "d,e"});
  const StoredDocument stored(document);
  const StoredGraph graph = stored.open();
  const LinkRelation relation(graph);
  const TextFile file(
      "source,target,part\nb,a,valid\nb,c,test\nc,a,valid-shared-negative\n"
      "\"d,e\",b,test-negative\nb,\"d,e\",test-negative\nb,a,test-negative\n"
      "c,b,test-negative\n");
  const LinkSplit split = LinkSplit::read(file.path(), relation);
  CHECK(split.negatives(Part::valid).shared);
  REQUIRE(split.negatives(Part::valid).pairs.size() == 1);
  CHECK(split.negatives(Part::valid).pairs[0].source == 2);
  CHECK(split.negatives(Part::valid).pairs[0].target == 0);
  CHECK(!split.negatives(Part::test).shared);
  // The reverse of the test pair is left out, a validation pair is not.
  REQUIRE(split.negatives(Part::test).pairs.size() == 3);
  // They are in no part: the edge from c to a is trained on.
  CHECK(split.part(relation.key(2, 0)) == Part::train);
  const TextFile written("");
  write_held_out(written.path(), relation, split, SplitLinks(relation, split));
  std::ostringstream text;
  text << std::ifstream(written.path()).rdbuf();
  CHECK(text.str() ==
        "source,target,part\nb,a,valid\nc,a,valid-shared-negative\nb,c,test\n"
        "b,\"d,e\",test-negative\nb,a,test-negative\n\"d,e\",b,test-negative\n");
}

TEST_CASE("negatives that edges cannot be ranked among are refused") {
  CHECK(split_error("a,b,test\nc,c,test-negative\n").starts_with("65 FILE:2: both ends are the"));
  CHECK(split_error("a,b,test\nb,c,train-negative\n").starts_with("65 FILE:2: expected source,"));
  CHECK(split_error("a,b,test\na,c,test-negative\nc,b,test-shared-negative\n") ==
        "65 FILE:3: lines before have negatives of test-negative, expected one kind in a part");
  CHECK(split_error("a,b,test\nb,a,test-shared-negative\n") ==
        "65 FILE: no pair of test-shared-negative is left, expected at least one");
  CHECK(split_error("a,b,test\nb,c,valid-negative\n") ==
        "65 FILE: has valid-negative and no valid, expected edges to rank among them");
  CHECK(split_error("a,b,test\nc,b,test\na,\"d,e\",test-negative\n") ==
        "65 FILE: c,b,test: no test-negative has this source, expected some for each edge, or "
        "test-shared-negative for all edges together");
}

TEST_CASE("lines that are no pair and part are refused with their place") {
  CHECK(
      split_error("a,b,valid\nb,x,test\n") ==
      "65 FILE:2: expected source,target,part: the names of two nodes and train, valid or test, "
      "or valid or test with -negative or -shared-negative, separated by commas, found 'b,x,test'");
  CHECK(split_error("a,b\n").starts_with("65 FILE:1: expected source,target,part: the names"));
  CHECK(split_error("a,b,hold\n").starts_with("65 FILE:1: expected source,target,part: the names"));
  CHECK(split_error("a,b,valid,1\n")
            .starts_with("65 FILE:1: expected source,target,part: the names"));
  CHECK(split_error("a,b,valid\nb,a,test\n").starts_with("65 FILE:2: these nodes are in another"));
  CHECK(split_error("c,c,valid\n").starts_with("65 FILE:1: both ends are the same node"));
  CHECK(split_error("b,c,train\n").starts_with("65 FILE:1: this pair is no edge of "));
  CHECK(split_error("a,b,test\n\"d,e\",a,train\nc,b,train\n")
            .starts_with("65 FILE:3: this pair is no edge of "));
  // Neither of these is a header.
  for (const char* first : {"{\"source\":1,\"target\":2,\"part\":\"test\"}\n", "src,dst,split\n",
                            "# a comment\n", "\n", "source\ttarget\tpart\n"}) {
    CHECK(split_error(first + std::string("a,b,test\n"))
              .starts_with("65 FILE:1: expected source,target,part: the names"));
  }
  CHECK(split_error("a,b,train\n").starts_with("65 FILE: holds out no edge"));
  CHECK(split_error("").starts_with("65 FILE: holds out no edge"));
}

TEST_CASE("pairs of two types have a direction, and ends by the names of their types") {
  TypedGraphFile graph_file;
  graph_file.add_nodes("author", 3, {"ann", "bob", "cy"});
  graph_file.add_nodes("paper", 4);
  graph_file.add_edges("author", "writes", "paper", {{0, 0}, {1, 0}, {1, 1}, {2, 1}});
  const StoredGraph graph = graph_file.open();
  const LinkRelation relation(graph, 0);
  const TextFile file("ann,0,valid\nbob,1,test\ncy,3,test\ncy,3,test\nbob,0,train\n");
  const LinkSplit split = LinkSplit::read(file.path(), relation);
  CHECK(split.part(relation.key(0, 0)) == Part::valid);
  CHECK(split.part(relation.key(1, 1)) == Part::test);
  CHECK(split.part(relation.key(1, 0)) == Part::train);
  CHECK(split.part(relation.key(0, 1)) == Part::train);
  const SplitLinks links(relation, split);
  CHECK(links.train.size() == 2);
  CHECK(links.test.size() == 2);
  const TextFile written("");
  write_held_out(written.path(), relation, split, links);
  std::ostringstream text;
  text << std::ifstream(written.path()).rdbuf();
  CHECK(text.str() == "source,target,part\nann,0,valid\nbob,1,test\ncy,3,test\n");
  const auto error = [&](const std::string& lines) {
    const TextFile bad(lines);
    return error_of([&] { LinkSplit::read(bad.path(), relation); }).substr(3 + bad.path().size());
  };
  CHECK(error("0,ann,valid\n") ==
        ":1: expected source,target,part: the name of a node of type author, the number of a node "
        "below 4 of type paper and train, valid or test, or valid or test with "
        "-negative or -shared-negative, separated by commas, found '0,ann,valid'");
  CHECK(error("ann,4,valid\n").starts_with(":1: expected source,target,part"));
  CHECK(error("ann,1,train\nbob,1,test\n").starts_with(":1: this pair is no edge of "));
  CHECK(error("ann,0,valid\nann,0,test\n") ==
        ":2: these nodes are in another part before, expected each pair in one part");
}
