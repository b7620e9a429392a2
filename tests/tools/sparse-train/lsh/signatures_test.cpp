#include "tools/sparse-train/lsh/signatures.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

constexpr std::size_t kSignedDim = 20;

struct SignedRows {
  std::size_t n;
  std::vector<float> values;

  SignedRows(std::size_t count, std::uint64_t seed) : n(count), values(count * kSignedDim) {
    Rng rng(seed);
    for (float& x : values) x = static_cast<float>(rng.normal());
  }
  MatrixView<const float> view() const { return {values.data(), n, kSignedDim}; }
  double angle(std::size_t i, const SignedRows& other, std::size_t j) const {
    const double xy = dot(i, other, j), xx = dot(i, *this, i), yy = other.dot(j, other, j);
    return std::acos(xy / std::sqrt(xx * yy));
  }
  double dot(std::size_t i, const SignedRows& other, std::size_t j) const {
    return std::inner_product(values.begin() + static_cast<std::ptrdiff_t>(i * kSignedDim),
                              values.begin() + static_cast<std::ptrdiff_t>((i + 1) * kSignedDim),
                              other.values.begin() + static_cast<std::ptrdiff_t>(j * kSignedDim),
                              0.0);
  }
};

Signatures signatures_of(const SignedRows& rows, std::uint32_t bits, bool center,
                         HashKind kind = HashKind::simhash) {
  Signatures s(kind, bits, 3, center, rows.n, kSignedDim);
  s.begin_rebuild(rows.view());
  for (std::size_t b = 0; b < s.num_blocks(); ++b) s.rebuild(rows.view(), b);
  return s;
}

std::vector<std::vector<std::uint32_t>> search(const Signatures& s, const SignedRows& queries,
                                               std::uint32_t wanted, std::uint64_t seed = 5) {
  std::vector<Rng> order;
  for (std::size_t i = 0; i < queries.n; ++i) order.emplace_back(seed, i);
  std::vector<std::vector<std::uint32_t>> found(queries.n);
  s.search(queries.view(), wanted, order, found);
  return found;
}

/// Share of the `wanted` rows of the smallest angle (or largest product) that are found.
double recall(const SignedRows& rows, const SignedRows& queries, bool products,
              const std::vector<std::vector<std::uint32_t>>& found, std::size_t best_of) {
  double sum = 0;
  for (std::size_t q = 0; q < queries.n; ++q) {
    std::vector<std::uint32_t> best(rows.n);
    std::iota(best.begin(), best.end(), 0U);
    std::sort(best.begin(), best.end(), [&](std::uint32_t a, std::uint32_t b) {
      return products ? queries.dot(q, rows, a) > queries.dot(q, rows, b)
                      : queries.angle(q, rows, a) < queries.angle(q, rows, b);
    });
    for (std::size_t k = 0; k < best_of; ++k) {
      sum += std::count(found[q].begin(), found[q].end(), best[k]) == 1 ? 1 : 0;
    }
  }
  return sum / static_cast<double>(queries.n * best_of);
}

}  // namespace

TEST_CASE("as many different rows are found as are wanted, and none more often") {
  for (const std::size_t n : {1U, 30U, 1023U, 2500U}) {
    const SignedRows rows(n, 1), queries(5, 2);
    const Signatures s = signatures_of(rows, 100, true);
    for (const std::uint32_t wanted : {0U, 1U, 17U, 1000U, 5000U}) {
      for (std::vector<std::uint32_t>& found : search(s, queries, wanted)) {
        CHECK(found.size() == std::min<std::size_t>(wanted, n));
        std::sort(found.begin(), found.end());
        CHECK(std::adjacent_find(found.begin(), found.end()) == found.end());
        CHECK((found.empty() || found.back() < n));
      }
    }
  }
}

TEST_CASE("rows at small angles are found, the more surely the more signs there are") {
  const SignedRows rows(2000, 1), queries(40, 2);
  double before = 0;
  for (const std::uint32_t bits : {32U, 128U, 1024U}) {
    for (const HashKind kind : {HashKind::simhash, HashKind::simhash_dense}) {
      const auto found = search(signatures_of(rows, bits, false, kind), queries, 100);
      const double share = recall(rows, queries, false, found, 10);
      CHECK(share > before);
      CHECK(share < 1.001);
      if (kind == HashKind::simhash_dense) before = share;
    }
  }
  CHECK(before > 0.95);
}

TEST_CASE("with a centre, a part that all rows have in common does not hide the largest products") {
  SignedRows rows(2000, 1);
  const SignedRows queries(40, 2);
  for (std::size_t i = 0; i < rows.values.size(); ++i)
    rows.values[i] += i % kSignedDim < 5 ? 100.0F : 0;
  const auto with = search(signatures_of(rows, 512, true, HashKind::simhash_dense), queries, 100);
  const auto without =
      search(signatures_of(rows, 512, false, HashKind::simhash_dense), queries, 100);
  CHECK(recall(rows, queries, true, with, 10) > 0.8);
  CHECK(recall(rows, queries, true, without, 10) < 0.6);
}

TEST_CASE("of rows that agree in as many signs those come first that the order draws") {
  SignedRows rows(500, 1);
  for (std::size_t i = kSignedDim; i < rows.values.size(); ++i)
    rows.values[i] = rows.values[i % kSignedDim];
  const SignedRows queries(1, 2);
  const Signatures s = signatures_of(rows, 64, false);
  const auto one = search(s, queries, 10, 5), same = search(s, queries, 10, 5),
             other = search(s, queries, 10, 6);
  CHECK(one == same);
  CHECK(one != other);
}

TEST_CASE("saved signatures find the same, and others are refused") {
  const SignedRows rows(300, 1), queries(9, 2);
  const Signatures s = signatures_of(rows, 96, true);
  Document state;
  s.save(state);
  Signatures again(HashKind::simhash, 96, 3, true, 300, kSignedDim);
  again.restore(state, "x");
  CHECK(search(again, queries, 20) == search(s, queries, 20));
  Signatures more(HashKind::simhash, 96, 3, true, 301, kSignedDim);
  CHECK(error_of([&] { more.restore(state, "x"); }) ==
        "65 x: tensor 'lsh.signatures' has 600 elements, expected 602");
  Signatures plain(HashKind::simhash, 96, 3, false, 300, kSignedDim);
  CHECK(error_of([&] { plain.restore(state, "x"); }) ==
        "65 x: tensor 'lsh.center' has 20 elements, expected 0");
}
