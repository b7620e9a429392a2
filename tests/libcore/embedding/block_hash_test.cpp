#include "libcore/embedding/block_hash.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"

using namespace frugal;

namespace {

/// Two tables, the first of `offset` rows, so that rows of the second have global rows from there.
TableSet tables_at(std::uint64_t offset, std::size_t dim) {
  if (offset == 0) return {{{"t", 1'000'000}}, dim};
  return {{{"before", offset}, {"t", 1'000'000}}, dim};
}

void row_starts(const BlockHash& hash, std::size_t table, std::uint32_t row, std::uint32_t* out) {
  hash.starts_of_rows(table, &row, 1, out);
}

std::vector<std::uint32_t> starts(const TableSet& tables, HashFamily family, std::size_t block,
                                  std::uint64_t size, std::uint32_t row) {
  const BlockHash hash(tables, {.family = family, .block = block}, size);
  std::vector<std::uint32_t> result(hash.blocks_per_row());
  row_starts(hash, tables.size() - 1, row, result.data());
  return result;
}

using Starts = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("robe2021 gives the indices of the first published code") {
  const TableSet small = tables_at(0, 16);
  const auto family = HashFamily::robe2021;
  CHECK(starts(small, family, 1, 1000, 0) ==
        Starts{19, 517, 15, 256, 754, 252, 750, 248, 746, 244, 742, 240, 738, 979, 477, 975});
  CHECK(starts(small, family, 1, 1000, 1) ==
        Starts{375, 873, 371, 869, 367, 865, 363, 861, 102, 600, 98, 596, 94, 592, 90, 588});
  CHECK(starts(small, family, 4, 1000, 0) == Starts{730, 839, 948, 424});
  CHECK(starts(small, family, 4, 1000, 1) == Starts{567, 676, 785, 894});
  CHECK(starts(small, family, 4, 1000, 2) == Starts{40, 149, 622, 731});
  const TableSet second = tables_at(100'000, 16);
  CHECK(starts(second, family, 8, 1000, 0) == Starts{772, 16});
  CHECK(starts(second, family, 8, 1000, 1) == Starts{720, 957});
  CHECK(starts(second, family, 8, 1000, 2) == Starts{505, 742});
  CHECK(starts(small, family, 16, 1000, 0) == Starts{839});
  CHECK(starts(small, family, 16, 1000, 1) == Starts{290});
  CHECK(starts(small, family, 16, 1000, 2) == Starts{318});
  const TableSet terabyte = tables_at(187'767'398, 128);
  CHECK(starts(terabyte, family, 32, 27'000'000, 0) ==
        Starts{10503767, 13681017, 16858267, 20035517});
  CHECK(starts(terabyte, family, 32, 27'000'000, 5) ==
        Starts{20381371, 23558621, 26735871, 2913152});
}

TEST_CASE("robe2021 gives the sums of the first published code over 100,000 rows") {
  const TableSet tables = tables_at(0, 16);
  for (const auto& [block, expected] :
       {std::pair<std::size_t, std::uint64_t>{1, 799193462}, {8, 799175376}, {16, 799328144}}) {
    const BlockHash hash(tables, {.family = HashFamily::robe2021, .block = block}, 1000);
    std::uint64_t sum = 0;
    std::vector<std::uint32_t> s(hash.blocks_per_row());
    for (std::uint32_t row = 0; row < 100'000; ++row) {
      row_starts(hash, 0, row, s.data());
      for (const std::uint32_t start : s) sum += start * block + block * (block - 1) / 2;
    }
    CHECK(sum == expected);
  }
}

TEST_CASE("robe2022 gives the indices of the code for DLRM") {
  const TableSet tables = tables_at(0, 128);
  CHECK(starts(tables, HashFamily::robe2022, 32, 2'700'000, 0) ==
        Starts{2290630, 65632, 540602, 1015572});
  CHECK(starts(tables, HashFamily::robe2022, 32, 2'700'000, 1) ==
        Starts{2127169, 2602139, 377141, 852111});
}

TEST_CASE("golden is the formula in 128-bit arithmetic") {
  const TableSet tables = tables_at(70'000'000'000, 24);
  const BlockHash hash(tables, {.block = 7, .seed = 3}, 12345);
  REQUIRE(hash.blocks_per_row() == 4);
  std::vector<std::uint32_t> s(4);
  row_starts(hash, 1, 99, s.data());
  for (std::uint64_t c = 0; c < 4; ++c) {
    const std::uint64_t product = ((70'000'000'000u + 99) * 4 + c) * 0x9E3779B97F4A7C15u + mix64(3);
    const auto expected = static_cast<unsigned __int128>(product) * (12345 - 7 + 1) >> 64;
    CHECK(s[c] == static_cast<std::uint32_t>(expected));
  }
}

TEST_CASE("golden spreads consecutive rows evenly") {
  const TableSet tables = tables_at(0, 16);
  const BlockHash hash(tables, {}, 1 + 15 + 999);
  std::vector<int> hits(1000);
  for (std::uint32_t row = 0; row < 10'000; ++row) {
    std::uint32_t start = 0;
    row_starts(hash, 0, row, &start);
    ++hits[start];
  }
  CHECK(*std::min_element(hits.begin(), hits.end()) >= 8);
  CHECK(*std::max_element(hits.begin(), hits.end()) <= 12);
}

TEST_CASE("paper is circular and has a sign for each number") {
  const TableSet tables({{"a", 1000}, {"b", 1000}}, 8);
  const BlockHash hash(tables, {.family = HashFamily::paper, .block = 8, .seed = 1}, 100);
  CHECK(hash.is_circular());
  CHECK(hash.has_signs());
  std::uint32_t start = 0, largest = 0;
  int sum = 0;
  for (std::uint32_t row = 0; row < 1000; ++row) {
    row_starts(hash, 1, row, &start);
    largest = std::max(largest, start);
    for (std::size_t i = 0; i < 8; ++i) sum += static_cast<int>(hash.sign(1, row, i));
  }
  CHECK(largest == 99);  // blocks may begin at the last number
  CHECK(std::abs(sum) < 400);
  std::uint32_t other = 0;
  row_starts(hash, 0, 999, &other);
  CHECK(other != start);
}

TEST_CASE("whole samples and rows of a table get the same blocks as single rows") {
  const TableSet tables({{"a", 1000}, {"b", 500}, {"c", 7}}, 12);
  for (const auto family :
       {HashFamily::golden, HashFamily::paper, HashFamily::robe2021, HashFamily::robe2022}) {
    const BlockHash hash(tables, {.family = family, .block = 5}, 777);
    REQUIRE(hash.blocks_per_row() == 3);
    const std::uint32_t rows[] = {999, 0, 6};
    std::uint32_t sample[9], single[3];
    hash.starts_of_sample(rows, sample);
    for (std::size_t t = 0; t < 3; ++t) {
      row_starts(hash, t, rows[t], single);
      for (std::size_t c = 0; c < 3; ++c) CHECK(sample[3 * t + c] == single[c]);
    }
  }
}

TEST_CASE("many samples get the blocks that each gets alone") {
  const TableSet tables({{"a", 1000}, {"b", 500}, {"c", 7}}, 12);
  constexpr std::size_t kSamples = 400, kStride = 4;
  Rng rng(3);
  std::vector<std::uint32_t> rows(kSamples * kStride);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<std::uint32_t>(rng.below(tables.table(i % 3).rows));
  }
  for (const std::size_t block : {5, 12}) {
    const BlockHash hash(tables, {.block = block, .seed = 9}, 7777);
    const std::size_t blocks = 3 * hash.blocks_per_row();
    for (const std::size_t stride : {std::size_t{3}, kStride}) {
      const MatrixView<const std::uint32_t> samples(rows.data(), kSamples, 3, stride);
      std::vector<std::uint32_t> all(kSamples * blocks), one(blocks);
      hash.starts_of_samples(samples, all.data());
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < kSamples; ++i) {
        for (std::size_t t = 0; t < 3; ++t) {
          row_starts(hash, t, samples(i, t), one.data() + t * hash.blocks_per_row());
        }
        wrong += !std::equal(one.begin(), one.end(), all.data() + i * blocks);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("arrays that are too small and options that do not go together are refused") {
  const TableSet tables = tables_at(0, 16);
  const auto make = [&](const BlockHashOptions& options, std::uint64_t size) {
    BlockHash(tables, options, size);
  };
  CHECK_THROWS_AS(make({.block = 17}, 100), Error);
  CHECK_THROWS_WITH_AS(make({.block = 8}, 7),
                       "an array of 7 numbers for blocks of 8, expected 8 to 4294967295", Error);
  CHECK_NOTHROW(make({.block = 8}, 8));
  CHECK_THROWS_AS(make({.family = HashFamily::robe2022, .block = 8}, 8), Error);
  CHECK_THROWS_AS(make({.family = HashFamily::paper, .aligned = true}, 100), Error);
  CHECK_THROWS_AS(make({}, std::uint64_t{1} << 32), Error);
  CHECK_THROWS_AS(hash_family_from_name("murmur"), Error);
}
