#include "tools/tgn-train/history/walk_projections.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/worst.h"
#include "tests/tools/tgn-train/evaluation/small_events.h"

using namespace frugal;
using namespace frugal::tgn;
using doctest::Approx;

namespace {

constexpr std::size_t kHops = 3;

/// A^0 to A^hops themselves, by their definition as sums over walks: the recursion is over the
/// events of a walk from the last to the first, none about projections.
struct WalkMatrices {
  const SmallEvents& events;
  double half_life;

  /// Walks of `steps` events before `end`, each earlier in the stream than the one before it.
  double walks(NodeId from, NodeId to, std::size_t steps, EventId end, std::int64_t now) const {
    if (steps == 0) return from == to ? 1 : 0;
    double sum = 0;
    for (EventId event = 0; event < end; ++event) {
      const NodeId u = events.sources[event], v = events.destinations[event];
      const double step = std::exp2(-static_cast<double>(now - events.times[event]) / half_life);
      if (u == from) sum += step * walks(v, to, steps - 1, event, now);
      if (v == from) sum += step * walks(u, to, steps - 1, event, now);
    }
    return sum;
  }
};

std::vector<double> expected_row(const WalkProjections& walks, const WalkMatrices& matrices,
                                 NodeId node, std::size_t hop, EventId event, std::size_t dim) {
  std::vector<double> row(dim);
  for (NodeId to = 0; to < matrices.events.num_nodes; ++to) {
    const double count = matrices.walks(node, to, hop, event, matrices.events.times[event]);
    const std::vector<float> base = walks.at(to, event);
    for (std::size_t i = 0; i < dim; ++i) row[i] += count * base[i];
  }
  return row;
}

}  // namespace

TEST_CASE("Rows are projections of the sums over walks, steps fading with their age") {
  SmallEvents small = drawn_events(14, 3, 12);
  small.add(2, 2, small.times.back() + 3);  // a node that meets itself
  small.add(2, 9, small.times.back() + 3);
  const WalkProjectionOptions options = {kHops, 24, 17, 5};
  WalkProjections walks(options, small.view().times, small.num_nodes);
  const WalkMatrices matrices{small, options.half_life};
  double largest = 0;
  for (EventId event = 0; event < small.sources.size(); ++event) {
    for (NodeId node = 0; node < small.num_nodes; ++node) {
      const std::vector<float> rows = walks.at(node, event);
      for (std::size_t hop = 0; hop <= kHops; ++hop) {
        const std::vector<double> expected =
            expected_row(walks, matrices, node, hop, event, options.dim);
        for (std::size_t i = 0; i < options.dim; ++i) {
          CHECK(std::abs(rows[hop * options.dim + i] - expected[i]) < 1e-5);
          largest = worse(largest, std::abs(expected[i]));
        }
      }
    }
    walks.add(small.sources[event], small.destinations[event], event);
  }
  CHECK(largest > 0.5);
}

TEST_CASE("Rows of the projection are nearly orthogonal unit vectors") {
  const WalkProjectionOptions options = {1, 256, 1, 3};
  SmallEvents small;
  small.num_nodes = 60;
  small.add(0, 1, 0);
  const WalkProjections walks(options, small.view().times, small.num_nodes);
  double squares = 0;
  for (NodeId u = 0; u < small.num_nodes; ++u) {
    for (NodeId v = 0; v <= u; ++v) {
      const std::vector<float> a = walks.at(u, 0), b = walks.at(v, 0);
      double product = 0;
      for (std::size_t i = 0; i < options.dim; ++i) product += a[i] * b[i];
      if (u == v) {
        CHECK(product == Approx(1));
      } else {
        CHECK(std::abs(product) < 0.35);
        squares += product * product;
      }
    }
  }
  // Each has the variance 1 / dim.
  CHECK(squares / (60 * 59 / 2.0) == Approx(1 / 256.0).epsilon(0.15));
}

TEST_CASE("Features are compressed products of the rows of both ends") {
  const SmallEvents small = drawn_events(200, 4, 13);
  const WalkProjectionOptions options = {2, 20, 50, 5};
  WalkProjections walks(options, small.view().times, small.num_nodes);
  for (EventId event = 0; event + 1 < small.sources.size(); ++event) {
    walks.add(small.sources[event], small.destinations[event], event);
  }
  const EventId last = static_cast<EventId>(small.sources.size() - 1);
  const NodeId source = small.sources[last];
  const std::vector<float> a = walks.at(source, last);
  CHECK(walks.num_features() == 12);
  CHECK(walks.names().size() == 12);
  CHECK(walks.names()[0] == "walks_1_0");
  CHECK(walks.names()[8] == "source_walks_1");
  const auto compressed = [&](const std::vector<float>& x, std::size_t i,
                              const std::vector<float>& y, std::size_t j) {
    double product = 0;
    for (std::size_t k = 0; k < options.dim; ++k) {
      product += double{x[i * options.dim + k]} * y[j * options.dim + k];
    }
    return std::log1p(std::max(0.0, product));
  };
  std::size_t positive = 0;
  for (NodeId candidate = 8; candidate < small.num_nodes; ++candidate) {
    const std::vector<float> b = walks.at(candidate, last);
    std::vector<double> expected;
    for (std::size_t j = 0; j <= 2; ++j) {
      for (std::size_t i = 0; i <= 2; ++i) {
        if (i + j > 0) expected.push_back(compressed(a, i, b, j));
      }
    }
    for (const auto* x : {&a, &b}) {
      for (std::size_t i = 1; i <= 2; ++i) expected.push_back(compressed(*x, i, *x, i));
    }
    std::vector<float> found(walks.num_features());
    walks.features(walks.source(source, last), candidate, last, found.data());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(found[i] == Approx(expected[i]).epsilon(1e-4));
      positive += found[i] > 0.01 ? 1 : 0;
    }
  }
  CHECK(positive > 20);
}

TEST_CASE("After a reset nothing is left of the past") {
  const SmallEvents small = drawn_events(50, 4, 14);
  const WalkProjectionOptions options = {2, 8, 50, 5};
  WalkProjections walks(options, small.view().times, small.num_nodes);
  const std::vector<float> fresh = walks.at(9, 20);
  for (EventId event = 0; event < 20; ++event) {
    walks.add(small.sources[event], small.destinations[event], event);
  }
  walks.reset();
  CHECK(walks.at(9, 20) == fresh);
}
