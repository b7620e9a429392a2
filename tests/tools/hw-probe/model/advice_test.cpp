#include "tools/hw-probe/model/advice.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "libcore/report/report.h"

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
  const Advice ours = advise(w, machines, {w.batch, 1}, {}, Order::time);
  CHECK(ours.machines[0].machine.name == "gpu");
  CHECK_FALSE(ours.machines[0].measured);
  CHECK(ours.machines[1].measured);
  CHECK(ours.machines[2].misfit == "tgn-train has no engine for it");
  CHECK(advice_text(ours).find("Not measured: tgn-train has not run yet on the devices of gpu\n") !=
        std::string::npos);
  w.tool = "";
  const Advice other = advise(w, machines, {w.batch, 1}, {}, Order::time);
  CHECK(other.machines[0].machine.name == "ipu");
  CHECK(other.machines[0].measured);
}

TEST_CASE("machines are ranked by time or by price, those that hold the work first") {
  const Workload w = workload();
  Advice advice = advise(w, kMachines, {w.batch, 1}, {}, Order::time);
  REQUIRE(advice.machines.size() == 3);
  CHECK(advice.machines[0].machine.name == "cpu");
  CHECK(advice.machines[0].epoch_seconds == Approx(100 * 100e-6));
  CHECK(advice.machines[0].epoch_dollars == Approx(0.01 * 7.2 / 3600));
  CHECK(advice.machines[1].machine.name == "unpriced");
  CHECK_FALSE(advice.machines[1].epoch_dollars);
  CHECK(advice.machines[2].epoch_seconds == Approx(100 * 1010e-6));
  advice = advise(w, kMachines, {w.batch, 1}, {}, Order::price);
  CHECK(advice.machines[0].machine.name == "gpu");
  CHECK(advice.machines[2].machine.name == "unpriced");
  Workload large = w;
  large.state_bytes = 2e9;
  CHECK_FALSE(advise(large, kMachines, {w.batch, 1}, {}, Order::time).machines[0].misfit.empty());
  advice = advise(w, kMachines, {w.batch, 2}, {}, Order::time);
  CHECK(advice.machines[0].misfit == "has no network");
}

TEST_CASE("the crossover is the batch size from which a machine beats the first") {
  // cpu: 10 us a sample. gpu: 1 us a sample and 1,000 us a step; 9 us x b > 1,000 us from b = 112
  // on.
  const Workload w = workload();
  const Advice advice = advise(w, kMachines, {w.batch, 1}, {}, Order::time);
  CHECK_FALSE(advice.machines[0].crossover);
  CHECK_FALSE(advice.machines[1].crossover);
  CHECK(advice.machines[2].crossover == 112);
  // At 1,000 the gpu is first, and the cpu wins up to 111.
  const Advice large = advise(w, kMachines, {1000, 1}, {}, Order::time);
  CHECK(large.machines[0].machine.name == "gpu");
  CHECK(large.machines[1].crossover == 111);
  CHECK(advice_text(large).find("up to 111") != std::string::npos);
}

TEST_CASE("the text says what is estimated and when prices held") {
  Workload w = workload();
  w.estimates = {"step-sample-flop"};
  const Advice advice = advise(w, kMachines, {w.batch, 1}, {}, Order::time);
  const std::string text = advice_text(advice);
  CHECK(text.find("Estimates of a model, not measurements") != std::string::npos);
  CHECK(text.find("w: step-sample-flop") != std::string::npos);
  CHECK(text.find("cpu 7.2 $/h (then)") != std::string::npos);
  CHECK(text.find("from 112") != std::string::npos);
  nlohmann::ordered_json json;
  describe_advice(ResultFields(json), advice);
  CHECK(json["machines"][0]["stages"]["step"]["products"] == Approx(1e-4));
  CHECK(json["machines"][1]["epoch_dollars"].is_null());
  const Figure figure = advice_figure(advice, {});
  REQUIRE(figure.series.size() == 3);
  CHECK(figure.series[0].y.front() == Approx(10));
}
