#include "libcore/parallel/sharded_lines.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "libcore/base/float16.h"
#include "tests/libcore/parallel/test_ranks.h"

using namespace frugal;

namespace {

constexpr ShardedLines::Layout kSmall{4, 8};
constexpr std::size_t kNumbers = 8 * 300 * 3 + 5;  // more than is gathered at a time; a short line

/// The owner's numbers, which no other rank has.
float right(std::size_t slot) { return static_cast<float>(slot) + 0.5F; }

std::vector<float> numbers_of(const Communicator& ranks) {
  std::vector<float> values(kNumbers, -1);
  for (std::size_t i = 0; i < kNumbers; ++i) {
    const std::size_t owner = i / kSmall.page % static_cast<std::size_t>(ranks.size());
    if (owner == static_cast<std::size_t>(ranks.rank())) values[i] = right(i);
  }
  return values;
}

}  // namespace

TEST_CASE("pull brings the lines that are asked for, and no others") {
  for (const int n : {1, 2, 3, 4}) {
    CAPTURE(n);
    ThreadRanks(n).run([&](Communicator& rank) {
      std::vector<float> values = numbers_of(rank);
      const std::vector<float> before = values;
      ShardedLines lines(rank, kSmall, WireType::f32);
      std::vector<std::uint64_t> wanted{(kNumbers - 1) / 4};
      for (std::uint64_t l = static_cast<std::uint64_t>(rank.rank()); l < 60; l += 3)
        wanted.push_back(l);
      lines.pull(wanted, values);
      std::vector<float> expected = before, all = before;
      for (const std::uint64_t l : wanted) {
        for (std::size_t i = 4 * l; i < std::min<std::size_t>(kNumbers, 4 * l + 4); ++i)
          expected[i] = right(i);
      }
      CHECK(values == expected);
      lines.gather(values);
      for (std::size_t i = 0; i < kNumbers; ++i) all[i] = right(i);
      CHECK(values == all);
    });
  }
}

TEST_CASE("push hands gradients to owners in the order of ranks") {
  for (const int n : {1, 2, 4}) {
    for (const WireType type : {WireType::f32, WireType::bf16}) {
      CAPTURE(n);
      ThreadRanks(n).run([&](Communicator& rank) {
        ShardedLines lines(rank, kSmall, type);
        // 8 parts of gradients, the same whatever rank has them, for lines that parts share.
        std::vector<std::uint64_t> given;
        std::vector<float> sums;
        const auto number = [](std::uint64_t part, std::uint64_t line, std::size_t i) {
          return 1.0F / static_cast<float>(1 + part * 100 + line * 4 + i);
        };
        const RankPart mine = part_of_rank(rank, 8);
        for (std::uint64_t part = mine.begin; part < mine.end; ++part) {
          for (std::uint64_t line = part % 2; line < 20; line += 2) {
            given.push_back(line);
            for (std::size_t i = 0; i < 4; ++i) sums.push_back(number(part, line, i));
          }
        }
        const std::uint64_t sent = rank.bytes_sent();
        const ShardedLines::Gradients& found = lines.push(given, sums);
        std::size_t at = 0, kept = 0;
        for (std::uint64_t part = 0; part < 8; ++part) {
          for (std::uint64_t line = part % 2; line < 20; line += 2) {
            if (line * 4 / 8 % static_cast<std::uint64_t>(n) !=
                static_cast<std::uint64_t>(rank.rank()))
              continue;
            if (mine.has(part)) ++kept;
            REQUIRE(found.lines[at] == line);
            for (std::size_t i = 0; i < 4; ++i) {
              const float exact = number(part, line, i);
              const float expected = type == WireType::f32 ? exact : to_float(to_bfloat16(exact));
              REQUIRE(found.sums[at * 4 + i] == expected);
            }
            ++at;
          }
        }
        CHECK(at == found.lines.size());
        const std::size_t bytes = 4 + (type == WireType::f32 ? 16 : 8);
        const auto sizes = static_cast<std::uint64_t>(n * (n - 1)) * 8;
        CHECK(rank.bytes_sent() - sent == (given.size() - kept) * bytes + sizes);
      });
    }
  }
}
