#include "tools/tgn-train/data/event_split.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"
#include "tools/tgn-train/data/event_file.h"
#include "tools/tgn-train/data/python_random.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

using Values = std::vector<std::uint32_t>;

/// A stream that a program in another language makes, too.
struct GeneratedStream {
  std::vector<NodeId> sources, destinations;
  std::vector<std::int64_t> whole;
  std::vector<double> real;

  GeneratedStream(std::size_t events, std::uint64_t nodes, std::uint64_t seed, std::uint64_t step,
                  bool is_real) {
    std::uint64_t x = seed;
    const auto draw = [&](std::uint64_t n) {
      x = x * 6364136223846793005U + 1442695040888963407U;
      return (x >> 33) % n;
    };
    std::int64_t time = 0;
    for (std::size_t e = 0; e < events; ++e) {
      sources.push_back(static_cast<NodeId>(draw(nodes)));
      const std::uint64_t limit = draw(nodes) + 1;
      destinations.push_back(static_cast<NodeId>(draw(limit)));
      time += static_cast<std::int64_t>(draw(step));
      if (is_real) {
        real.push_back(static_cast<double>(time) * 0.1);
      } else {
        whole.push_back(time);
      }
    }
  }

  void save(const std::string& path, std::size_t nodes) const {
    EventContent content;
    content.num_nodes = nodes;
    content.sources = sources;
    content.destinations = destinations;
    content.times = real.empty() ? EventTimes(std::span<const std::int64_t>(whole))
                                 : EventTimes(std::span<const double>(real));
    save_events(path, content);
  }
};

struct Expected {
  GeneratedStream stream;
  std::size_t nodes;
  EventSplitOptions options;
  std::uint64_t train, valid, test, new_valid, new_test, held_out, checksum;
};

void check(const Expected& expected) {
  const TextFile file("", ".safetensors");
  expected.stream.save(file.path(), expected.nodes);
  const EventStream stream(file.path());
  const EventSplit split(stream, expected.options);
  CHECK(split.num_events(EventPart::train) == expected.train);
  CHECK(split.num_events(EventPart::valid) == expected.valid);
  CHECK(split.num_events(EventPart::test) == expected.test);
  CHECK(split.num_new_node_events(EventPart::valid) == expected.new_valid);
  CHECK(split.num_new_node_events(EventPart::test) == expected.new_test);
  CHECK(split.begin(EventPart::train) == 0);
  CHECK(split.end(EventPart::train) == split.begin(EventPart::valid));
  CHECK(split.end(EventPart::valid) - split.begin(EventPart::valid) == expected.valid);
  CHECK(split.end(EventPart::test) == stream.num_events());
  std::uint64_t held_out = 0, checksum = 0;
  for (NodeId v = 0; v < expected.nodes; ++v) {
    if (split.trains(v, v)) continue;
    ++held_out;
    checksum += std::uint64_t{v} * v * v;
    CHECK(split.is_new(v));
  }
  CHECK(held_out == expected.held_out);
  CHECK(checksum == expected.checksum);
}

Values python_set(const Values& values) {
  PythonSet set;
  for (const std::uint32_t x : values) set.add(x);
  return set.values();
}

}  // namespace

TEST_CASE("Python's random numbers are repeated") {
  PythonRandom random(2020);
  CHECK(random.bits(32) == 2661459254);
  CHECK(random.bits(32) == 2660693840);
  PythonRandom wide(12345678901234);  // a seed of two words
  CHECK(wide.bits(32) == 107551873);
  CHECK(wide.bits(32) == 2403399316);
  CHECK(wide.bits(32) == 624174316);
  CHECK(wide.bits(7) == 105);
  PythonRandom samples(5);
  CHECK(samples.sample(20, 4) == Values{19, 8, 11, 16});  // from a list
  CHECK(samples.sample(1000, 7) ==
        Values{29, 860, 476, 794, 965, 255, 664});  // with a set of those drawn
}

TEST_CASE("Sets have Python's order") {
  CHECK(python_set({9, 1, 17, 25, 33, 8, 5, 100000, 65537, 3, 3, 9}) ==
        Values{100000, 33, 1, 65537, 3, 5, 8, 9, 17, 25});
  CHECK(python_set({40, 8, 16, 24}) == Values{40, 8, 16, 24});
  PythonSet a, b, c, d;
  for (const std::uint32_t x : {9U, 1U, 17U, 25U, 33U, 8U, 5U, 100000U, 65537U, 3U}) a.add(x);
  for (const std::uint32_t x : {40U, 8U, 16U, 24U}) b.add(x);
  CHECK(a.united(b).values() == Values{100000, 33, 1, 65537, 3, 5, 8, 9, 40, 16, 17, 24, 25});
  c.add(8), c.add(16), d.add(24), d.add(32);
  CHECK(c.united(d).values() == Values{8, 16, 32, 24});
  CHECK(PythonSet().united(PythonSet()).values().empty());
}

// Expected values: the algorithm of that program, run with Python 3.11 and numpy 2.4 on the same
// streams.
TEST_CASE("Parts and new nodes are those of twitter-research/tgn") {
  SUBCASE("few nodes") { check({{400, 60, 1, 3, false}, 60, {}, 235, 60, 60, 5, 9, 6, 502576}); }
  SUBCASE("ids beyond the hash table, fractional times") {
    check(
        {{1000, 100000, 2, 5, true}, 100000, {}, 700, 151, 149, 151, 149, 198, 34425470084811629U});
  }
  SUBCASE("events of one time at the cut") {
    check({{3000, 2000, 3, 2, false}, 2000, {}, 1754, 445, 450, 202, 199, 181, 370958103999});
  }
  SUBCASE("large sets, another seed") {
    check({{60000, 150000, 4, 9, true},
           150000,
           {.seed = 7},
           36757,
           9000,
           9000,
           7958,
           8012,
           7816,
           4256077315521823903U});
  }
  SUBCASE("a seed of two words") {
    check({{5000, 300, 5, 1000, false},
           300,
           {.seed = 12345678901234},
           2903,
           750,
           750,
           130,
           141,
           30,
           224288695});
  }
  SUBCASE("other quantiles and shares") {
    check({{2000, 5000, 6, 4, false},
           5000,
           {.train_until = 0.5, .valid_until = 0.9, .new_nodes = 0.3},
           683,
           800,
           200,
           770,
           193,
           785,
           15951338328930});
  }
  SUBCASE("few new nodes, which are drawn in another way") {
    check({{2000, 3000, 8, 3, false},
           3000,
           {.new_nodes = 0.005},
           1392,
           297,
           300,
           189,
           197,
           10,
           72932554303});
  }
  SUBCASE("a short part") {
    check({{500, 40, 9, 2, false},
           40,
           {.train_until = 0.61, .valid_until = 0.62},
           263,
           3,
           190,
           0,
           26,
           4,
           106991});
  }
}

TEST_CASE("Without new nodes all earlier events train") {
  const TextFile file("", ".safetensors");
  GeneratedStream(100, 20, 1, 3, false).save(file.path(), 21);
  const EventStream stream(file.path());
  const EventSplit split(stream, {.new_nodes = 0});
  CHECK(split.num_events(EventPart::train) == split.end(EventPart::train));
  CHECK(split.trains(3, 4));
  CHECK(split.is_new(20));  // a node without events
  CHECK(split.num_new_node_events(EventPart::train) == 0);
}

TEST_CASE("Streams that cannot be cut are refused") {
  const TextFile file("", ".safetensors");
  GeneratedStream(50, 20, 1, 1, false).save(file.path(), 20);  // all at time 0
  const EventStream stream(file.path());
  CHECK(error_of([&] { EventSplit split(stream, {}); }) ==
        "65 " + file.path() +
            ": 50 events, of which none is for validation: the parts are cut between times, "
            "expected more events or times");
  CHECK(error_of([&] { EventSplit split(stream, {.train_until = 0.9}); }).find("2 ") == 0);
  CHECK(error_of([&] { EventSplit split(stream, {.new_nodes = 1}); }).find("2 ") == 0);
}
