#include "tools/sparse-train/lsh/lsh_index.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"
#include "tools/sparse-train/lsh/retrieval.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

constexpr std::size_t kRows = 500, kIndexDim = 24;
constexpr std::uint32_t kTables = 7;

std::vector<float> random_matrix(std::uint64_t seed) {
  std::vector<float> m(kRows * kIndexDim);
  Rng rng(seed);
  for (float& x : m) x = static_cast<float>(rng.normal());
  return m;
}

MatrixView<const float> view(const std::vector<float>& m) { return {m.data(), kRows, kIndexDim}; }

LshIndex make_index(HashKind kind, bool center = false) {
  return {{kind, 3, kTables, 8, 6, 1},
          {kTables, 9, kRows, BucketPolicy::fifo, 1},
          center,
          kRows,
          kIndexDim};
}

void build(LshIndex& index, const std::vector<float>& m, Rehash rehash = Rehash::moved,
           std::uint32_t group = kTables) {
  index.begin_rebuild(view(m), rehash);
  for (std::uint32_t t = 0; t < kTables; t += group) {
    index.rebuild(view(m), t, std::min(t + group, kTables));
  }
}

/// Every bucket as a sorted list.
std::vector<std::vector<std::uint32_t>> contents(const LshIndex& index) {
  std::vector<std::vector<std::uint32_t>> all;
  for (std::uint32_t t = 0; t < kTables; ++t) {
    for (std::uint32_t b = 0; b < 1U << index.tables().options().range_pow; ++b) {
      const auto rows = index.tables().bucket(t, b);
      all.emplace_back(rows.begin(), rows.end());
      std::sort(all.back().begin(), all.back().end());
    }
  }
  return all;
}

}  // namespace

TEST_CASE("a row is found under its own codes, in every table") {
  const std::vector<float> m = random_matrix(1);
  for (const HashKind kind :
       {HashKind::simhash, HashKind::wta, HashKind::dwta, HashKind::minhash}) {
    CAPTURE(hash_name(kind));
    LshIndex index = make_index(kind);
    build(index, m);
    std::vector<std::uint32_t> codes(kTables * kRows);
    index.codes(view(m), codes.data());
    for (std::uint32_t t = 0; t < kTables; ++t) {
      std::size_t found = 0;
      for (std::size_t r = 0; r < kRows; ++r) {
        const auto rows = index.tables().bucket(t, codes[t * kRows + r]);
        found += std::count(rows.begin(), rows.end(), r) == 1 ? 1U : 0U;
      }
      CHECK(found == kRows);
    }
  }
}

TEST_CASE("only rows that moved are hashed, with the result of hashing all") {
  std::vector<float> m = random_matrix(1);
  for (const HashKind kind : {HashKind::simhash, HashKind::dwta}) {
    LshIndex index = make_index(kind), fresh = make_index(kind);
    build(index, m);
    CHECK(index.num_moved() == kRows);
    build(index, m);
    CHECK(index.num_moved() == 0);
    for (std::size_t r = 3; r < kRows; r += 7) m[r * kIndexDim + 5] += 3;
    build(index, m);
    CHECK(index.num_moved() == 71);
    build(fresh, m);
    CHECK(contents(index) == contents(fresh));
  }
}

TEST_CASE("tables may be built in groups, at the same time, and over several steps") {
  const std::vector<float> m = random_matrix(1);
  LshIndex whole = make_index(HashKind::dwta), parts = make_index(HashKind::dwta);
  build(whole, m);
  build(whole, m, Rehash::new_functions);
  build(parts, m, Rehash::moved, 2);
  parts.begin_rebuild(view(m), Rehash::new_functions);
  CHECK(contents(parts) != contents(whole));
  parallel_for(kTables, 1, [&](std::size_t t) {
    parts.rebuild(view(m), static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(t + 1));
  });
  CHECK(contents(parts) == contents(whole));
}

TEST_CASE("a rebuild that was cut short is made good by one of all rows") {
  std::vector<float> m = random_matrix(1);
  LshIndex cut = make_index(HashKind::dwta), whole = make_index(HashKind::dwta);
  build(cut, m);
  build(whole, m);
  for (float& x : m) x = -x;
  cut.begin_rebuild(view(m), Rehash::new_functions);
  cut.rebuild(view(m), 0, 3);
  build(cut, m, Rehash::all);
  build(whole, m, Rehash::new_functions);
  CHECK(contents(cut) == contents(whole));
}

TEST_CASE("similar rows are retrieved far more often than others") {
  std::vector<float> m = random_matrix(1);
  Rng rng(2);
  for (std::size_t i = 0; i < kIndexDim; ++i) {  // rows 0 and 1 differ by a little noise
    m[kIndexDim + i] = m[i] + 0.1F * static_cast<float>(rng.normal());
  }
  for (const HashKind kind : {HashKind::simhash, HashKind::wta, HashKind::dwta}) {
    CAPTURE(hash_name(kind));
    LshIndex index = make_index(kind);
    build(index, m);
    std::vector<std::uint32_t> codes(kTables), out;
    index.codes({m.data(), 1, kIndexDim}, codes.data());
    Retriever retriever(kRows);
    retriever.retrieve(index.tables(), codes.data(), 1, {QueryMode::top_k, 2, 0}, Rng(1), out);
    CHECK(out.size() == 2);
    CHECK(std::count(out.begin(), out.end(), 1U) == 1);
  }
}

TEST_CASE("a range wider than the codes is cut") {
  CHECK(make_index(HashKind::simhash).tables().options().range_pow == 3);
  CHECK(make_index(HashKind::dwta).tables().options().range_pow == 9);
}

namespace {

std::size_t in_common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  return static_cast<std::size_t>(std::count_if(a.begin(), a.end(), [&](std::uint32_t r) {
    return std::find(b.begin(), b.end(), r) != b.end();
  }));
}

}  // namespace

TEST_CASE("with a centre, rows that all move by the same vector keep their buckets") {
  for (const HashKind kind : {HashKind::simhash, HashKind::dwta}) {
    std::vector<float> m = random_matrix(1);
    std::vector<float> moved = m;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      moved[i] += static_cast<float>(8 + i % kIndexDim);
    }
    LshIndex index = make_index(kind, true), other = make_index(kind, true),
             plain = make_index(kind);
    build(index, m);
    build(other, moved);
    build(plain, moved);
    const auto here = contents(index), there = contents(other), without = contents(plain);
    std::size_t same = 0, same_plain = 0, all = 0;
    for (std::size_t b = 0; b < here.size(); ++b) {
      all += here[b].size();
      same += in_common(here[b], there[b]);
      same_plain += in_common(here[b], without[b]);
    }
    // Rounding moves a product across 0, or one coordinate past another, now and then.
    CHECK(same > all * 85 / 100);
    CHECK(same_plain < all / 2);
  }
}

TEST_CASE("rows are hashed anew when their centre has moved") {
  std::vector<float> m = random_matrix(1);
  LshIndex index = make_index(HashKind::simhash, true);
  build(index, m);
  m[0] += 0.001F;
  build(index, m);
  CHECK(index.num_moved() == 1);
  for (float& x : m) x += 0.5F;
  build(index, m);
  CHECK(index.num_moved() == kRows);
}
