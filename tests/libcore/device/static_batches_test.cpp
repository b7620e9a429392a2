#include "libcore/device/static_batches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/device/size_class.h"
#include "libcore/device/size_ladder.h"

using namespace frugal;

TEST_CASE("a size class holds its number, is its own class and wastes little") {
  std::uint64_t before = 0;
  for (const std::uint64_t steps : {1, 2, 8}) {
    before = 0;
    for (std::uint64_t n = 0; n < 5000; ++n) {
      const std::uint64_t size = size_class(n, steps);
      REQUIRE(size >= n);
      REQUIRE(size_class(size, steps) == size);
      REQUIRE(size >= before);  // never falls
      REQUIRE((size - n) * steps <= n);
      before = size;
    }
  }
  CHECK(size_class(1000, 1) == 1024);
  CHECK(size_class(1000, 2) == 1024);
  CHECK(size_class(700, 2) == 768);
  CHECK(size_class(700, 8) == 704);
}

TEST_CASE("a ladder has few sizes that hold all that was observed, and refuses more in words") {
  const std::vector<std::uint64_t> observed{100, 101, 102, 103, 400, 1000, 1000, 990};
  const SizeLadder all("edges", observed, 100), three("edges", observed, 3),
      one("edges", observed, 1);
  CHECK(std::vector<std::uint64_t>(all.sizes().begin(), all.sizes().end()) ==
        std::vector<std::uint64_t>{104, 416, 1024});
  CHECK(three.sizes().size() == 3);
  CHECK(one.sizes().size() == 1);
  CHECK(one.sizes()[0] == 1024);
  // Moving 400 up costs 608, moving the four small ones costs 4 * 312.
  const SizeLadder two("edges", observed, 2);
  CHECK(two.sizes()[0] == 104);
  for (const std::uint64_t n : observed) {
    for (const SizeLadder* ladder : {&all, &two, &one}) {
      const std::size_t c = ladder->class_of(n);
      CHECK(ladder->sizes()[c] >= n);
      CHECK((c == 0 || ladder->sizes()[c - 1] < n));
    }
  }
  CHECK_THROWS_WITH_AS(all.class_of(1025),
                       "a batch of 1025 edges, expected at most 1024, the largest of its fixed "
                       "shapes; take smaller batches",
                       Error);
}

namespace {

const std::vector<BatchAxis> kAxes{{"nodes", true}, {"edges", false}, {"seeds", false, 7}};
const BatchArray kValues{"x", ArrayRole::values, 0, 0, Dtype::f32, 0, 3};
const BatchArray kEdges{"edge_index", ArrayRole::ids, 1, 0, Dtype::i32, 2};
const BatchArray kNodeMask{"nodes_mask", ArrayRole::mask, 0, 0, Dtype::boolean};
const BatchArray kEdgeMask{"edges_mask", ArrayRole::mask, 1, 0, Dtype::boolean};

/// A graph whose nodes sum the values of their neighbours.
struct Graph {
  std::size_t nodes = 0, edges = 0;
  std::vector<float> x;
  std::vector<std::uint32_t> ends;  ///< [2, edges]
};

Graph random_graph(Rng& rng) {
  Graph g{1 + rng.below(40), rng.below(100), {}, {}};
  for (std::size_t i = 0; i < 3 * g.nodes; ++i) g.x.push_back(static_cast<float>(rng.below(1000)));
  for (std::size_t i = 0; i < 2 * g.edges; ++i) {
    g.ends.push_back(static_cast<std::uint32_t>(rng.below(g.nodes)));
  }
  return g;
}

template <class T>
std::vector<T> padded(const BatchArray& array, const BatchShape& shape, std::size_t count,
                      const void* from) {
  std::vector<T> to(padded_bytes(array, shape) / sizeof(T), T(77));
  pad_array(kAxes, array, shape, count, from, to.data());
  return to;
}

std::vector<float> sums(const std::vector<float>& x, const std::vector<std::uint32_t>& ends) {
  std::vector<float> out(x.size());
  const std::size_t edges = ends.size() / 2;
  for (std::size_t e = 0; e < edges; ++e) {
    for (std::size_t c = 0; c < 3; ++c) out[3 * ends[edges + e] + c] += x[3 * ends[e] + c];
  }
  return out;
}

}  // namespace

TEST_CASE("padding changes no row, ids stay in range, masks sum to counts") {
  Rng rng(5);
  std::vector<Graph> graphs;
  std::vector<BatchShape> counts;
  for (int i = 0; i < 50; ++i) {
    graphs.push_back(random_graph(rng));
    counts.push_back({graphs.back().nodes, graphs.back().edges, 5});
  }
  for (const std::size_t most : {1, 3}) {
    const BatchShapes shapes = BatchShapes::choose(kAxes, counts, 1, most);
    CHECK(shapes.shapes.size() <= most);
    for (std::size_t b = 0; b < graphs.size(); ++b) {
      const Graph& g = graphs[b];
      const BatchShape& shape = shapes.shapes[shapes.of_batch[b]];
      REQUIRE(shape[0] >= g.nodes + 1);
      REQUIRE(shape[1] >= g.edges);
      REQUIRE(shape[2] == 7);
      CHECK(padded_shape(kValues, shape) == std::vector<std::uint64_t>{shape[0], 3});
      CHECK(padded_shape(kEdges, shape) == std::vector<std::uint64_t>{2, shape[1]});
      const auto x = padded<float>(kValues, shape, g.nodes, g.x.data());
      const auto ends = padded<std::uint32_t>(kEdges, shape, g.edges, g.ends.data());
      const auto nodes = padded<std::uint8_t>(kNodeMask, shape, g.nodes, nullptr);
      const auto edges = padded<std::uint8_t>(kEdgeMask, shape, g.edges, nullptr);
      CHECK(std::equal(g.x.begin(), g.x.end(), x.begin() + 3));
      CHECK(std::accumulate(x.begin(), x.begin() + 3, 0.0F) == 0);
      CHECK(*std::max_element(ends.begin(), ends.end()) < shape[0]);
      for (std::size_t e = 0; e < shape[1]; ++e) {
        // Real edges lie between real nodes, the others at the dummy.
        CHECK((ends[e] != 0) == (e < g.edges));
        CHECK(nodes[ends[shape[1] + e]] == edges[e]);
      }
      CHECK(std::accumulate(nodes.begin(), nodes.end(), std::size_t{0}) == g.nodes);
      CHECK(std::accumulate(edges.begin(), edges.end(), std::size_t{0}) == g.edges);
      const std::vector<float> plain = sums(g.x, g.ends), fixed = sums(x, ends);
      CHECK(std::equal(plain.begin(), plain.end(), fixed.begin() + 3));
    }
  }
}

TEST_CASE("a file has the batches of each shape behind each other, and their numbers") {
  StaticBatches batches{
      kAxes, {kValues, kEdgeMask}, {{1, 2, 3}, {9, 60, 3}, {2, 1, 3}}, {}, nullptr};
  batches.shapes = BatchShapes::choose(batches.axes, batches.counts, 1, 2);
  std::vector<float> x;
  batches.rows = [&](std::size_t batch, std::size_t array) -> const void* {
    CHECK(array < 2);
    x.assign(3 * batches.counts[batch][0], static_cast<float>(batch + 1));
    return x.data();
  };
  Document document;
  RowFillers fillers;
  batches.add_to(document, fillers);
  REQUIRE(batches.shapes.shapes == std::vector<BatchShape>{{3, 2, 7}, {10, 60, 7}});
  CHECK(batches.real_share(1) == doctest::Approx(63.0 / 64));
  const auto numbers = document.at("batches.0.number").as<std::int64_t>();
  CHECK(std::vector<std::int64_t>(numbers.begin(), numbers.end()) ==
        std::vector<std::int64_t>{0, 2});
  CHECK(document.at("batches.0.x").shape == Shape{2, 3, 3});
  CHECK(document.at("batches.1.x").shape == Shape{1, 10, 3});
  CHECK(document.at("batches.0.edges_mask").dtype == Dtype::boolean);
  std::vector<float> made(2 * 9);
  fillers.at("batches.0.x")({}, 0, 2, std::as_writable_bytes(std::span(made)));
  CHECK(made == std::vector<float>{0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 3, 3});
  std::vector<float> last(9);
  fillers.at("batches.0.x")({}, 1, 2, std::as_writable_bytes(std::span(last)));
  CHECK(std::equal(last.begin(), last.end(), made.begin() + 9));
}
