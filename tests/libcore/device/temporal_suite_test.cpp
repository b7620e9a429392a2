// The kernels of temporal graph networks for CUDA, in several orders of their threads, against
// libcore's own.
#include <cmath>
#include <numeric>

#include "tests/libcore/device/every_order.h"
#include "tests/libcore/device/suite_runner.h"

using namespace frugal;
using namespace frugal::device_test;

namespace {

constexpr std::size_t kParts = 64, kLateParts = 16;  // of sums over rows

bool near(std::span<const float> a, std::span<const float> b, double most) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double scale = std::max(1.0, std::abs(static_cast<double>(b[i])));
    if (!(std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])) <= most * scale)) {
      MESSAGE("number ", i, " is ", a[i], ", expected ", b[i]);
      return false;
    }
  }
  return true;
}

/// The parts [num_parts, columns] added up.
std::vector<float> added(const std::vector<float>& parts, std::size_t num_parts) {
  std::vector<float> sums(parts.size() / num_parts);
  for (std::size_t i = 0; i < parts.size(); ++i) sums[i % sums.size()] += parts[i];
  return sums;
}

/// Times between a second and a century.
std::vector<double> some_times(std::size_t n) {
  std::vector<double> times(n);
  for (std::size_t i = 0; i < n; ++i) times[i] = std::pow(10, static_cast<double>(i % 19) / 2);
  return times;
}

/// Three times as many numbers whose thirds add up to x.
std::vector<float> in_three_parts(const std::vector<float>& x) {
  std::vector<float> parts(3 * x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    parts[i] = x[i] / 2;
    parts[x.size() + i] = x[i] / 4;
    parts[2 * x.size() + i] = x[i] - x[i] / 2 - x[i] / 4;
  }
  return parts;
}

/// Whether numbers [begin, end) are there and 0.
bool zeros(std::span<const float> x, std::size_t begin, std::size_t end) {
  if (end > x.size()) return false;
  const std::span<const float> some = x.subspan(begin, end - begin);
  return std::all_of(some.begin(), some.end(), [](float number) { return number == 0; });
}

std::vector<std::uint32_t> one(std::size_t n) { return {static_cast<std::uint32_t>(n)}; }

}  // namespace

TEST_CASE("times are encoded as the CPU does, and so are their gradients") {
  const Suite suite;
  const std::size_t dim = 37;
  std::vector<float> w = random_floats(dim, 1), b = random_floats(dim, 2);
  for (std::size_t j = 0; j < dim; ++j) w[j] = std::pow(10.0F, -static_cast<float>(j) / 4);
  for (const std::size_t n : kSizes) {
    CAPTURE(n);
    std::vector<double> dt = some_times(n);
    std::vector<float> gradient = random_floats(n * dim, 3), expected(n * dim);
    std::vector<float> by_w(dim), by_b(dim);
    const TimeEncoding encoding{dt.data(), n, w.data(), b.data(), dim};
    kernels().time_encode(encoding, expected.data(), dim);
    kernels().time_encode_backward(encoding, gradient.data(), dim, by_w.data(), by_b.data());
    std::vector<std::uint32_t> rows = one(n);
    const std::size_t columns = 45;
    std::vector<float> weights = random_floats(dim * columns, 4), products(columns), zero(dim);
    const double never = 0;
    kernels().time_encode({&never, 1, w.data(), b.data(), dim}, zero.data(), dim);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      products[i % columns] += zero[i / columns] * weights[i];
    }
    in_every_order([&] {
      std::vector<float> out(n * dim), constant(columns), w_parts(kLateParts * dim);
      std::vector<float> b_parts(kLateParts * dim);
      suite.run("encode_times", {},
                {array("n", rows), array("dt", dt), array("w", w), array("b", b),
                 array("weights", weights)},
                {array("out", out), array("constant", constant)});
      CHECK(near(out, expected, 1e-6));
      CHECK(near(constant, products, 1e-5));
      suite.run("time_gradients", {},
                {array("n", rows), array("dt", dt), array("w", w), array("b", b),
                 array("gradient", gradient)},
                {array("by_w", w_parts), array("by_b", b_parts)});
      CHECK(near(added(b_parts, kLateParts), by_b, 1e-4));
      CHECK(near(added(w_parts, kLateParts), by_w, 1e-3));  // of terms up to 1e9
    });
  }
}

TEST_CASE("columns are summed, each row times a factor of its group") {
  const Suite suite;
  const std::size_t columns = 36, group = 12;
  for (const std::size_t n : {0, 1, 31, 33, 1000, 3000}) {
    CAPTURE(n);
    std::vector<float> x = random_floats(n * columns, 4);
    std::vector<float> factors = random_floats(n * columns / group, 5), expected(columns);
    for (std::size_t i = 0; i < x.size(); ++i) {
      expected[i % columns] +=
          x[i] * factors[i / columns * (columns / group) + i % columns / group];
    }
    std::vector<std::uint32_t> rows = one(n);
    in_every_order([&] {
      std::vector<float> sums(kParts * columns), late(kLateParts * columns);
      const std::vector<EngineArray> in{array("n", rows), array("x", x), array("factors", factors)};
      suite.run("column_sums", {{"group", std::to_string(group)}, {"beta", "0"}}, in,
                {array("sums", sums), array("late_sums", late)});
      CHECK(near(added(late, kLateParts), expected, 1e-4));
      CHECK(near(added(sums, kParts), expected, 1e-4));
      suite.run("column_sums", {{"group", std::to_string(group)}, {"beta", "0.5"}}, in,
                {array("sums", sums), array("late_sums", late)});
      for (float& sum : sums) sum /= 1.5F;
      CHECK(near(added(sums, kParts), expected, 1e-4));
    });
  }
}

TEST_CASE("gated recurrent units are the CPU's, forward and backward") {
  const Suite suite;
  const std::size_t dim = 21;
  for (const std::size_t n : kSizes) {
    CAPTURE(n);
    const EngineSettings settings{
        {"dim", std::to_string(dim)}, {"parts", "3"}, {"zero", std::to_string(2 * n)}};
    std::vector<float> rz = random_floats(2 * n * dim, 1), nx = random_floats(n * dim, 2);
    std::vector<float> nh = random_floats(n * dim, 3), own = random_floats(n * dim, 4);
    std::vector<float> dout = random_floats(n * dim, 5), made(n * dim);
    std::vector<std::uint32_t> rows = one(n), updates;
    for (std::size_t i = 0; i < n; ++i) {  // in the opposite order of slots
      updates.insert(updates.end(), {0, 0, 0, static_cast<std::uint32_t>(n - 1 - i)});
    }
    std::vector<float> rz2 = rz, nx2 = nx, nh2 = nh;
    const GruGates gates{n,   dim,        rz2.data(), 2 * dim,    nx2.data(),
                         dim, nh2.data(), dim,        own.data(), dim};
    kernels().gru_forward(gates, made.data(), dim);
    const std::vector<float> rz_forward = rz2;
    kernels().gru_backward(gates, dout.data(), dim, nullptr, 0);
    in_every_order([&] {
      std::vector<float> rz1 = in_three_parts(rz), nx1 = in_three_parts(nx);
      std::vector<float> nh1 = in_three_parts(nh), made1(n * dim), slots(n * dim);
      const std::vector<EngineArray> out{array("rz", rz1), array("nx", nx1), array("nh", nh1),
                                         array("made", made1), array("slots", slots)};
      suite.run("gru_forward", settings,
                {array("n", rows), array("updates", updates), array("own", own)}, out);
      CHECK(near(made1, made, 1e-6));
      CHECK(near({rz1.data(), rz.size()}, rz_forward, 1e-6));
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(std::equal(made1.begin() + static_cast<std::ptrdiff_t>(i * dim),
                         made1.begin() + static_cast<std::ptrdiff_t>((i + 1) * dim),
                         slots.begin() + static_cast<std::ptrdiff_t>((n - 1 - i) * dim)));
      }
      suite.run(
          "gru_backward", settings,
          {array("n", rows), array("updates", updates), array("own", own), array("dout", dout)},
          out);
      CHECK(near({rz1.data(), rz.size()}, rz2, 1e-5));
      CHECK(near({nx1.data(), nx.size()}, nx2, 1e-5));
      CHECK(near({nh1.data(), nh.size()}, nh2, 1e-5));
      for (const std::vector<float>* d : {&rz1, &nx1, &nh1}) {
        CHECK(zeros(*d, d->size() / 3, 2 * d->size() / 3));
        CHECK(!zeros(*d, 2 * d->size() / 3, d->size() + (n == 0 ? 1 : 0)));
      }
    });
  }
}

namespace {

/// An attention of some queries, every third without neighbours.
struct AttentionCase {
  AttentionCase(std::size_t queries, std::size_t heads)
      : n(queries), h(heads), offsets(queries + 1) {
    for (std::size_t q = 0; q < n; ++q) {
      offsets[q + 1] = offsets[q] + static_cast<std::uint32_t>(q % 3 == 1 ? 0 : 1 + q % 40);
    }
    entries = offsets.back();
    Rng rng(11);
    for (std::size_t e = 0; e < entries; ++e) {
      rows.push_back(static_cast<std::uint32_t>(rng.below(kBelow)));
      events.push_back(static_cast<std::uint32_t>(rng.below(kEvents)));
      neighbors.insert(neighbors.end(), {rows.back(), events.back()});
    }
    below = random_floats(kBelow * kDim, 1);
    edges = random_floats(kEvents * kEdge, 2);
    times = random_floats(entries * kTime, 3);
    query = random_floats(n * h * kWidth, 4);
    dout = random_floats(n * h * kWidth, 5);
    dvalues = random_floats(n * h, 6);
    bias = random_floats(h, 7);
    of_queries = random_floats(n * kDim, 8);
    for (std::size_t i = 0; i < n * h; ++i) dsums.push_back(dvalues[i] * bias[i % h]);
    for (std::size_t i = 0; i < entries * h; ++i) keep.push_back(1);
    if (!keep.empty()) {
      kernels().dropout(keep.data(), keep.size(), kKey, kThreshold, kFactor);
    }
    run_on_cpu();
  }

  void run_on_cpu() {
    std::vector<float> edge_rows;
    for (const std::uint32_t event : events) {
      const float* row = edges.data() + event * kEdge;
      edge_rows.insert(edge_rows.end(), row, row + kEdge);
    }
    weights.resize(entries * h);
    out.resize(n * h * kWidth);
    sums.resize(n * h);
    dquery.resize(out.size());
    dbelow.resize(entries * kDim);
    dtimes.resize(entries * kTime);
    Attention a;
    a.num_parts = 3;
    a.parts[0] = {below.data(), kDim, kDim, rows.data(), dbelow.data(), kDim, nullptr};
    a.parts[1] = {edge_rows.data(), kEdge, kEdge, nullptr, nullptr, 0, nullptr};
    a.parts[2] = {times.data(), kTime, kTime, nullptr, dtimes.data(), kTime, nullptr};
    a.offsets = offsets.data();
    a.num_queries = n;
    a.heads = h;
    a.query = query.data();
    a.query_stride = h * kWidth;
    a.scale = 0.3F;
    a.weights = weights.data();
    a.keep = keep.data();
    a.out = out.data();
    a.out_stride = h * kWidth;
    a.sums = sums.data();
    kernels().attention_forward(a);
    kernels().attention_backward(a, dout.data(), h * kWidth, dsums.data(), dquery.data(),
                                 h * kWidth);
    for (std::size_t i = 0; i < n * h; ++i) values.push_back(sums[i] * bias[i % h]);
    list();
  }

  /// Lists of one to three rows: neighbours, and behind them queries, some in none.
  void list() {
    Rng rng(12);
    const std::size_t all = entries + n;
    begin = {0};
    for (std::uint32_t i = 0; i < all; i += 2) {
      from.push_back(i);
      if (rng.below(3) != 0) from.push_back(static_cast<std::uint32_t>(all - 1 - i / 2 % all));
      if (rng.below(2) != 0) begin.push_back(static_cast<std::uint32_t>(from.size()));
    }
    begin.push_back(static_cast<std::uint32_t>(from.size()));
    begin.push_back(begin.back());  // an empty list
    below_sums.resize((begin.size() - 1) * kDim);
    for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
      for (std::size_t i = begin[r]; i < begin[r + 1]; ++i) {
        const float* row = from[i] < entries ? dbelow.data() + from[i] * kDim
                                             : of_queries.data() + (from[i] - entries) * kDim;
        for (std::size_t k = 0; k < kDim; ++k) below_sums[r * kDim + k] += row[k];
      }
    }
  }

  static constexpr std::size_t kDim = 12, kEdge = 5, kTime = 7, kWidth = kDim + kEdge + kTime;
  static constexpr std::size_t kBelow = 30, kEvents = 50;
  static constexpr std::uint32_t kKey = 123, kThreshold = 0x40000000;
  static constexpr float kFactor = 4.0F / 3;
  std::size_t n, h, entries = 0;
  std::vector<std::uint32_t> offsets, rows, events, neighbors, begin, from;
  std::vector<float> below, edges, times, query, bias, dout, dvalues, dsums, of_queries, keep;
  std::vector<float> weights, out, sums, values, dquery, dbelow, dtimes;  ///< the CPU's
  std::vector<float> below_sums;                                          ///< of lists
};

}  // namespace

TEST_CASE("attention over neighbours is the CPU's, forward and backward, list by list") {
  const Suite suite;
  for (const std::size_t n : {0, 1, 33}) {
    for (const std::size_t heads : {1, 2, 3}) {
      CAPTURE(n);
      CAPTURE(heads);
      AttentionCase c(n, heads);
      const std::size_t num_lists = c.begin.size() - 1, zero = std::max(n, num_lists) + 2;
      const EngineSettings settings{{"heads", std::to_string(heads)},
                                    {"zero", std::to_string(zero)},
                                    {"scale", "0.3"},
                                    {"below_dim", std::to_string(AttentionCase::kDim)},
                                    {"edge_dim", std::to_string(AttentionCase::kEdge)},
                                    {"time_dim", std::to_string(AttentionCase::kTime)},
                                    {"threshold", std::to_string(AttentionCase::kThreshold)},
                                    {"factor", "1.33333337"}};
      std::vector<std::uint32_t> rows = one(n), count = one(c.entries), key = {AttentionCase::kKey};
      const std::vector<EngineArray> in{
          array("n", rows),        array("count", count),       array("key", key),
          array("below", c.below), array("edges", c.edges),     array("times", c.times),
          array("query", c.query), array("offsets", c.offsets), array("neighbors", c.neighbors),
          array("bias", c.bias)};
      in_every_order([&] {
        std::vector<float> weights(c.weights.size()), kept(weights.size()), out(c.out.size());
        std::vector<float> sums(c.sums.size()), values(c.values.size());
        std::vector<std::uint32_t> owner(c.entries);
        std::vector<EngineArray> results{array("weights", weights), array("kept", kept),
                                         array("owner", owner),     array("out", out),
                                         array("sums", sums),       array("values", values)};
        suite.run("attention_forward", settings, in, results);
        CHECK(near(weights, c.weights, 1e-5));
        CHECK(near(out, c.out, 1e-5));
        CHECK(near(sums, c.sums, 1e-5));
        CHECK(near(values, c.values, 1e-5));
        for (std::size_t i = 0; i < kept.size(); ++i) {
          CHECK((kept[i] == 0) == (c.keep[i] == 0));
        }
        std::vector<float> dscores(weights.size()), dtimes(c.dtimes.size());
        std::vector<float> dquery(zero * heads * AttentionCase::kWidth, 7.0F);
        std::vector<float> dbelow(zero * AttentionCase::kDim, 7.0F);
        std::vector<std::uint32_t> lists = one(num_lists);
        std::vector<EngineArray> all = in;
        for (EngineArray& more :
             std::vector<EngineArray>{array("dout", c.dout), array("dvalues", c.dvalues),
                                      array("rows", lists), array("begin", c.begin),
                                      array("from", c.from), array("of_queries", c.of_queries)}) {
          all.push_back(more);
        }
        for (EngineArray& more :
             std::vector<EngineArray>{array("dscores", dscores), array("dquery", dquery),
                                      array("dbelow", dbelow), array("dtimes", dtimes)}) {
          results.push_back(more);
        }
        suite.run("attention_backward", settings, all, results);
        CHECK(near({dquery.data(), c.dquery.size()}, c.dquery, 1e-4));
        CHECK(zeros(dquery, c.dquery.size(), dquery.size()));
        CHECK(near({dbelow.data(), c.below_sums.size()}, c.below_sums, 1e-4));
        CHECK(zeros(dbelow, c.below_sums.size(), dbelow.size()));
        CHECK(near(dtimes, c.dtimes, 1e-4));
      });
    }
  }
}
