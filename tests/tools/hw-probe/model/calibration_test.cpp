#include "tools/hw-probe/model/calibration.h"

#include <doctest/doctest.h>

#include "libcore/base/error.h"
#include "tools/hw-probe/model/run_workload.h"

using namespace frugal;
using namespace frugal::probe;
using doctest::Approx;

namespace {

MachineSpec machine() {
  MachineSpec m;
  m.host.f32_gflops = 1;
  m.host.level_bytes = {1e9};
  m.host.level_gb_per_s = {1};
  m.host.level_ns = {100};
  m.host.level_in_flight = {1};
  return m;
}

/// `samples` of 1 us of products and 1 ms a step of long reads, at half and a fifth of these
/// speeds.
MeasuredRun run(const std::string& name, double samples) {
  MeasuredRun r;
  r.name = name;
  r.workload.batch = samples;
  r.workload.stages.resize(2);
  r.workload.stages[0].kernel = "products";
  r.workload.stages[0].sample_flop = 1e3;
  r.workload.stages[1].kernel = "reads";
  r.workload.stages[1].step_bytes = 1e6;
  r.step_seconds = samples * 2e-6 + 5e-3;
  return r;
}

RunRecord tgn_record() {
  RunRecord record;
  record.name = "r";
  record.tool = "tgn-train";
  record.command = "train";
  record.settings = {{"batch-size", {"200"}}, {"memory-dim", {"100"}}, {"neighbors", {"10"}}};
  record.figures = {{"train_events", 1000}, {"parameters", 5000},      {"nodes", 50},
                    {"steps", 30},          {"resumed_from_step", 10}, {"fit_seconds", 2}};
  return record;
}

}  // namespace

TEST_CASE("efficiencies come back from runs that have them, and hold for another run") {
  const std::vector<MeasuredRun> fitted{run("a", 100), run("b", 10000), run("c", 1000)};
  const Efficiency efficiency = fit_efficiencies(fitted, machine());
  CHECK(efficiency.at("products") == Approx(0.5).epsilon(0.02));
  CHECK(efficiency.at("reads") == Approx(0.2).epsilon(0.02));
  const auto held_out = predict({run("d", 4000)}, machine(), efficiency);
  CHECK(held_out[0].measured == Approx(13e-3));
  CHECK(held_out[0].before == Approx(5e-3));
  CHECK(held_out[0].error_before() == Approx(1 - 5.0 / 13));
  CHECK(held_out[0].error_after() < 0.02);
  const MeanErrors errors = mean_errors(held_out);
  CHECK(errors.before == Approx(held_out[0].error_before()));
  CHECK(errors.after == Approx(held_out[0].error_after()));
}

TEST_CASE("a kind that the runs hardly show stays in bounds") {
  MeasuredRun fast = run("a", 100);
  fast.step_seconds = 1e-9;
  CHECK(fit_efficiencies({fast}, machine()).at("products") <= 1);
  fast.step_seconds = 1e3;
  CHECK(fit_efficiencies({fast}, machine()).at("reads") >= 0.01);
}

TEST_CASE("a log says what a step does and how long it took") {
  const MeasuredRun measured = measured_run(tgn_record());
  CHECK(measured.step_seconds == 0.1);  // 2 s, 20 steps of this process
  const Workload& workload = measured.workload;
  CHECK(workload.batch == 200);
  CHECK(workload.epoch_samples == 1000);
  REQUIRE(workload.stages.size() == 2);
  CHECK(workload.stages[0].kernel == "tgn-train-events");
  CHECK(workload.stages[0].sample_flop == 6 * 3 * 5000);
  CHECK(workload.stages[0].sample_rows == 2 * 3 * 11);
  CHECK(workload.stages[1].step_bytes == 8 * 4 * 5000);
}

TEST_CASE("a log without a figure, or of another command, is refused by name") {
  RunRecord record = tgn_record();
  record.settings.erase("neighbors");
  CHECK_THROWS_WITH_AS(run_workload(record),
                       "r: the log has no number 'neighbors', which the model of tgn-train needs",
                       Error);
  record.command = "eval";
  CHECK_THROWS_AS(run_workload(record), Error);
}
