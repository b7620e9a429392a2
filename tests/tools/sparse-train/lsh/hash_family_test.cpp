#include "tools/sparse-train/lsh/hash_family.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "libcore/base/rng.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

constexpr std::size_t kDim = 64;
constexpr std::uint32_t kFunctions = 4000;

/// Two vectors; y is x with `noise` added. sparsity: share of coordinates that are zero in both.
struct Pair {
  std::vector<float> values = std::vector<float>(2 * kDim);

  Pair(double noise, double sparsity, bool positive, std::uint64_t seed) {
    Rng rng(seed);
    for (std::size_t i = 0; i < kDim; ++i) {
      const double a = rng.normal(), b = noise * rng.normal();
      if (rng.uniform() < sparsity) continue;
      const double x = positive ? std::max(a, 0.0) : a;
      values[i] = static_cast<float>(x);
      values[kDim + i] = static_cast<float>(positive ? std::max(a + b, 0.0) : a + b);
    }
  }
  const float* x() const { return values.data(); }
  const float* y() const { return values.data() + kDim; }
  MatrixView<const float> rows() const { return {values.data(), 2, kDim}; }
};

/// Share of functions that give both vectors the same value.
double collision_rate(HashKind kind, const Pair& pair, std::uint32_t bin = 8,
                      std::uint32_t top = 20) {
  const auto family = make_hash_family({kind, 1, kFunctions, bin, top, 7}, kDim);
  std::vector<std::uint32_t> values(2 * kFunctions);
  family->hash(pair.rows(), 0, kFunctions, values.data());
  std::size_t same = 0;
  for (std::size_t t = 0; t < kFunctions; ++t) same += values[t] == values[kFunctions + t] ? 1 : 0;
  return static_cast<double>(same) / kFunctions;
}

/// Four standard errors of a share of kFunctions independent draws, and what the formula leaves
/// out.
void check_rate(double rate, double expected, double bias = 0) {
  const double variance = std::max(0.0, expected * (1 - expected));  // sums may round above 1
  CHECK(std::abs(rate - expected) <= 4 * std::sqrt(variance / kFunctions) + bias + 1e-9);
}

double choose(double n, double k) {
  return n < k ? 0 : std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}

/// Probability that the largest of `bin` random coordinates is the same one in both, given that one
/// of them counts; wta: all count, dwta: those that are not zero.
double winner_rate(const Pair& pair, double bin, bool zeros_count) {
  double agreeing = 0, empty = 0;
  for (std::size_t i = 0; i < kDim; ++i) {
    if (!zeros_count && pair.x()[i] == 0 && pair.y()[i] == 0) ++empty;
    if (!zeros_count && (pair.x()[i] == 0 || pair.y()[i] == 0)) continue;
    double below = 0;
    for (std::size_t j = 0; j < kDim; ++j) {
      below += pair.x()[j] < pair.x()[i] && pair.y()[j] < pair.y()[i] ? 1 : 0;
    }
    agreeing += choose(below, bin - 1);
  }
  return agreeing / (choose(kDim, bin) - choose(empty, bin));
}

double jaccard_of_largest(const Pair& pair, std::size_t top) {
  const auto largest = [&](const float* v) {
    std::vector<std::size_t> order(kDim);
    for (std::size_t i = 0; i < kDim; ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return v[a] > v[b]; });
    std::set<std::size_t> set;
    for (std::size_t i = 0; i < top; ++i) {
      if (v[order[i]] > 0) set.insert(order[i]);
    }
    return set;
  };
  const auto a = largest(pair.x()), b = largest(pair.y());
  std::size_t both = 0;
  for (const std::size_t i : a) both += b.count(i);
  return static_cast<double>(both) / static_cast<double>(a.size() + b.size() - both);
}

}  // namespace

TEST_CASE("signs of random projections collide with probability 1 - angle / pi") {
  for (const double noise : {0.2, 0.7, 2.0, 20.0}) {
    CAPTURE(noise);
    const Pair pair(noise, 0, false, 3);
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < kDim; ++i) {
      xy += static_cast<double>(pair.x()[i]) * pair.y()[i];
      xx += static_cast<double>(pair.x()[i]) * pair.x()[i];
      yy += static_cast<double>(pair.y()[i]) * pair.y()[i];
    }
    const double expected = 1 - std::acos(xy / std::sqrt(xx * yy)) / std::acos(-1.0);
    // The formula is that of normal projections, which sums of 64 or 21 signs come close to.
    check_rate(collision_rate(HashKind::simhash_dense, pair), expected, 0.01);
    check_rate(collision_rate(HashKind::simhash, pair), expected, 0.01);
  }
}

TEST_CASE("winners take all as often as ranks agree") {
  for (const double noise : {0.05, 0.3, 1.0, 5.0}) {
    for (const std::uint32_t bin : {2U, 8U}) {
      CAPTURE(noise);
      CAPTURE(bin);
      const Pair pair(noise, 0, false, 4);
      check_rate(collision_rate(HashKind::wta, pair, bin), winner_rate(pair, bin, true));
      check_rate(collision_rate(HashKind::dwta, pair, bin), winner_rate(pair, bin, true));
    }
  }
}

TEST_CASE("densified winners collide as those of bins with something in them") {
  for (const double sparsity : {0.5, 0.9}) {
    for (const double noise : {0.3, 1.0}) {
      CAPTURE(sparsity);
      CAPTURE(noise);
      const Pair pair(noise, sparsity, true, 5);
      // A bin that borrows has lost the coordinates of the empty bins before: 2 points at most.
      check_rate(collision_rate(HashKind::dwta, pair), winner_rate(pair, 8, false), 0.02);
    }
  }
}

TEST_CASE("minwise hashes of the largest coordinates collide with their Jaccard similarity") {
  for (const double noise : {0.1, 0.5, 2.0}) {
    for (const double sparsity : {0.0, 0.8}) {
      for (const std::uint32_t top : {3U, 20U}) {
        CAPTURE(noise);
        CAPTURE(sparsity);
        CAPTURE(top);
        const Pair pair(noise, sparsity, false, 6);
        check_rate(collision_rate(HashKind::minhash, pair, 8, top), jaccard_of_largest(pair, top));
      }
    }
  }
}

TEST_CASE("a vector of zeros has a code, and equal vectors equal codes, in blocks of any size") {
  std::vector<float> x(40 * kDim);
  Rng rng(1);
  for (std::size_t i = 2 * kDim; i < x.size(); ++i) x[i] = static_cast<float>(rng.normal());
  std::copy_n(x.begin() + 5 * kDim, kDim, x.begin() + 33 * kDim);
  for (const HashKind kind : {HashKind::simhash, HashKind::simhash_dense, HashKind::wta,
                              HashKind::dwta, HashKind::minhash}) {
    CAPTURE(hash_name(kind));
    const auto family = make_hash_family({kind, 4, 6, 8, 10, 1}, kDim);
    std::vector<std::uint32_t> all(6 * 40), one(6 * 40);
    hash_codes(*family, {x.data(), 40, kDim}, 0, 6, 10, {all.data(), 6, 40});
    for (std::uint32_t t = 0; t < 6; ++t) {
      for (std::size_t i = 0; i < 40; ++i) {
        hash_codes(*family, {x.data() + i * kDim, 1, kDim}, t, t + 1, 10,
                   {&one[t * 40 + i], 1, 40});
        CHECK(all[t * 40 + i] < 1024);
      }
      CHECK(all[t * 40] == all[t * 40 + 1]);
      CHECK(all[t * 40 + 5] == all[t * 40 + 33]);
    }
    CHECK(one == all);
  }
}

TEST_CASE("codes are the values side by side where these fit, and a hash of them elsewhere") {
  const Pair pair(1, 0, false, 9);
  const auto family = make_hash_family({HashKind::simhash, 5, 3, 8, 10, 1}, kDim);
  std::vector<std::uint32_t> values(2 * 15), codes(6), short_codes(6);
  family->hash(pair.rows(), 0, 3, values.data());
  hash_codes(*family, pair.rows(), 0, 3, 5, {codes.data(), 3, 2});
  hash_codes(*family, pair.rows(), 0, 3, 4, {short_codes.data(), 3, 2});
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t t = 0; t < 3; ++t) {
      std::uint32_t expected = 0;
      for (std::size_t j = 0; j < 5; ++j) expected = 2 * expected + values[i * 15 + t * 5 + j];
      CHECK(codes[t * 2 + i] == expected);
      CHECK(short_codes[t * 2 + i] < 16);
    }
  }
}

TEST_CASE("functions depend on seed, table and generation, and only one table is drawn anew") {
  const Pair pair(1, 0, false, 9);
  for (const HashKind kind : {HashKind::simhash, HashKind::dwta}) {
    const auto family = make_hash_family({kind, 30, 3, 8, 10, 1}, kDim);
    const auto other = make_hash_family({kind, 30, 3, 8, 10, 2}, kDim);
    const auto values = [&](const HashFamily& f, std::uint32_t t) {
      std::vector<std::uint32_t> v(2 * 30);
      f.hash(pair.rows(), t, t + 1, v.data());
      return v;
    };
    const auto first = values(*family, 0), second = values(*family, 1);
    CHECK(first != second);
    CHECK(first != values(*other, 0));
    family->redraw(1, 1);
    CHECK(values(*family, 0) == first);
    CHECK(values(*family, 1) != second);
    family->redraw(1, 0);
    CHECK(values(*family, 1) == second);
  }
}

TEST_CASE("bins larger than the vector are cut, and unknown families refused") {
  const std::vector<float> x = {1, 5, 2};
  for (const HashKind kind : {HashKind::wta, HashKind::dwta, HashKind::minhash}) {
    const auto family = make_hash_family({kind, 3, 2, 8, 2, 1}, 3);
    std::vector<std::uint32_t> codes(2);
    hash_codes(*family, {x.data(), 1, 3}, 0, 2, 8, {codes.data(), 2, 1});
    CHECK(codes[0] < 256);
  }
  CHECK(hash_from_name("dwta") == HashKind::dwta);
  CHECK(error_of([] { hash_from_name("md5"); }) ==
        "2 unknown hash 'md5', expected simhash, simhash-dense, wta, dwta or minhash");
}
