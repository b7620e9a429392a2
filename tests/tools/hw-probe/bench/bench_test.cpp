#include "tools/hw-probe/bench/bench.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/report/report.h"
#include "libcore/system/limits.h"
#include "tools/hw-probe/bench/bench_memory.h"
#include "tools/hw-probe/bench/bench_report.h"
#include "tools/hw-probe/bench/peak.h"
#include "tools/hw-probe/model/bench_machine.h"

using namespace frugal;
using namespace frugal::probe;

namespace {

BenchResult result_with(std::size_t quiet, std::size_t noisy, double steal) {
  BenchResult result;
  for (std::size_t i = 0; i < quiet; ++i)
    result.figures.push_back({"q", 1, 1, 0.02, "ns", 0.99, 7});
  for (std::size_t i = 0; i < noisy; ++i)
    result.figures.push_back({"n", 1, 1, 0.30, "ns", 0.99, 7});
  result.steal_share = steal;
  judge(&result);
  return result;
}

constexpr std::uint64_t kMiB = 1 << 20;

Topology caches(std::uint64_t l1, std::uint64_t l2, std::uint64_t l3) {
  Topology topology;
  topology.caches = {{1, "data", l1, 1, 1, 64, 8}, {2, "unified", l2, 1, 1, 64, 8}};
  if (l3 > 0) topology.caches.push_back({3, "unified", l3, 1, 1, 64, 8});
  return topology;
}

bool has_bf16_peak(const BenchResult& result) {
  return std::any_of(result.figures.begin(), result.figures.end(),
                     [](const Measurement& figure) { return figure.name == "peak/bf16/1"; });
}

}  // namespace

TEST_CASE("the machine is noisy by many spread figures, by little CPU or by stolen time") {
  CHECK_FALSE(result_with(9, 3, 0).noisy);
  CHECK(result_with(8, 4, 0).noisy);
  CHECK(result_with(12, 0, 0.05).noisy);
  CHECK(result_with(8, 4, 0).verdict.find("too noisy to trust: 4 of 12") == 0);
  BenchResult starved;
  starved.figures = {{"s", 1, 1, 0.0, "ns", 0.5, 7}};
  judge(&starved);
  CHECK(starved.noisy);
}

TEST_CASE("the table names what is unsteady and what was repeated") {
  BenchResult result;
  result.figures = {{"a/1", 1, 1, 0.02, "ns", 0.5, 7, true, 0, 2},
                    {"b/all", 1, 1, 0.02, "ns", 0.5, 7, false, 3, 4},
                    {"c/1", 1, 1, 0.02, "ns", 1, 7, true}};
  const std::string text = bench_text(result);
  CHECK(text.find("cpu    0.5       repeated 2x\n") != std::string::npos);
  CHECK(text.find("wall   0.5       unsteady repeated 4x\n") != std::string::npos);
  CHECK(text.find("cpu    1\n") != std::string::npos);
  CHECK(text.find("2 unsteady figures were measured again, up to 4 times\n") != std::string::npos);
}

TEST_CASE("a figure of one thread is steady with half a CPU, since its CPU time is what counts") {
  BenchResult shared;
  shared.figures = {{"s", 1, 1, 0.0, "ns", 0.5, 7, true}};
  judge(&shared);
  CHECK_FALSE(shared.noisy);
  shared.figures[0].spread = 0.2;
  judge(&shared);
  CHECK(shared.noisy);
}

TEST_CASE("the set in DRAM exceeds all L3 caches of a machine with chiplets") {
  Topology epyc = caches(32 << 10, kMiB, 32 * kMiB);
  for (CacheLevel& cache : epyc.caches) cache.instances = cache.level < 3 ? 192 : 24;
  auto sets = working_sets(epyc, 512 * 1024 * kMiB, false);
  CHECK(sets.back().bytes == 2 * 24 * 32 * kMiB);
  CHECK(sets[2].used_by(384) == 24);
  CHECK(sets[2].used_by(2) == 2);
  CHECK(sets.back().used_by(384) == 1);
  epyc.caches.back().bytes = 96 * kMiB;
  CHECK(working_sets(epyc, 512 * 1024 * kMiB, false).back().bytes == 4096 * kMiB);
  // On several nodes one thread and all threads have memory of their own.
  epyc.nodes.resize(2);
  CHECK(working_sets(epyc, 8192 * kMiB, false).back().bytes == 1024 * kMiB);
}

TEST_CASE("capacities count each cache once, however many threads share it") {
  Topology smt = caches(32 << 10, kMiB, 32 * kMiB);
  for (CacheLevel& cache : smt.caches) cache.instances = cache.level < 3 ? 8 : 2;
  smt.memory_bytes = 1024 * kMiB;
  const auto sets = working_sets(smt, 1024 * kMiB, false);
  const auto levels = level_capacities(smt, sets, 16);
  CHECK(levels[0].second == 8 * (32 << 10));
  CHECK(levels[1].second == 8 * kMiB);
  CHECK(levels[2].second == 32 * kMiB);
  CHECK(level_capacities(smt, sets, 4)[1].second == 4 * kMiB);
}

TEST_CASE("working sets lie within their level") {
  const auto sets = working_sets(caches(48 << 10, 2 * kMiB, 260 * kMiB), 64 * 1024 * kMiB, false);
  REQUIRE(sets.size() == 4);
  CHECK(sets[0].bytes == 24 << 10);
  CHECK(sets[1].bytes == kMiB);
  CHECK(sets[2].bytes > 2 * kMiB);
  CHECK(sets[2].bytes < 130 * kMiB);
  CHECK(sets[3].name == "dram");
  CHECK(sets[3].bytes == 520 * kMiB);
}

TEST_CASE("working sets adapt to small machines") {
  const auto no_l3 = working_sets(caches(32 << 10, kMiB, 0), 1024 * kMiB, false);
  REQUIRE(no_l3.size() == 3);
  CHECK(no_l3.back().bytes == 256 * kMiB);
  CHECK(working_sets(caches(32 << 10, kMiB, 0), 64 * kMiB, false).back().bytes == 16 * kMiB);
  CHECK(working_sets(Topology{}, 1024 * kMiB, true).back().bytes == 16 * kMiB);
}

TEST_CASE("the peak loops count the work they do") {
  const PeakLoop f32 = f32_peak(SimdLevel::sve);
  CHECK(f32.flop_per_iteration > 0);
  // The sums converge to 0.25 / (1 - 0.5), times the number of sums.
  CHECK(f32.run(1000) > 0);
  CHECK(f32.run(1000) == doctest::Approx(f32.run(2000)));
#if defined(__x86_64__)
  CHECK(f32_peak(SimdLevel::v2).level == SimdLevel::v2);
  CHECK_FALSE(bf16_peak(SimdLevel::v4).has_value());
  CHECK(bf16_peak(SimdLevel::amx).has_value() == simd_usable(SimdLevel::v4bf16));
  if (const auto bf16 = bf16_peak(SimdLevel::v4bf16)) {
    CHECK(bf16->level == SimdLevel::v4bf16);
    // Each iteration adds 0.25 to each of 16 sums that began with 0 to 15.
    CHECK(bf16->run(1000) == 16 * 250 + 120);
  }
#endif
}

TEST_CASE("of two measurements the one with the better run stays") {
  const Measurement slow{"p", 209, 215, 0.25, "GFLOP/s", 1, 7},
      fast{"p", 205, 229, 0.3, "GFLOP/s", 1, 7};
  CHECK(better_of(slow, fast).best == 229);
  CHECK(better_of(fast, slow).best == 229);
  const Measurement quick{"t", 5, 3, 0, "ns", 1, 7}, lazy{"t", 4, 4, 0, "ns", 1, 7};
  CHECK(better_of(lazy, quick).best == 3);
}

TEST_CASE("every figure is measured once, by name, and reported") {
  BenchOptions options;
  options.quick = true;
  options.threads = 2;
  int steps = 0;
  const BenchResult result =
      run_benchmarks(options, [&](std::size_t done, std::size_t all, const std::string&) {
        CHECK(done < all);
        ++steps;
      });
  // Peaks come twice: f32 and, where there are such products, bf16, with one thread and with two.
  CHECK(steps == static_cast<int>(result.figures.size()) + (has_bf16_peak(result) ? 4 : 2));
  nlohmann::ordered_json json;
  describe_bench(ResultFields(json), result);
  CHECK(json["figures"].size() == result.figures.size());  // no name twice
  for (const auto& [binding, figure] : json["figures"].items()) {
    const std::string& name = binding;  // clang 14 captures no structured binding
    CAPTURE(name);
    CHECK(figure["median"].get<double>() > 0);
    CHECK(figure["spread"].get<double>() >= 0);
    const bool is_time = figure["unit"] == "ns";
    CHECK((is_time ? figure["best"] <= figure["median"] : figure["best"] >= figure["median"]));
    CHECK(figure["unit"].is_string());
  }
  for (const char* name :
       {"peak/f32/1", "gemm/f32/30x372x200/all", "bandwidth/triad/l1/1", "gather/256B/dram/huge/1",
        "gather/64B/dram/small/all", "chain/l2/huge/1", "sample/dram/huge/1", "hash/dram/huge/all",
        "zstd/compress/1", "zstd/decompress/all"}) {
    CHECK_MESSAGE(json["figures"].contains(name), name);
  }
  const MachineSpec machine = machine_of_bench(json, "bench.json");
  CHECK(machine.host.units == 2);
  CHECK(machine.host.f32_gflops == json["figures"]["peak/f32/all"]["best"]);
  CHECK(machine.host.level_bytes.size() == json["levels"].size() - 1);  // all but L1
  CHECK(machine.host.memory_bytes() == json["levels"]["dram"]);
  Report report("bench");
  add_bench_figures(result, &report);
  CHECK(report.html().find("Roofline") != std::string::npos);
  CHECK(bench_text(result).find("chain/dram/small/1") != std::string::npos);
}

TEST_CASE("slower cores have figures of their own, on their CPUs and in their caches") {
  BenchOptions options;
  options.quick = true;
  options.only = "efficiency";
  const std::vector<int> cpus = usable_cpus().cpus;
  Topology topology = caches(48 << 10, 1280 << 10, 0);
  const auto slower = caches(32 << 10, 2 * kMiB, 0).caches;
  topology.core_kinds = {{"performance", {cpus.front()}, 1, 5000, 1, topology.caches},
                         {"low-power efficiency", {cpus.back()}, 1, 2500, 0.4, slower}};
  const auto ignore = [](std::size_t, std::size_t, const std::string&) {};
  const BenchResult result = run_benchmarks(options, topology, ignore);
  nlohmann::ordered_json json;
  describe_bench(ResultFields(json), result);
  for (const char* name : {"peak/f32", "gemm/f32/30x372x200", "bandwidth/read/l1",
                           "bandwidth/read/dram", "chain/l2/huge"}) {
    const std::string figure = std::string(name) + "/low-power-efficiency";
    CHECK_MESSAGE(json["figures"].contains(figure), figure);
  }
  CHECK_FALSE(json["figures"].contains("bandwidth/write/l1/low-power-efficiency"));
  CHECK(usable_cpus().cpus == cpus);  // the threads may run everywhere again
}

TEST_CASE("--only measures what its text names, and refuses a name that nothing has") {
  BenchOptions options;
  options.quick = true;
  options.only = "peak/f32";
  const auto ignore = [](std::size_t, std::size_t, const std::string&) {};
  CHECK(run_benchmarks(options, ignore).figures.size() == 1);
  options.only = "gpu";
  try {
    run_benchmarks(options, ignore);
    CHECK(false);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::usage);
  }
}
