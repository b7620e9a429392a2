#include "libcore/threading/ordered_pipeline.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "libcore/base/error.h"

using namespace frugal;

namespace {

/// Squares 0..n-1 through the pipeline and returns them in the order of consumption.
std::vector<int> squares(int n, int threads, std::size_t depth, int fail_transform = -1,
                         bool aside = false) {
  set_num_threads(threads);
  struct Item {
    int value = 0;
    int square = 0;
  };
  std::vector<int> out;
  int next = 0;
  OrderedPipeline<Item> pipeline;
  pipeline.produce = [&](Item& item) {
    if (next == n) return false;
    item.value = next++;
    return true;
  };
  pipeline.transform = [&](Item& item) {
    if (item.value == fail_transform) fail(ExitStatus::bad_input, "item ", item.value);
    volatile int work = 0;
    for (int i = 0; i < (item.value * 7919) % 1000; ++i) work = work + i;
    item.square = item.value * item.value;
  };
  pipeline.consume = [&](Item& item) { out.push_back(item.square); };
  pipeline.consume_aside = aside;
  try {
    pipeline.run(depth);
  } catch (const Error& error) {
    CHECK(error.what() == "item " + std::to_string(fail_transform));
    out.push_back(-1);
  }
  set_num_threads(1);
  return out;
}

}  // namespace

TEST_CASE("the ordered pipeline consumes in the order of production for any threads and depth") {
  for (int threads : {1, 2, 5}) {
    for (std::size_t depth : {1, 2, 7}) {
      for (const bool aside : {false, true}) {
        const auto out = squares(300, threads, depth, -1, aside);
        REQUIRE(out.size() == 300);
        for (int i = 0; i < 300; ++i) CHECK(out[static_cast<std::size_t>(i)] == i * i);
      }
    }
  }
  CHECK(squares(0, 3, 4).empty());
}

TEST_CASE("the ordered pipeline consumes all items before the first failing one, then rethrows") {
  for (int threads : {1, 2, 5}) {
    for (const bool aside : {false, true}) {
      const auto out = squares(300, threads, 4, 100, aside);
      REQUIRE(out.size() == 101);
      CHECK(out[99] == 99 * 99);
      CHECK(out[100] == -1);
    }
  }
}

TEST_CASE("a consumer aside that waits stops nobody from producing") {
  set_num_threads(1);
  std::atomic<int> made = 0;
  bool went_on = true;
  OrderedPipeline<int> pipeline;
  pipeline.produce = [&](int&) {
    if (made == 2) return false;
    ++made;
    return true;
  };
  pipeline.transform = [](int&) {};
  pipeline.consume = [&](int&) {
    for (int i = 0; i < 5000 && made < 2; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    went_on = went_on && made == 2;
  };
  pipeline.consume_aside = true;
  pipeline.run(2);
  CHECK(went_on);
}

TEST_CASE("an error of the producer or of the consumer reaches the caller") {
  set_num_threads(3);
  OrderedPipeline<int> producer;
  int made = 0, used = 0;
  producer.produce = [&](int&) -> bool {
    if (made == 5) fail(ExitStatus::io_error, "read");
    ++made;
    return true;
  };
  producer.transform = [](int&) {};
  producer.consume = [&](int&) { ++used; };
  CHECK_THROWS_WITH_AS(producer.run(3), "read", Error);
  CHECK(used == 5);

  OrderedPipeline<int> consumer;
  consumer.produce = [](int&) { return true; };  // endless: only the error ends it
  consumer.transform = [](int&) {};
  consumer.consume = [](int&) { fail(ExitStatus::io_error, "write"); };
  CHECK_THROWS_WITH_AS(consumer.run(3), "write", Error);
  set_num_threads(1);
}
