#include "libcore/parallel/communicator.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <mutex>
#include <set>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/parallel/tree_sum.h"
#include "tests/libcore/parallel/test_ranks.h"

using namespace frugal;

namespace {

/// Numbers whose sum depends on its order.
std::vector<float> numbers_of(int part, std::size_t n) {
  Rng rng(static_cast<std::uint64_t>(part) + 1);
  std::vector<float> numbers(n);
  for (float& x : numbers)
    x = static_cast<float>(std::ldexp(rng.uniform() - 0.5, static_cast<int>(rng.below(20))));
  return numbers;
}

/// The sum of so many of 16 parts, which are dealt to ranks, as each of them has it.
std::vector<std::vector<float>> sums_by(int ranks, int parts, std::size_t n,
                                        WireType type = WireType::f32) {
  std::vector<std::vector<float>> found(static_cast<std::size_t>(ranks));
  ThreadRanks(ranks).run([&](Communicator& rank) {
    TreeSum<float> sum(type);
    for (int p = 16 * rank.rank() / ranks; p < 16 * (rank.rank() + 1) / ranks; ++p) {
      if (p < parts) sum.add(numbers_of(p, n));
    }
    std::vector<float> total = sum.take(n);
    rank.all_reduce_sum(std::span(total), type);
    found[static_cast<std::size_t>(rank.rank())] = total;
  });
  return found;
}

/// What a rank gets from each operation, one after the other.
std::vector<double> results_of(Communicator& rank) {
  std::vector<double> results;
  const auto keep = [&](const auto& values) {
    for (const auto value : values) results.push_back(static_cast<double>(value));
  };
  for (const std::size_t n : {3UL, 2000UL}) {
    std::vector<float> sum = numbers_of(rank.rank(), n);
    rank.all_reduce_sum(std::span(sum));
    keep(sum);
  }
  const auto mine = static_cast<std::uint8_t>(rank.rank());
  std::vector<std::uint8_t> all(static_cast<std::size_t>(rank.size()));
  rank.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  for (int root = 0; root < rank.size(); ++root) {
    std::array<std::byte, 1> bytes{std::byte(10 * root + rank.rank())};
    rank.broadcast(bytes, root);
    if (root != 0) rank.send(bytes, root, 0);
    all.push_back(std::to_integer<std::uint8_t>(bytes[0]));
    all.push_back(any_of_ranks(rank, rank.rank() == root ? 4 : 0));
  }
  keep(all);
  std::vector<std::vector<std::byte>> letters;
  for (int r = 0; r < rank.size(); ++r)
    letters.emplace_back(static_cast<std::size_t>(r + rank.rank()), std::byte(rank.rank()));
  for (const std::vector<std::byte>& letter : rank.all_to_all(std::move(letters))) {
    for (const std::byte byte : letter) results.push_back(std::to_integer<int>(byte));
  }
  return results;
}

}  // namespace

TEST_CASE("ranks that letters delay get the same from all operations") {
  for (const int ranks : {2, 3, 4, 5}) {
    std::vector<std::vector<double>> undisturbed;
    for (const std::uint64_t delays : {0UL, 1UL, 2UL, 3UL}) {
      std::vector<std::vector<double>> results(static_cast<std::size_t>(ranks));
      ThreadRanks(ranks, {.delays = delays}).run([&](Communicator& rank) {
        results[static_cast<std::size_t>(rank.rank())] = results_of(rank);
      });
      if (delays == 0) undisturbed = results;
      CHECK(results == undisturbed);
    }
  }
}

TEST_CASE("on a slow wire a sum takes twice its bytes, and an exchange with all a letter each") {
  constexpr double kLatency = 1e-3, kRate = 1e6;
  for (const int ranks : {2, 4, 8}) {
    CAPTURE(ranks);
    constexpr std::size_t kValues = 1 << 14;
    const double share = 4.0 * kValues / ranks / kRate;  // seconds of a rank's part
    const double sum = ThreadRanks(ranks, {kLatency, kRate}).run([](Communicator& rank) {
      std::vector<float> values(kValues, 1.0F);
      rank.all_reduce_sum(std::span(values));
    });
    const double rounds = std::log2(ranks);
    CHECK(sum == doctest::Approx(2 * (ranks - 1) * share + 2 * rounds * kLatency));
    const double exchange = ThreadRanks(ranks, {kLatency, kRate}).run([&](Communicator& rank) {
      std::vector<std::vector<std::byte>> to(static_cast<std::size_t>(ranks));
      for (auto& letter : to) letter.resize(4 * kValues / static_cast<std::size_t>(ranks));
      rank.all_to_all(std::move(to));
    });
    const double sizes = (ranks - 1) * 8.0 * ranks / kRate + kLatency;
    CHECK(exchange - sizes >= (ranks - 1) * (share + kLatency) * 0.99);
    CHECK(exchange - sizes <= ranks * (share + kLatency) * 1.01);  // a rank may rest in a round
  }
}

TEST_CASE("alone, every sum is its own") {
  const auto alone = single_process();
  CHECK(alone->rank() == 0);
  CHECK(alone->size() == 1);
  std::array<float, 2> values{1, 2};
  alone->all_reduce_sum(values);
  CHECK(values == std::array<float, 2>{1, 2});
  std::array<std::byte, 1> bytes{std::byte{7}}, all{};
  alone->broadcast(bytes, 0);
  alone->all_gather(bytes, all);
  CHECK(all == bytes);
  CHECK(any_of_ranks(*alone, 5) == 5);
  expect_agreement(*alone, "anything");
  CHECK(alone->bytes_sent() == 0);
}

TEST_CASE("sums have the same bits for 1, 2, 4, 8 and 16 ranks") {
  for (const std::size_t n : {1UL, 7UL, 1024UL, 5001UL}) {
    for (const int parts : {16, 13}) {
      CAPTURE(n);
      CAPTURE(parts);
      const std::vector<float> one = sums_by(1, parts, n).front();
      std::vector<double> want(n);
      for (int p = 0; p < parts; ++p) {
        const std::vector<float> numbers = numbers_of(p, n);
        for (std::size_t i = 0; i < n; ++i) want[i] += static_cast<double>(numbers[i]);
      }
      double worst = 0;
      for (std::size_t i = 0; i < n; ++i) {
        worst = std::max(worst, std::abs(static_cast<double>(one[i]) - want[i]));
      }
      CHECK(worst < 1);  // of numbers up to half a million
      for (const int ranks : {2, 4, 8, 16}) {
        for (const std::vector<float>& sum : sums_by(ranks, parts, n)) CHECK(sum == one);
      }
    }
  }
}

TEST_CASE("sums of bf16 have the same bits for any number of ranks, and half of the bytes") {
  for (const std::size_t n : {7UL, 5001UL}) {
    const std::vector<float> one = sums_by(1, 16, n, WireType::bf16).front();
    const std::vector<float> exact = sums_by(1, 16, n).front();
    double error = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(to_float(to_bfloat16(one[i])) == one[i]);
      error += std::pow(one[i] - exact[i], 2);
      size += std::pow(exact[i], 2);
    }
    CHECK(error > 0);
    CHECK(std::sqrt(error / size) < 0.01);  // four roundings of at most 1/256
    for (const int ranks : {2, 4, 8, 16}) {
      for (const std::vector<float>& sum : sums_by(ranks, 16, n, WireType::bf16)) CHECK(sum == one);
    }
    for (const int ranks : {3, 5}) {
      const auto found = sums_by(ranks, 16, n, WireType::bf16);
      for (const std::vector<float>& sum : found) CHECK(sum == found.front());
    }
  }
  ThreadRanks(4).run([](Communicator& rank) {
    std::vector<float> values(1 << 14, 1.0F);
    rank.all_reduce_sum(std::span(values), WireType::bf16);
    CHECK(values.front() == 4);
    CHECK(rank.bytes_sent() == 2 * 3 * (std::uint64_t{1} << 15) / 4);
  });
}

TEST_CASE("other numbers of ranks agree on one sum, too") {
  for (const int ranks : {3, 5, 6, 7}) {
    CAPTURE(ranks);
    const auto found = sums_by(ranks, 16, 3001);
    const std::vector<float> one = sums_by(1, 16, 3001).front();
    for (const std::vector<float>& sum : found) {
      CHECK(sum == found.front());
      for (std::size_t i = 0; i < sum.size(); ++i) CHECK(std::abs(sum[i] - one[i]) < 1);
    }
  }
}

TEST_CASE("a sum of large vectors sends each rank's about twice") {
  for (const int ranks : {2, 4, 8}) {
    std::vector<std::uint64_t> sent(static_cast<std::size_t>(ranks));
    ThreadRanks(ranks).run([&](Communicator& rank) {
      std::vector<float> values(1 << 14, 1.0F);
      rank.all_reduce_sum(std::span(values));
      sent[static_cast<std::size_t>(rank.rank())] = rank.bytes_sent();
    });
    const std::uint64_t want = 2 * (ranks - 1) * (std::uint64_t{1} << 16) / ranks;
    for (const std::uint64_t bytes : sent) CHECK(bytes == want);
  }
}

TEST_CASE("vectors are added up as a balanced tree, whatever their number") {
  for (int n = 0; n <= 9; ++n) {
    TreeSum<double> sum;
    for (int i = 0; i < n; ++i) sum.add({static_cast<double>(i), 1});
    CHECK(sum.count() == static_cast<std::uint64_t>(n));
    CHECK(sum.take(2) == std::vector<double>{n * (n - 1) / 2.0, static_cast<double>(n)});
    CHECK(sum.take(1) == std::vector<double>{0});
  }
}

TEST_CASE("bytes of one rank reach all, those of all reach each, and so does any flag") {
  ThreadRanks(3).run([&](Communicator& rank) {
    std::array<std::byte, 2> bytes{std::byte(rank.rank()), std::byte{9}};
    std::vector<std::byte> all(6);
    rank.all_gather(bytes, all);
    for (int r = 0; r < 3; ++r) CHECK(all[2 * static_cast<std::size_t>(r)] == std::byte(r));
    rank.broadcast(bytes, 2);
    CHECK(bytes[0] == std::byte{2});
    CHECK(any_of_ranks(rank, rank.rank() == 1 ? 2 : 0) == 2);
    CHECK(any_of_ranks(rank, 0) == 0);
    expect_agreement(rank, "the same");
  });
}

TEST_CASE("ranks that disagree are told by the first of them") {
  std::mutex mutex;
  std::string message;
  ThreadRanks(3).run([&](Communicator& rank) {
    try {
      expect_agreement(rank, rank.rank() == 2 ? "version 1\nseed: 7\n" : "version 1\nseed: 3\n",
                       "give all one seed");
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      if (rank.rank() == 0) message = error.what();
      // In a process of its own it would be ended; here it answers those that wait.
      if (rank.rank() == 0) any_of_ranks(rank, 0);
    }
  });
  CHECK(
      message ==
      "rank 2 has 'seed: 7', rank 0 'seed: 3': expected the same of all ranks; give all one seed");
}

TEST_CASE("ranks hand each other byte strings of any size") {
  for (const int n : {1, 2, 3, 4, 5}) {
    CAPTURE(n);
    const auto letter = [n](int from, int to) {
      return std::vector<std::byte>(static_cast<std::size_t>(from * from + to) % 7,
                                    static_cast<std::byte>(from * n + to));
    };
    std::vector<std::uint64_t> sent(static_cast<std::size_t>(n));
    ThreadRanks(n).run([&](Communicator& rank) {
      std::vector<std::vector<std::byte>> to;
      for (int r = 0; r < n; ++r) to.push_back(letter(rank.rank(), r));
      const std::vector<std::vector<std::byte>> from = rank.all_to_all(std::move(to));
      for (int r = 0; r < n; ++r)
        CHECK(from[static_cast<std::size_t>(r)] == letter(r, rank.rank()));
      sent[static_cast<std::size_t>(rank.rank())] = rank.bytes_sent();
    });
    for (int from = 0; from < n; ++from) {
      std::uint64_t expected = static_cast<std::uint64_t>(n * (n - 1)) * 8;  // the sizes
      for (int to = 0; to < n; ++to) expected += to == from ? 0 : letter(from, to).size();
      CHECK(sent[static_cast<std::size_t>(from)] == expected);
    }
  }
}

TEST_CASE("ranks have neighbouring parts") {
  for (const int n : {1, 2, 3, 4}) {
    std::mutex mutex;
    std::set<std::uint64_t> all;
    ThreadRanks(n).run([&](Communicator& rank) {
      const RankPart part = part_of_rank(rank, 10);
      const std::lock_guard lock(mutex);
      CHECK(part.end - part.begin >= 10 / static_cast<std::uint64_t>(n));
      for (std::uint64_t i = 0; i < 10; ++i) {
        if (part.has(i)) CHECK(all.insert(i).second);
      }
    });
    CHECK(all.size() == 10);
  }
}
