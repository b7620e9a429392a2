#include "libcore/graph/temporal_csr.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

struct Stream {
  std::vector<NodeId> sources, destinations;
};

/// Many nodes with few events, some with very many, self loops.
Stream random_stream(std::size_t events, std::size_t nodes, std::uint64_t seed) {
  Stream stream;
  Rng rng(seed, 1);
  for (std::size_t e = 0; e < events; ++e) {
    const double x = rng.uniform();
    stream.sources.push_back(static_cast<NodeId>(x * x * x * static_cast<double>(nodes)));
    stream.destinations.push_back(static_cast<NodeId>(rng.uniform() * static_cast<double>(nodes)));
  }
  return stream;
}

using Rows = std::vector<std::vector<TemporalNeighbor>>;

Rows expected_rows(const Stream& s, std::size_t nodes, std::uint32_t limit,
                   const std::function<bool(std::uint32_t)>& keep) {
  Rows rows(nodes);
  for (std::uint32_t e = 0; e < std::min<std::size_t>(limit, s.sources.size()); ++e) {
    if (keep && !keep(e)) continue;
    rows[s.sources[e]].push_back({s.destinations[e], e});
    rows[s.destinations[e]].push_back({s.sources[e], e});
  }
  return rows;
}

void check_rows(const TemporalCsr& csr, const Rows& rows, std::uint32_t limit) {
  REQUIRE(csr.num_nodes() == rows.size());
  std::size_t wrong = 0;
  for (NodeId v = 0; v < rows.size(); ++v) {
    csr.prefetch(v);
    const auto row = csr.before(v, limit);
    wrong += !std::equal(row.begin(), row.end(), rows[v].begin(), rows[v].end(),
                         [](const TemporalNeighbor& a, const TemporalNeighbor& b) {
                           return a.node == b.node && a.event == b.event;
                         });
  }
  CHECK(wrong == 0);
}

struct Threads {
  explicit Threads(int n) : before(num_threads()) { set_num_threads(n); }
  ~Threads() { set_num_threads(before); }
  int before;
};

}  // namespace

TEST_CASE("Rows have the events of either role in the order of the stream") {
  const std::vector<NodeId> sources = {0, 2, 2, 0, 1}, destinations = {1, 1, 2, 1, 3};
  const TemporalCsr csr(sources, destinations, 5);
  const Stream stream{sources, destinations};
  for (std::uint32_t limit = 0; limit <= 6; ++limit) {
    check_rows(csr, expected_rows(stream, 5, limit, nullptr), limit);
  }
  REQUIRE(csr.before(2, 5).size() == 3);  // a self loop twice
  CHECK(csr.before(2, 5)[1].event == 2);
  CHECK(csr.before(2, 5)[2].event == 2);
  CHECK(csr.before(4, 5).empty());
}

TEST_CASE("Any number of threads makes the rows of a plain loop") {
  const std::size_t nodes = 3001;
  const Stream stream = random_stream(200000, nodes, 3);  // several parts
  const auto odd = [](std::uint32_t e) { return e % 3 != 1; };
  for (const int threads : {1, 2, 5}) {
    CAPTURE(threads);
    const Threads guard(threads);
    const TemporalCsr all(stream.sources, stream.destinations, nodes);
    const TemporalCsr kept(stream.sources, stream.destinations, nodes, odd);
    for (const std::uint32_t limit : {200000U, 123456U, 1U}) {
      check_rows(all, expected_rows(stream, nodes, limit, nullptr), limit);
      check_rows(kept, expected_rows(stream, nodes, limit, odd), limit);
    }
  }
}

TEST_CASE("Streams without events or nodes have empty rows") {
  CHECK(TemporalCsr().num_nodes() == 0);
  CHECK(TemporalCsr({}, {}, 0).num_nodes() == 0);
  const TemporalCsr csr({}, {}, 3);
  CHECK(csr.num_nodes() == 3);
  CHECK(csr.before(2, 7).empty());
}

}  // namespace frugal
