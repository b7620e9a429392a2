#include "tools/tgn-train/data/live_nodes.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/text_file.h"
#include "tools/tgn-train/making/import.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

/// The nodes of what import makes of that text.
LiveNodes imported(const std::string& text, const std::string& ids, const std::string& bipartite) {
  const TextFile input(text, ".csv"), output("", ".safetensors");
  ImportOptions options;
  options.events = input.path();
  options.output = output.path();
  options.ids = ids;
  options.bipartite = bipartite;
  options.history_entry = "{}";
  import_events(options, [](const std::string&, std::uint64_t) {});
  return LiveNodes(EventStream(output.path()));
}

}  // namespace

TEST_CASE("nodes of an events file are found by what its input called them") {
  const std::string numbers = "0,1,5\n1,0,6\n2,1,7\n";
  LiveNodes one = imported(numbers, "number", "auto");
  CHECK(one.size() == 3);
  CHECK(one.find("2", true) == NodeId{2});
  CHECK(!one.find("3", false));
  CHECK(one.number("70", false) == 3);
  CHECK(one.number("70", true) == 3);

  LiveNodes two = imported(numbers, "number", "yes");  // sources 0 to 2, destinations 0 and 1
  CHECK(two.size() == 5);
  CHECK(two.find("1", false) == NodeId{1});
  CHECK(two.find("1", true) == NodeId{4});
  CHECK(two.number("2", true) == 5);
  CHECK(two.number("3", false) == 6);

  LiveNodes apart = imported("0,2,5\n1,3,6\n", "number", "auto");
  CHECK(!apart.naming().own_ids);
  CHECK(apart.find("3", true) == NodeId{3});

  LiveNodes names = imported("ann,bob,5\nbob,cy,6\n", "any", "no");
  CHECK(names.find("bob", true) == NodeId{1});
  CHECK(names.find("bob", false) == NodeId{1});
  LiveNodes pages = imported("ann,bob,5\nbob,cy,6\n", "any", "yes");
  CHECK(pages.find("bob", false) == NodeId{1});
  CHECK(pages.find("bob", true) == NodeId{2});
  CHECK(!pages.find("ann", true));
}

TEST_CASE("sources and destinations of their own are whole numbers each for themselves") {
  LiveNodes users = imported("7,B1,5\n7.0,B2,6\n007,B1,7\n", "any", "yes");
  CHECK(users.size() == 3);
  CHECK(users.find("7.00", false) == NodeId{0});
  CHECK(users.find("B2", true) == NodeId{2});
  CHECK(!users.naming().whole_destinations);
  LiveNodes items = imported("A,1e+05,5\nB,100000,6\n", "any", "yes");
  CHECK(items.size() == 3);
  CHECK(items.find("100000.0", true) == NodeId{2});
  CHECK(imported("7,B1,5\n7.0,B2,6\n", "any", "no").size() == 4);
}

TEST_CASE("keys of nodes are those that the nodes have in a longer stream") {
  // Of the longer stream items have other numbers: there is a user more.
  LiveNodes before = imported("0,1,5\n1,0,6\n", "number", "yes");
  const LiveNodes longer = imported("0,1,5\n1,0,6\n2,5,7\n", "number", "yes");
  CHECK(before.find("1", true) == NodeId{3});
  CHECK(longer.find("1", true) == NodeId{4});
  before.number("2", false);
  before.number("5", true);
  for (const char* const name : {"0", "1", "2", "5"}) {
    for (const bool as_destination : {false, true}) {
      const auto a = before.find(name, as_destination), b = longer.find(name, as_destination);
      if (!a || !b) continue;
      CHECK(before.keys()[*a] == longer.keys()[*b]);
    }
  }
  LiveNodes names = imported("ann,tea,5\n", "any", "yes");
  const LiveNodes more = imported("ann,tea,5\nbob,milk,6\n", "any", "yes");
  names.number("bob", false);
  names.number("milk", true);
  CHECK(names.keys()[*names.find("milk", true)] == more.keys()[*more.find("milk", true)]);
  CHECK(names.keys()[*names.find("bob", false)] == more.keys()[*more.find("bob", false)]);
  CHECK(names.keys()[*names.find("bob", false)] != names.keys()[*names.find("milk", true)]);
  LiveNodes again(names.naming());
  for (NodeId v = 0; v < names.size(); ++v) again.restore(names.stored().name(v));
  CHECK(std::equal(again.keys().begin(), again.keys().end(), names.keys().begin()));
}

TEST_CASE("nodes are restored in their order, and no name twice") {
  LiveNodes nodes(NodeNaming{true, true, 0});
  nodes.number("a", false);
  nodes.number("a", true);
  LiveNodes again(nodes.naming());
  for (NodeId v = 0; v < nodes.size(); ++v) again.restore(nodes.stored().name(v));
  CHECK(again.find("a", true) == NodeId{1});
  CHECK(error_of([&] { again.restore(nodes.stored().name(1)); }) ==
        "65 two nodes are called 'da', expected different names");
}
