#include "libcore/threading/prepared_queue.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "libcore/threading/parallel.h"

using namespace frugal;

namespace {

struct Square {
  int value = 0, square = 0;
};

/// Uses the squares of 0 .. n - 1 while loops run, as a trainer does.
std::vector<int> use_squares(int n, int threads, std::size_t depth) {
  set_num_threads(threads);
  std::vector<int> out;
  int next = 0;
  {
    PreparedQueue<Square> queue(depth);
    queue.produce = [&](Square& s) {
      s.value = next;
      return next++ < n;
    };
    queue.prepare = [](Square& s) { s.square = s.value * s.value; };
    while (const Square* s = queue.next()) {
      out.push_back(s->square);
      std::atomic<int> sum{0};
      parallel_for(50, 1, [&](std::size_t i) { sum += static_cast<int>(i); });
      CHECK(sum == 1225);
    }
    CHECK(queue.next() == nullptr);
    CHECK(queue.waiting_seconds() >= 0);
  }
  set_num_threads(1);
  return out;
}

}  // namespace

TEST_CASE("prepared items come in order, for any number of threads and depth") {
  for (const int threads : {1, 2, 5}) {
    for (const std::size_t depth : {1, 2, 7}) {
      const std::vector<int> out = use_squares(200, threads, depth);
      REQUIRE(out.size() == 200);
      for (int i = 0; i < 200; ++i) CHECK(out[static_cast<std::size_t>(i)] == i * i);
    }
  }
  CHECK(use_squares(0, 3, 2).empty());
}

TEST_CASE("a preparation that fails reaches the caller in its turn") {
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    PreparedQueue<int> queue(3);
    int next = 0;
    queue.produce = [&](int& item) {
      item = next++;
      return true;
    };
    queue.prepare = [](int& item) {
      if (item == 5) throw std::runtime_error("five");
    };
    for (int i = 0; i < 5; ++i) CHECK(*queue.next() == i);
    CHECK_THROWS_AS(queue.next(), std::runtime_error);
    for (int i = 6; i < 12; ++i) CHECK(*queue.next() == i);
  }
  set_num_threads(1);
}

TEST_CASE("a queue that is left early waits for what is being prepared") {
  set_num_threads(4);
  std::atomic<int> prepared{0};
  for (int round = 0; round < 50; ++round) {
    int begun = 0;
    {
      PreparedQueue<int> queue(4);
      queue.produce = [&](int&) { return ++begun > 0; };
      queue.prepare = [&](int&) { ++prepared; };
      queue.next();
    }
    CHECK(begun == 4);
  }
  CHECK(prepared == 200);
  set_num_threads(1);
}

TEST_CASE("loops inside loops and tasks run, and so do those of many threads at once") {
  set_num_threads(3);
  std::atomic<int> sum{0};
  parallel_for(10, 1, [&](std::size_t) { parallel_for(10, 1, [&](std::size_t) { ++sum; }); });
  CHECK(sum == 100);
  parallel_threads([&](int) { parallel_for(100, 1, [&](std::size_t) { ++sum; }); });
  const int before = 100 + 100 * num_threads();  // a limit of the environment may hold
  CHECK(sum == before);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] { parallel_for(1000, 3, [&](std::size_t) { ++sum; }); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(sum == before + 4000);
  set_num_threads(1);
}
