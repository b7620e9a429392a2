#include "tools/hw-probe/model/advice.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "libcore/report/report.h"
#include "tools/hw-probe/model/price_date.h"

using namespace frugal;
using namespace frugal::probe;
using doctest::Approx;

namespace {

/// 10 us a sample and 1 ms a step at 1 GFLOP/s: `speed` times as fast, launches of 100 us each.
MachineSpec machine(const std::string& name, double speed, double launch_us, double dollars) {
  MachineSpec m;
  m.name = name;
  m.host.f32_gflops = speed;
  m.host.level_bytes = {1e9};
  m.host.level_gb_per_s = {1};
  m.host.level_ns = {100};
  m.host.level_in_flight = {1};
  m.host.launch_us = launch_us;
  m.dollars_per_hour = dollars;
  m.price_date = "then";
  return m;
}

Workload workload() {
  Workload w;
  w.name = "w";
  w.title = "a workload";
  w.epoch_samples = 1000;
  w.batch = 10;
  w.stages.resize(1);
  w.stages[0].name = "step";
  w.stages[0].sample_flop = 1e4;
  w.stages[0].launches = 10;
  return w;
}

// A step of 10: 100 us. Without launches 100 us; ten times as fast with launches of 100 us: 1,010
// us.
const std::vector<MachineSpec> kMachines{machine("gpu", 10, 100, 0.36), machine("cpu", 1, 0, 7.2),
                                         machine("unpriced", 0.5, 0, 0)};

}  // namespace

TEST_CASE("a machine whose device our tool has no engine for is not ranked") {
  Workload w = workload();
  MachineSpec ipu = machine("ipu", 1, 0, 0), gpu = machine("gpu", 1, 0, 0);
  ipu.device = ipu.host;
  ipu.device.f32_gflops = 1e6;
  ipu.device.compiled = true;
  gpu.device = gpu.host;
  gpu.device.f32_gflops = 1e5;
  const std::vector<MachineSpec> machines{ipu, gpu, machine("cpu", 1, 0, 0)};
  w.tool = "tgn-train";
  const Advice ours = advise(w, machines, {w.batch, 1}, 1, {}, Order::time);
  // One that no engine has run on comes after those that were measured, however fast.
  CHECK(ours.machines[0].machine.name == "cpu");
  CHECK(ours.machines[0].measured);
  CHECK(ours.machines[1].machine.name == "gpu");
  CHECK_FALSE(ours.machines[1].measured);
  CHECK(ours.machines[2].misfit == "tgn-train has no engine for it");
  const std::string text = advice_text(ours);
  CHECK(text.find("Not measured: tgn-train has not run yet on these devices\ngpu") !=
        std::string::npos);
  CHECK(text.find("Cannot run it:\n  ipu: tgn-train has no engine for it\n") != std::string::npos);
  w.tool = "";
  const Advice other = advise(w, machines, {w.batch, 1}, 1, {}, Order::time);
  CHECK(other.machines[0].machine.name == "ipu");
  CHECK(other.machines[0].measured);
}

TEST_CASE("machines are ranked by time or by price, those that hold the work first") {
  const Workload w = workload();
  Advice advice = advise(w, kMachines, {w.batch, 1}, 1, {}, Order::time);
  REQUIRE(advice.machines.size() == 3);
  CHECK(advice.machines[0].machine.name == "cpu");
  CHECK(advice.machines[0].epoch_seconds.value == Approx(100 * 100e-6));
  CHECK(advice.machines[0].epoch_dollars->value == Approx(0.01 * 7.2 / 3600));
  CHECK(advice.machines[1].machine.name == "unpriced");
  CHECK_FALSE(advice.machines[1].epoch_dollars);
  CHECK(advice.machines[2].epoch_seconds.value == Approx(100 * 1010e-6));
  advice = advise(w, kMachines, {w.batch, 1}, 1, {}, Order::price);
  CHECK(advice.machines[0].machine.name == "gpu");
  CHECK(advice.machines[2].machine.name == "unpriced");
  Workload large = w;
  large.state_bytes = 2e9;
  CHECK_FALSE(
      advise(large, kMachines, {w.batch, 1}, 1, {}, Order::time).machines[0].misfit.empty());
  advice = advise(w, kMachines, {w.batch, 2}, 1, {}, Order::time);
  CHECK(advice.machines[0].misfit == "has no network");
}

TEST_CASE("the crossover is the batch size from which a machine beats the first") {
  // cpu: 10 us a sample. gpu: 1 us a sample and 1,000 us a step; 9 us x b > 1,000 us from b = 112
  // on.
  const Workload w = workload();
  const Advice advice = advise(w, kMachines, {w.batch, 1}, 1, {}, Order::time);
  CHECK_FALSE(advice.machines[0].crossover);
  CHECK_FALSE(advice.machines[1].crossover);
  CHECK(advice.machines[2].crossover == 112);
  // At 1,000 the gpu is first, and the cpu wins up to 111.
  const Advice large = advise(w, kMachines, {1000, 1}, 1, {}, Order::time);
  CHECK(large.machines[0].machine.name == "gpu");
  CHECK(large.machines[1].crossover == 111);
  CHECK(advice_text(large).find("up to 111") != std::string::npos);
}

TEST_CASE("the text says what is estimated and when prices held") {
  Workload w = workload();
  w.estimates = {"step-sample-flop"};
  const Advice advice = advise(w, kMachines, {w.batch, 1}, 1, {}, Order::time);
  const std::string text = advice_text(advice);
  CHECK(text.find("Estimates of a model, not measurements") != std::string::npos);
  CHECK(text.find("w: step-sample-flop") != std::string::npos);
  CHECK(text.find("cpu 7.2 $/h (then)") != std::string::npos);
  CHECK(text.find("from 112") != std::string::npos);
  nlohmann::ordered_json json;
  describe_advice(ResultFields(json), advice);
  CHECK(json["machines"][0]["stages"]["step"]["products"] == Approx(1e-4));
  CHECK(json["machines"][1]["epoch_dollars"].is_null());
  const Figure figure = batch_figure(advice);
  REQUIRE(figure.series.size() == 3);
  CHECK(figure.series[0].y.front() == Approx(10));
}

TEST_CASE("a job is set-up, epochs and validation, with its price and its energy") {
  Workload w = workload();
  w.setup_core_us = 500;  // 1,000 samples: 0.5 s
  w.validation_share = 0.25;
  MachineSpec cpu = machine("cpu", 1, 0, 7.2);  // 10 ms an epoch
  cpu.watts = 100;
  Calibration calibration;
  calibration.path = "c.yaml";
  calibration.machine = "here";
  calibration.efficiency.kernels["k"] = 1;
  calibration.interval = {0.5, 3, 20, 0.8};
  cpu.title = "here";
  w.tool = "tgn-train";
  w.stages[0].kernel = "k";
  const Advice advice = advise(w, {cpu}, {w.batch, 1}, 8, calibration, Order::time);
  const MachineAdvice& one = advice.machines[0];
  CHECK(one.job_seconds.value == Approx(0.5 + 8 * 0.0125));
  CHECK(one.job_seconds.low == Approx(0.3));
  CHECK(one.job_seconds.high == Approx(1.8));
  CHECK(one.job_dollars->value == Approx(0.6 * 7.2 / 3600));
  CHECK(one.job_kwh->value == Approx(0.6 * 100 / 3.6e6));
  CHECK(advice_text(advice).find(
            "Intervals: runs on here (16 of 20 were within one of the others)\n") !=
        std::string::npos);
  // Elsewhere the calibration is less sure.
  cpu.title = "elsewhere";
  const Advice other = advise(w, {cpu}, {w.batch, 1}, 8, calibration, Order::time);
  CHECK(other.machines[0].job_seconds.high == Approx(0.6 * transferred_interval().high));
}

TEST_CASE("a machine is efficient if no other one is both faster and cheaper") {
  // 10 ms for 20e-6 $, 101 ms for 10.1e-6 $, 20 ms for 40e-6 $, and one without a price.
  std::vector<MachineSpec> machines = kMachines;
  machines.push_back(machine("dear", 0.5, 0, 7.2));
  const Workload w = workload();
  const Advice advice = advise(w, machines, {w.batch, 1}, 1, {}, Order::time);
  std::string efficient;
  for (const MachineAdvice& m : advice.machines) {
    if (m.efficient) efficient += m.machine.name + " ";
  }
  CHECK(efficient == "cpu gpu ");
  const Figure figure = price_figure(advice);
  REQUIRE(figure.series.size() == 3);  // by launches, by products, and the line of the efficient
  CHECK(figure.series[0].name == "limited by launches");
  CHECK(figure.series[0].labels == std::vector<std::string>{"gpu"});
  CHECK(figure.series[1].labels == std::vector<std::string>{"cpu", "dear"});
  CHECK(figure.series[2].x.size() == 2);
}

TEST_CASE("a price is old a year after the last day that its date can mean") {
  constexpr std::int64_t kEndOf2024 = 20088;
  CHECK_FALSE(is_old_price("on demand, 2024", kEndOf2024 + 365));
  CHECK(is_old_price("on demand, 2024", kEndOf2024 + 366));
  CHECK(is_old_price("2023-12-30, seen on 2024-01-31", kEndOf2024 - 335 + 366));
  CHECK_FALSE(is_old_price("2023-12-30, seen on 2024-02", kEndOf2024 - 306 + 365));
  CHECK_FALSE(is_old_price("today", kEndOf2024 + 10000));
  CHECK_FALSE(is_old_price("2024-13-45", kEndOf2024));
}
