#include "tools/tgn-train/data/event_generator.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace frugal;
using namespace frugal::tgn;

namespace {

GeneratorOptions small() {
  GeneratorOptions options;
  options.nodes = 1200;
  options.sources = 1000;
  options.events = 20000;
  options.duration = 100000;
  options.exponent = 2.5;
  options.recurrence = 0.6;
  options.features = 3;
  options.seed = 5;
  return options;
}

/// All destinations, made in pieces of that many.
std::vector<NodeId> destinations(const GeneratorOptions& options, std::size_t piece) {
  EventGenerator generator(options);
  std::vector<NodeId> all(options.events);
  for (std::size_t begin = 0; begin < all.size(); begin += piece) {
    generator.destinations(begin,
                           std::span(all).subspan(begin, std::min(piece, all.size() - begin)));
  }
  return all;
}

std::vector<NodeId> sources(const GeneratorOptions& options) {
  std::vector<NodeId> all(options.events);
  EventGenerator(options).sources(0, all);
  return all;
}

}  // namespace

TEST_CASE("Pieces of any length make the same stream") {
  const GeneratorOptions options = small();
  CHECK(destinations(options, 20000) == destinations(options, 777));
  const EventGenerator generator(options);
  std::vector<std::int64_t> all(options.events), piece(10);
  generator.times(0, all);
  generator.times(500, piece);
  CHECK(std::equal(piece.begin(), piece.end(), all.begin() + 500));
  std::vector<float> rows(options.events * 3), row(3);
  generator.features(0, rows);
  generator.features(19999, row);
  CHECK(std::equal(row.begin(), row.end(), rows.end() - 3));
}

TEST_CASE("Times never fall, and are as many as asked for") {
  GeneratorOptions options = small();
  std::vector<std::int64_t> times(options.events);
  EventGenerator(options).times(0, times);
  CHECK(std::is_sorted(times.begin(), times.end()));
  CHECK(times.front() >= 0);
  CHECK(times.back() < 100000);
  CHECK(times.back() > 99900);
  options.distinct_times = 728;
  EventGenerator(options).times(0, times);
  CHECK(std::is_sorted(times.begin(), times.end()));
  CHECK(std::set<std::int64_t>(times.begin(), times.end()).size() == 728);
}

TEST_CASE("Sources come back to their last partners as often as asked for") {
  GeneratorOptions options = small();
  EventGenerator generator(options);
  std::vector<NodeId> to(options.events);
  generator.destinations(0, to);
  // A source's first event repeats none, and some fresh partners are known by chance.
  const double share = static_cast<double>(generator.recurring()) / 20000;
  CHECK(share > 0.57);
  CHECK(share < 0.72);
  options.recurrence = 0;
  EventGenerator fresh(options);
  fresh.destinations(0, to);
  CHECK(fresh.recurring() == 0);
}

TEST_CASE("The two kinds are apart, and no node of one kind meets itself") {
  GeneratorOptions options = small();
  for (const NodeId v : sources(options)) CHECK(v < 1000);
  for (const NodeId v : destinations(options, 20000)) CHECK((v >= 1000 && v < 1200));
  options.sources = 0;
  options.nodes = 5;
  options.recurrence = 0;
  const auto from = sources(options), to = destinations(options, 20000);
  std::size_t loops = 0;
  for (std::size_t e = 0; e < from.size(); ++e) loops += from[e] == to[e];
  CHECK(loops == 0);
}

TEST_CASE("Degrees follow the power law") {
  GeneratorOptions options = small();
  options.sources = 0;
  options.nodes = 10000;
  options.events = 200000;
  options.exponent = 2;  // shares of 1 / rank
  std::vector<std::size_t> degrees(options.nodes);
  for (const NodeId v : sources(options)) ++degrees[v];
  std::sort(degrees.rbegin(), degrees.rend());
  // The integral of 1 / x over [k, k + 1) of that over [1, 10001): 0.0753 for the first, 0.2603
  // for the first ten.
  CHECK(static_cast<double>(degrees[0]) / 200000 == doctest::Approx(0.0753).epsilon(0.03));
  std::size_t ten = 0;
  for (int i = 0; i < 10; ++i) ten += degrees[static_cast<std::size_t>(i)];
  CHECK(static_cast<double>(ten) / 200000 == doctest::Approx(0.2603).epsilon(0.03));
}

TEST_CASE("Edge types have popular destinations of their own, and pieces of any length") {
  GeneratorOptions options = small();
  options.types = 4;
  CHECK(destinations(options, 20000) == destinations(options, 777));
  std::vector<std::uint16_t> types(options.events), piece(10);
  const EventGenerator generator(options);
  generator.types(0, types);
  generator.types(500, piece);
  CHECK(std::equal(piece.begin(), piece.end(), types.begin() + 500));
  const std::vector<NodeId> all = destinations(options, 20000);
  std::set<std::uint64_t> most_popular;
  for (std::uint16_t type = 0; type < 4; ++type) {
    std::vector<std::size_t> counts(options.nodes);
    for (std::size_t e = 0; e < all.size(); ++e) counts[all[e]] += types[e] == type ? 1 : 0;
    const auto most = std::max_element(counts.begin(), counts.end());
    most_popular.insert(static_cast<std::uint64_t>(most - counts.begin()));
    CHECK(std::count(types.begin(), types.end(), type) > 4500);
    CHECK(*most > 200);
  }
  CHECK(most_popular.size() == 4);
}
