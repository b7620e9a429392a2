#include "libcore/parallel/background_operations.h"

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "libcore/parallel/communicator.h"
#include "tests/libcore/parallel/test_ranks.h"

using namespace frugal;

TEST_CASE("operations are done in the order in which they were begun, in one other thread") {
  std::vector<int> done;
  const std::thread::id here = std::this_thread::get_id();
  {
    BackgroundOperations operations;
    for (int i = 0; i < 100; ++i) {
      CHECK(operations.begin([&, i] {
        done.push_back(std::this_thread::get_id() != here && operations.is_this_thread() ? i : -1);
      }) == static_cast<std::uint64_t>(i + 1));
    }
    operations.wait(7);
    CHECK_FALSE(operations.is_this_thread());
    operations.wait(1000);
    CHECK(done.size() == 100);
    operations.begin([&] { done.push_back(100); });
  }
  REQUIRE(done.size() == 101);
  for (int i = 0; i <= 100; ++i) CHECK(done[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("what an operation throws ends those after it and reaches who waits") {
  bool after = false;
  BackgroundOperations operations;
  const std::uint64_t first = operations.begin([] {});
  operations.wait(first);
  const std::uint64_t failing = operations.begin([] { throw std::runtime_error("no"); });
  const std::uint64_t last = operations.begin([&] { after = true; });
  CHECK_THROWS_AS(operations.wait(failing), std::runtime_error);
  CHECK_THROWS_AS(operations.wait(last), std::runtime_error);
  CHECK_FALSE(after);
}

TEST_CASE("ranks go on while what they began is exchanged, and later operations wait for it") {
  for (const int n : {1, 2, 4}) {
    CAPTURE(n);
    ThreadRanks(n).run([&](Communicator& rank) {
      const std::thread::id here = std::this_thread::get_id();
      std::vector<float> first(2000, 1.0F), second(3, 2.0F), third(1, 3.0F);
      std::thread::id there;
      Communicator::Pending one = rank.begin([&] {
        rank.all_reduce_sum(std::span(first));
        there = std::this_thread::get_id();
      });
      Communicator::Pending two = rank.begin([&] { rank.all_reduce_sum(std::span(second)); });
      rank.all_reduce_sum(std::span(third));  // after both
      const auto ranks = static_cast<float>(n);
      CHECK(first == std::vector<float>(2000, ranks));
      CHECK(second == std::vector<float>(3, 2 * ranks));
      CHECK(third == std::vector<float>(1, 3 * ranks));
      CHECK((there == here) == (n == 1));
      one.wait();
      two = {};
      const std::uint64_t sent = rank.bytes_sent();
      {
        const Communicator::Pending gone = rank.begin([&] { any_of_ranks(rank, 1); });
      }
      CHECK((rank.bytes_sent() > sent) == (n > 1));
    });
  }
}

TEST_CASE("an operation's failure is told by the rank's next operation") {
  ThreadRanks(2).run([](Communicator& rank) {
    {
      const auto lost = rank.begin([] { throw std::runtime_error("no"); });
    }
    CHECK_THROWS_AS(any_of_ranks(rank, 0), std::runtime_error);
  });
}

TEST_CASE("time that goes on beside the caller's is no time of the caller") {
  ThreadRanks(2).run([](Communicator& rank) {
    Communicator::Pending sum = rank.begin([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      any_of_ranks(rank, 0);
      // The other rank comes 20 ms later.
      if (rank.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      any_of_ranks(rank, 0);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    sum.wait();
    if (rank.rank() == 0) CHECK(rank.hidden_seconds() > 0);
    if (rank.rank() == 0) CHECK(rank.hidden_seconds() + rank.seconds() > 0.015);
  });
}
