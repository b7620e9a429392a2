#include "tools/hw-probe/model/cost.h"

#include <doctest/doctest.h>

#include "libcore/base/error.h"

using namespace frugal;
using namespace frugal::probe;
using doctest::Approx;

namespace {

/// 1,000 GFLOP/s; 1 MB at 100 GB/s and 10 ns, 1 GB at 10 GB/s and 100 ns; 10 reads in flight.
Processor small_processor() {
  Processor p;
  p.f32_gflops = 1000;
  p.units = 4;
  p.level_bytes = {1e6, 1e9};
  p.level_gb_per_s = {100, 10};
  p.level_ns = {10, 100};
  p.level_in_flight = {10, 10};
  return p;
}

MachineSpec cpu() {
  MachineSpec machine;
  machine.host = small_processor();
  machine.network_gbit = 100;
  machine.network_us = 3;
  return machine;
}

/// The CPU beside a device of ten times its peak, 1 GB at 100 GB/s, behind a link of 1 GB/s.
MachineSpec gpu() {
  MachineSpec machine = cpu();
  machine.device = small_processor();
  machine.device.f32_gflops = 10000;
  machine.device.bf16_gflops = 40000;
  machine.device.level_gb_per_s = {1000, 100};
  machine.device.launch_us = 4;
  machine.link_gb_per_s = 1;
  machine.link_us = 10;
  return machine;
}

Workload with(const std::deque<Stage>& stages) {
  Workload workload;
  workload.stages = stages;
  workload.batch = 100;
  return workload;
}

double term(const StageCost& cost, Term which) {
  return cost.seconds[static_cast<std::size_t>(which)];
}

}  // namespace

TEST_CASE("a product whose squares do not fill the units wastes them") {
  CHECK(fill(64, 64, 4, 16) == 1);                // 16 squares, 4 rounds of 4
  CHECK(fill(16, 16, 4, 16) == 0.25);             // one square, three units idle
  CHECK(fill(8, 16, 1, 16) == 0.5);               // half of a square
  CHECK(fill(80, 16, 4, 16) == Approx(5.0 / 8));  // 5 squares take 2 rounds
}

TEST_CASE("long reads come from the smallest level that holds the working set") {
  const Processor p = small_processor();
  CHECK(stream_seconds(p, 1e6, 1e6) == Approx(1e-5));
  CHECK(stream_seconds(p, 1e6, 2e6) == Approx(1e-4));
  CHECK(stream_seconds(p, 1e6, 1e12) == Approx(1e-4));  // the last level has what is beyond
}

TEST_CASE("random rows cost latency over reads in flight, or bandwidth, by level") {
  const Processor p = small_processor();
  // All in the cache: 10 ns / 10 = 1 ns is more than 64 B / 100 GB/s = 0.64 ns.
  CHECK(row_seconds(p, 1000, 64, 1e6) == Approx(1000e-9));
  // Half of 2 MB in the cache: 0.5 x 1 ns + 0.5 x max(100 / 10, 6.4) ns = 5.5 ns.
  CHECK(row_seconds(p, 1000, 64, 2e6) == Approx(5500e-9));
  // Rows of 1,000 bytes are 16 lines: 1,024 B / 10 GB/s = 102.4 ns; a thousandth is in the cache,
  // where a row takes 10.24 ns.
  CHECK(row_seconds(p, 1000, 1000, 1e9) == Approx((0.999 * 102.4 + 0.001 * 10.24) * 1e-6));
}

TEST_CASE("the longest term of a stage counts, launches and copies come on top") {
  Stage stage;
  stage.name = "train";
  stage.sample_flop = 1e7;   // 1e9 a step: 1e-4 s at 10,000 GFLOP/s
  stage.sample_bytes = 5e5;  // 5e7 a step: 5e-4 s at 100 GB/s
  stage.bytes_set = 1e9;
  stage.launches = 10;             // of 4 + 6 us
  stage.sample_copy_bytes = 1000;  // 1e5 a step: 1e-4 s
  stage.copies = 2;                // of 10 us
  Workload workload = with({stage});
  workload.launch_us = 6;
  const StageCost cost = stage_cost(workload, stage, gpu(), {100, 1}, {});
  CHECK(term(cost, Term::products) == Approx(1e-4));
  CHECK(term(cost, Term::long_reads) == Approx(5e-4));
  CHECK(term(cost, Term::launches) == Approx(1e-4));
  CHECK(term(cost, Term::copies) == Approx(1.2e-4));
  CHECK(cost.total == Approx(7.2e-4));
  CHECK(cost.longest == Term::long_reads);

  SUBCASE("a machine without a device runs it on its host and copies nothing") {
    const StageCost host = stage_cost(workload, stage, cpu(), {100, 1}, {});
    CHECK(term(host, Term::products) == Approx(1e-3));
    CHECK(term(host, Term::long_reads) == Approx(5e-3));
    CHECK(term(host, Term::copies) == 0);
    CHECK(host.total == Approx(5e-3 + 10 * 6e-6));
  }
  SUBCASE("an efficiency stretches the work but neither launches nor copies") {
    stage.kernel = "x";
    const StageCost slow = stage_cost(workload, stage, gpu(), {100, 1}, {{{"x", 0.5}}, 1});
    CHECK(slow.total == Approx(10e-4 + 1e-4 + 1.2e-4));
  }
  SUBCASE("kinds without an efficiency of their own have the typical one") {
    const StageCost slow = stage_cost(workload, stage, gpu(), {100, 1}, {{}, 0.5});
    CHECK(slow.total == Approx(10e-4 + 1e-4 + 1.2e-4));
  }
  SUBCASE("a compiled program does not pay its framework") {
    MachineSpec machine = gpu();
    machine.device.compiled = true;
    CHECK(term(stage_cost(workload, stage, machine, {100, 1}, {}), Term::launches) == Approx(4e-5));
  }
  SUBCASE("16-bit products run at their own peak, in f32 where there is none") {
    stage.bf16 = true;
    CHECK(term(stage_cost(workload, stage, gpu(), {100, 1}, {}), Term::products) == Approx(2.5e-5));
    CHECK(term(stage_cost(workload, stage, cpu(), {100, 1}, {}), Term::products) == Approx(1e-3));
  }
}

TEST_CASE("a program's own instructions share the cores that it uses") {
  Stage stage;
  stage.on_host = true;
  stage.sample_core_us = 8;  // 800 us a step of one core
  CHECK(stage_cost(with({stage}), stage, gpu(), {100, 1}, {}).total == Approx(200e-6));
  stage.cores = 1;
  CHECK(stage_cost(with({stage}), stage, gpu(), {100, 1}, {}).total == Approx(800e-6));
  // It was measured: the efficiency of kernels is none of it, unless its own was calibrated.
  CHECK(stage_cost(with({stage}), stage, gpu(), {100, 1}, {{}, 0.5}).total == Approx(800e-6));
  stage.kernel = "x";
  CHECK(stage_cost(with({stage}), stage, gpu(), {100, 1}, {{{"x", 0.5}}, 1}).total ==
        Approx(1600e-6));
}

TEST_CASE("devices of a machine share its host, and each is a rank") {
  Stage stage;
  stage.on_host = true;
  stage.sample_core_us = 8;
  MachineSpec pair = gpu();
  pair.devices = 2;
  CHECK(stage_cost(with({stage}), stage, pair, {100, 1}, {}).total == Approx(400e-6));
  CHECK(num_ranks(pair, {100, 3}) == 6);
  CHECK(num_ranks(cpu(), {100, 3}) == 3);
  Workload workload = with({stage});
  workload.exchange = Exchange::reduce;
  workload.exchange_bytes = 1e6;
  CHECK(step_cost(workload, pair, {100, 2}, {}).exchange ==
        exchange_seconds(Exchange::reduce, 4, 1e6, 100, 3));
  // Within the machine over its link of 1 GB/s and 10 us.
  CHECK(step_cost(workload, pair, {100, 1}, {}).exchange ==
        exchange_seconds(Exchange::reduce, 2, 1e6, 8, 10));
}

TEST_CASE("an epoch begins with a batch that no other one hides") {
  Stage sample, train;
  sample.name = "sample", train.name = "train";
  sample.lane = "workers";
  sample.on_host = true;
  sample.sample_core_us = 20;  // 500 us on 4 cores, 2 ms on one
  train.sample_flop = 7e7;     // 700 us on the device
  const StepCost step = step_cost(with({sample, train}), gpu(), {100, 1}, {});
  CHECK(step.seconds == Approx(700e-6));
  CHECK(step.fill == Approx(2e-3));
  CHECK(step_cost(with({sample, train}), cpu(), {100, 1}, {}).fill == 0);
}

TEST_CASE("tables that a device cannot hold are read over the link") {
  Stage stage;
  stage.sample_rows = 10;  // 1,000 rows a step
  stage.row_bytes = 128;
  stage.table_bytes = 2e9;  // half of it in the device's memory
  // An efficiency is none of the link's.
  CHECK(stage_cost(with({stage}), stage, gpu(), {100, 1}, {{}, 0.5}).total ==
        Approx((0.4995 * 20 + 0.5 * 1000) * 1e-6).epsilon(0.01));
  // There 100 ns / 10 a row, over the link 128 B / 1 GB/s and half a thousandth from the cache.
  const double seconds = stage_cost(with({stage}), stage, gpu(), {100, 1}, {}).total;
  CHECK(seconds == Approx((0.0005 * 1.28 + 0.4995 * 10 + 0.5 * 1000) * 1e-6).epsilon(0.01));
  // Two nodes that share the table out hold it.
  Workload shared = with({stage});
  shared.sharded = true;
  CHECK(stage_cost(shared, stage, gpu(), {100, 2}, {}).total == Approx(10e-6).epsilon(0.01));
}

TEST_CASE("lanes run at the same time, stages of a lane one after the other") {
  Stage sample, copy, train;
  sample.name = "sample", copy.name = "copy", train.name = "train";
  sample.lane = "workers";
  sample.on_host = copy.on_host = train.on_host = true;
  sample.sample_core_us = 20;                          // 500 us on 4 cores
  copy.sample_core_us = 8, train.sample_core_us = 16;  // 200 and 400 us
  const StepCost step = step_cost(with({sample, copy, train}), gpu(), {100, 1}, {});
  CHECK(step.seconds == Approx(600e-6));
  CHECK(step.bottleneck == "train: program");
  copy.lane = "copies";
  const StepCost ahead = step_cost(with({sample, copy, train}), gpu(), {100, 1}, {});
  CHECK(ahead.seconds == Approx(500e-6));
  CHECK(ahead.bottleneck == "sample: program");
  // Without a device all stages share the CPU.
  CHECK(step_cost(with({sample, copy, train}), cpu(), {100, 1}, {}).seconds == Approx(1100e-6));
}

TEST_CASE("ranks exchange by the alpha-beta model") {
  // A ring of 16: 2 x 15/16 x 109.6 MB over 85 % of 12.5 GB/s, and 2 x 4 messages of 3 us.
  const double ring = 2 * 15.0 / 16 * 109.6e6 / (0.85 * 12.5e9) + 8 * 3e-6;
  CHECK(exchange_seconds(Exchange::reduce, 16, 109.6e6, 100, 3) == Approx(ring));
  // 16 pairwise: 15/16 x 26.21 MB, and a quarter of 15 messages.
  const double pairs = 15.0 / 16 * 26.21e6 / (0.85 * 12.5e9) + 15 * 3e-6 / 4;
  CHECK(exchange_seconds(Exchange::all_to_all, 16, 26.21e6, 100, 3) == Approx(pairs));
  CHECK(exchange_seconds(Exchange::reduce, 1, 1e9, 100, 3) == 0);
  CHECK(exchange_seconds(Exchange::none, 16, 1e9, 100, 3) == 0);
}

TEST_CASE("sixteen nodes that reduce 110 MB a step of 8 ms are worth six") {
  Stage stage;
  stage.name = "train";
  stage.sample_core_us = 4 * 4.0;  // 2,048 samples of 4 us on 4 cores: 8.192 ms
  Workload workload = with({stage});
  workload.exchange = Exchange::reduce;
  workload.exchange_bytes = 109.6e6;
  workload.exchange_overlap = 0.8;
  const double one = step_cost(workload, cpu(), {2048, 1}, {}).seconds;
  const StepCost all = step_cost(workload, cpu(), {2048, 16}, {});
  CHECK(one == Approx(8.192e-3));
  CHECK(16 * one / all.seconds == Approx(6.2).epsilon(0.01));
  CHECK(all.bottleneck == "exchange");
}

TEST_CASE("what does not fit is named") {
  Workload workload = with({Stage{}});
  workload.state_bytes = 0.8e9;
  workload.host_bytes = 0.5e9;
  const auto misfit = [&](const MachineSpec& machine, double nodes) {
    return what_does_not_fit(memory_need(workload, machine, {100, nodes}), machine);
  };
  CHECK(misfit(cpu(), 1).starts_with("needs 1.2"));
  CHECK(misfit(gpu(), 1).empty());
  workload.state_bytes = 2e9;
  CHECK(misfit(gpu(), 1).starts_with("device needs"));
  workload.sharded = true;
  CHECK(misfit(gpu(), 2).empty());
  workload.batch_bytes = 1e6;  // 100 MB of activations beside 1 GB
  CHECK(memory_need(workload, gpu(), {100, 2}).device == Approx(1.1e9));
  // Each of two devices of a machine holds its own part, and the host the data of both.
  MachineSpec pair = gpu();
  pair.devices = 2;
  CHECK(memory_need(workload, pair, {100, 1}).device == Approx(1.1e9));
  CHECK(memory_need(workload, pair, {100, 1}).host == Approx(0.5e9));
}

TEST_CASE("a machine's file must have a level's values in every list") {
  MachineSpec machine = cpu();
  CHECK_NOTHROW(check(machine, "m.yaml"));
  machine.host.level_ns.pop_back();
  CHECK_THROWS_WITH_AS(check(machine, "m.yaml"),
                       "m.yaml: 'host-level-ns': expected 2 values, one a level", Error);
  machine = gpu();
  machine.link_gb_per_s = 0;
  CHECK_THROWS_AS(check(machine, "m.yaml"), Error);
  machine = cpu();
  machine.dollars_per_hour = 1;
  CHECK_THROWS_AS(check(machine, "m.yaml"), Error);
}
