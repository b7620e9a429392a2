#include "tools/hw-probe/bench/measure.h"

#include <doctest/doctest.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <thread>

#include "libcore/system/clock.h"
#include "libcore/system/limits.h"
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

namespace {

/// Takes `cpu_seconds` of CPU time in each call, and is interrupted for `lost_seconds`.
class Interrupted : public WorkBody {
 public:
  Interrupted(double cpu_seconds, double lost_seconds) : cpu_(cpu_seconds), lost_(lost_seconds) {}
  void call(int thread, int number) override {
    const double end = thread_cpu() + cpu_;
    while (thread_cpu() < end) continue;
    if (thread == 0 && number % 4 != 3) {
      std::this_thread::sleep_for(std::chrono::duration<double>(lost_));
    }
  }

 private:
  static double thread_cpu() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }
  double cpu_, lost_;
};

}  // namespace

TEST_CASE("one thread is timed by its CPU time, a device by the wall clock") {
  Work work{"w", "ns", 1, 1, std::make_unique<Interrupted>(2e-4, 2e-3)};
  const Repetition repetition{0.004, 0.0005, 5};
  const Measurement by_cpu = measure(work, repetition);
  CHECK(by_cpu.cpu_clock);
  CHECK(by_cpu.median < 1e6);  // 0.2 ms; with the interruption at least 1.7 ms
  CHECK(by_cpu.cpu_per_wall < 0.5);
  work.waits = true;
  const Measurement by_wall = measure(work, repetition);
  CHECK_FALSE(by_wall.cpu_clock);
  CHECK(by_wall.median > 1e6);
}

TEST_CASE("runs of several threads in which one lost its CPU are left out") {
  // A run has one call, since it takes longer than a run must.
  const Work work{"w", "ns", 1, 2, std::make_unique<Interrupted>(1e-3, 2e-2)};
  const Measurement figure = measure(work, {0.2, 0.0005, 3});
  CHECK(figure.interrupted > 0);
  if (figure.runs >= 3 && figure.cpu_per_wall > 0.9) CHECK(figure.median < 1e7);
}

TEST_CASE("an unsteady figure is measured again until its time is over, four times at most") {
  const Work lost{"w", "ns", 1, 2, std::make_unique<Interrupted>(2e-4, 2e-2)};
  const Measurement once = measure(lost, {0.002, 0.0005, 3});
  CHECK(once.repeats == 0);
  Work device{"w", "ns", 1, 1, std::make_unique<Interrupted>(2e-4, 2e-3)};
  device.waits = true;  // always less than 90 % of a CPU
  const Measurement again = measure(device, {0.002, 0.0005, 3, wall_seconds() + 60});
  CHECK(again.repeats == 4);
  CHECK(is_unsteady(again));
}

TEST_CASE("threads stay on the nodes in proportion to their CPUs") {
  Topology topology;
  topology.nodes.resize(3);
  topology.nodes[0].cpus = {0, 1, 2, 3};
  topology.nodes[2].cpus = {4, 5};  // node 1 is memory without CPUs
  const std::vector<int> allowed{0, 1, 2, 3, 4, 5};
  const Places six = node_places(topology, allowed, 6);
  REQUIRE(six.size() == 6);
  CHECK(six[3] == topology.nodes[0].cpus);
  CHECK(six[4] == topology.nodes[2].cpus);
  CHECK(node_places(topology, allowed, 3)[2] == topology.nodes[2].cpus);
  CHECK(node_places(topology, allowed, 1) == Places{{0, 1, 2, 3}});
  CHECK(node_places(topology, {4, 5}, 2).empty());
}

TEST_CASE("placed threads run on their CPUs, and everywhere again afterwards") {
  const std::vector<int> cpus = usable_cpus().cpus;
  {
    const Places last{{cpus.back()}};
    const PlacedThreads placed(last);
    CHECK(usable_cpus().cpus == std::vector<int>{cpus.back()});
  }
  CHECK(usable_cpus().cpus == cpus);
}

TEST_CASE("stolen time is a share of the time since the meter began") {
  const ScratchFolder root;
  root.put("proc/stat", "cpu  100 0 50 800 0 0 0 50 7 0\ncpu0 1 1 1 1 1 1 1 1\n");
  const StealMeter meter(root.path());
  CHECK(meter.share() == 0);
  root.put("proc/stat", "cpu  130 0 60 840 0 0 0 70 9 0\ncpu0 1 1 1 1 1 1 1 1\n");
  CHECK(meter.share() == doctest::Approx(20.0 / (30 + 10 + 40 + 20)));
}
