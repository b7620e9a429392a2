#include "libcore/threading/object_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>

#include "libcore/threading/parallel.h"

using namespace frugal;

TEST_CASE("an object is used again, but by one call at a time") {
  int made = 0;
  ObjectPool<int> pool([&] { return std::make_unique<int>(++made); });
  pool.with([&](int& outer) { pool.with([&](int& inner) { CHECK(&inner != &outer); }); });
  pool.with([](int&) {});
  CHECK(made == 2);
}

TEST_CASE("what a failed call leaves behind is not used again") {
  int made = 0;
  ObjectPool<int> pool([&] { return std::make_unique<int>(++made); });
  CHECK_THROWS(pool.with([](int&) { throw std::runtime_error("half done"); }));
  pool.with([](int& object) { CHECK(object == 2); });
}

TEST_CASE("threads never share an object") {
  std::atomic<int> made = 0;
  ObjectPool<std::atomic<int>> pool([&] {
    ++made;
    return std::make_unique<std::atomic<int>>(0);
  });
  std::atomic<bool> shared = false;
  parallel_for(1000, 1, [&](std::size_t) {
    pool.with([&](std::atomic<int>& users) {
      if (++users != 1) shared = true;
      --users;
    });
  });
  CHECK(!shared);
  CHECK(made <= num_threads());
}
