#include "libcore/parallel/sharded_lines.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "libcore/base/float16.h"
#include "libcore/base/rng.h"
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
    ThreadRanks(n, {.delays = 1}).run([&](Communicator& rank) {
      std::vector<float> values = numbers_of(rank);
      const std::vector<float> before = values;
      ShardedLines lines(rank, kSmall, WireType::f32, values);
      std::vector<std::uint64_t> wanted{(kNumbers - 1) / 4};
      for (std::uint64_t l = static_cast<std::uint64_t>(rank.rank()); l < 60; l += 3)
        wanted.push_back(l);
      lines.pull(wanted);
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
      ThreadRanks(n, {.delays = 1}).run([&](Communicator& rank) {
        std::vector<float> values(kNumbers);
        ShardedLines lines(rank, kSmall, type, values);
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
        lines.push(given, sums);
        const ShardedLines::Gradients& found = lines.received();
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

TEST_CASE("gradients pushed a mini-batch at a time come rank by rank") {
  ThreadRanks(3).run([](Communicator& rank) {
    std::vector<float> values(kNumbers);
    ShardedLines lines(rank, kSmall, WireType::f32, values);
    for (int again = 0; again < 2; ++again) {
      for (std::uint64_t batch = 0; batch < 2; ++batch) {
        // A line of each rank.
        const std::vector<std::uint64_t> given{0, 2, 4};
        const std::vector<float> sums(
            12, static_cast<float>(10 * static_cast<std::uint64_t>(rank.rank()) + batch));
        lines.push(given, sums);
      }
      const ShardedLines::Gradients& found = lines.received();
      REQUIRE(found.lines.size() == 6);
      for (std::size_t i = 0; i < 6; ++i) {
        CHECK(found.lines[i] == 2 * static_cast<std::uint64_t>(rank.rank()));
        const std::size_t rank_of = i / 2, batch = i % 2;
        CHECK(found.sums[i * 4] == static_cast<float>(10 * rank_of + batch));
      }
    }
    CHECK(lines.received().lines.empty());
  });
}

namespace {

/// Steps of lines that ranks draw: what each has of its lines before every step, then the array.
std::vector<float> train(Communicator& rank, bool ahead) {
  constexpr std::uint64_t kSteps = 12, kLines = 60;
  std::vector<float> values = numbers_of(rank), seen;
  ShardedLines shared(rank, kSmall, WireType::f32, values);
  const auto drawn = [&](std::uint64_t step) {
    Rng rng(step * 8 + static_cast<std::uint64_t>(rank.rank()));
    std::vector<std::uint64_t> lines;
    for (int i = 0; i < 25; ++i) lines.push_back(rng.below(kLines));
    return lines;
  };
  shared.pull(drawn(0));
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    const std::vector<std::uint64_t> lines = drawn(step);
    if (ahead) shared.ask(drawn(step + 1));
    for (const std::uint64_t line : lines) {
      for (std::size_t i = 0; i < 4; ++i) seen.push_back(values[4 * line + i]);
    }
    shared.push(lines, std::vector<float>(lines.size() * 4, 1 + 0.5F * static_cast<float>(step)));
    const ShardedLines::Gradients& mine = shared.received();
    for (std::size_t l = 0; l < mine.lines.size(); ++l) {
      for (std::size_t i = 0; i < 4; ++i) values[4 * mine.lines[l] + i] += mine.sums[l * 4 + i];
    }
    if (ahead) {
      shared.bring();
      shared.wait();
    } else {
      shared.pull(drawn(step + 1));
    }
  }
  shared.gather(values);
  seen.insert(seen.end(), values.begin(), values.end());
  return seen;
}

}  // namespace

TEST_CASE("lines asked for a step ahead are those of a pull before the step") {
  for (const int n : {1, 2, 3, 4}) {
    CAPTURE(n);
    ThreadRanks(n, {.delays = 1}).run([](Communicator& rank) {
      CHECK(train(rank, true) == train(rank, false));
    });
  }
}
