#include "tools/hw-probe/bench/measure.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <set>

#include "libcore/system/clock.h"
#include "libcore/threading/parallel.h"
#include "tests/libcore/system/scratch_folder.h"

using namespace frugal;
using namespace frugal::probe;

namespace {

/// Takes 100 microseconds and remembers how it was called.
class Sleepless : public WorkBody {
 public:
  explicit Sleepless(std::atomic<int>* calls, std::set<int>* numbers)
      : calls_(calls), numbers_(numbers) {}
  void prepare() override { prepared_ = true; }
  void call(int thread, int number) override {
    CHECK(prepared_);
    ++*calls_;
    if (thread == 0) numbers_->insert(number);
    const double end = wall_seconds() + 1e-4;
    while (wall_seconds() < end) continue;
  }

 private:
  std::atomic<int>* calls_;
  std::set<int>* numbers_;
  bool prepared_ = false;
};

}  // namespace

TEST_CASE("a rate counts the work of all threads, a time that of one") {
  std::atomic<int> calls{0};
  std::set<int> numbers;
  Work work{"w", "GB/s", 1e-3, 1, std::make_unique<Sleepless>(&calls, &numbers)};
  const Repetition repetition{0.004, 0.0005, 3};
  const Measurement rate = measure(work, repetition);
  CHECK(rate.name == "w");
  CHECK(rate.unit == "GB/s");
  // At most 1e-3 in 1e-4 seconds; a busy machine gives less, but not a hundred times less.
  CHECK(rate.median <= 10.1);
  CHECK(rate.median > 0.1);
  CHECK(rate.spread >= 0);
  CHECK(rate.runs >= 3);
  CHECK(rate.cpu_per_wall > 0);
  CHECK(numbers.size() == static_cast<std::size_t>(calls.load()));  // every call has its own number
  work.unit = "ns";
  work.amount = 10;
  CHECK(measure(work, repetition).median >= 1e4);
}

TEST_CASE("the number of threads is put back") {
  set_num_threads(3);
  std::atomic<int> calls{0};
  std::set<int> numbers;
  Work work{"w", "ns", 1, 2, std::make_unique<Sleepless>(&calls, &numbers)};
  measure(work, {0.001, 0.0002, 3});
  CHECK(num_threads() == 3);
  CHECK(calls == 2 * static_cast<int>(numbers.size()));
}

TEST_CASE("stolen time is a share of the time since the meter began") {
  const ScratchFolder root;
  root.put("proc/stat", "cpu  100 0 50 800 0 0 0 50 7 0\ncpu0 1 1 1 1 1 1 1 1\n");
  const StealMeter meter(root.path());
  CHECK(meter.share() == 0);
  root.put("proc/stat", "cpu  130 0 60 840 0 0 0 70 9 0\ncpu0 1 1 1 1 1 1 1 1\n");
  CHECK(meter.share() == doctest::Approx(20.0 / (30 + 10 + 40 + 20)));
}
