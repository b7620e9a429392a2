#include "libcore/threading/parallel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/threading/spin_barrier.h"

using namespace frugal;

TEST_CASE("parallel_ranges covers every index once, in one contiguous piece a thread") {
  for (int threads : {1, 2, 3, 8}) {
    set_num_threads(threads);
    for (std::size_t n : {0, 1, 2, 7, 1000}) {
      std::vector<int> seen(n, 0);
      std::atomic<int> pieces{0};
      parallel_ranges(n, [&](std::size_t begin, std::size_t end, int thread) {
        ++pieces;
        CHECK(thread < threads);
        for (std::size_t i = begin; i < end; ++i) ++seen[i];
      });
      for (int count : seen) CHECK(count == 1);
      CHECK(pieces <= threads);
    }
  }
  set_num_threads(1);
}

TEST_CASE("parallel_for covers every index once for any grain") {
  set_num_threads(4);
  for (std::size_t grain : {0, 1, 3, 5000}) {
    std::vector<std::atomic<int>> seen(1001);
    parallel_for(seen.size(), grain, [&](std::size_t i) { ++seen[i]; });
    for (const auto& count : seen) CHECK(count == 1);
  }
  set_num_threads(1);
}

TEST_CASE("parallel_blocks covers every index once, in blocks of `least` items or more") {
  for (int threads : {1, 2, 3}) {
    set_num_threads(threads);
    for (std::size_t n : {0, 1, 7, 8, 1000}) {
      for (std::size_t least : {0, 1, 4, 2000}) {
        std::vector<std::atomic<int>> seen(n);
        std::atomic<int> blocks{0};
        parallel_blocks(n, least, [&](std::size_t begin, std::size_t end) {
          ++blocks;
          CHECK((end - begin >= least || end - begin == n));
          for (std::size_t i = begin; i < end; ++i) ++seen[i];
        });
        for (const auto& count : seen) CHECK(count == 1);
        CHECK(blocks <= threads);
        if (least == 1 && n == 1000) CHECK(blocks == num_threads());
      }
    }
  }
  set_num_threads(1);
}

TEST_CASE("an exception in a worker reaches the caller") {
  for (int threads : {1, 4}) {
    set_num_threads(threads);
    CHECK_THROWS_WITH_AS(parallel_for(100, 1,
                                      [](std::size_t i) {
                                        if (i == 37) fail(ExitStatus::bad_input, "row 37: bad");
                                      }),
                         "row 37: bad", Error);
    CHECK_THROWS_AS(
        parallel_ranges(8, [](std::size_t, std::size_t, int) { throw std::bad_alloc(); }),
        std::bad_alloc);
  }
  set_num_threads(1);
}

TEST_CASE("a parallel loop inside a parallel loop runs on the calling thread") {
  set_num_threads(2);
  std::atomic<int> total{0};
  parallel_for(4, 1, [&](std::size_t) {
    parallel_ranges(10, [&](std::size_t begin, std::size_t end, int thread) {
      CHECK(thread == 0);
      total += static_cast<int>(end - begin);
    });
  });
  CHECK(total == 40);
  set_num_threads(1);
}

TEST_CASE("a thread that fails takes along those that wait for it at a barrier") {
  set_num_threads(3);
  const int threads = num_threads();  // fewer where the environment limits them
  for (int failing = 0; failing < threads; ++failing) {
    SpinBarrier barrier(threads);
    std::atomic<int> phases{0};
    CHECK_THROWS_WITH_AS(parallel_threads([&](int thread) {
                           barrier.guard([&] {
                             for (int phase = 0;; ++phase) {
                               barrier.arrive_and_wait();
                               if (thread == failing && phase == 5) {
                                 fail(ExitStatus::bad_input, "phase 5");
                               }
                               ++phases;
                             }
                           });
                         }),
                         "phase 5", Error);
    CHECK(phases >= threads * 5);
    CHECK(phases < threads * 6);
  }
  set_num_threads(1);
}
