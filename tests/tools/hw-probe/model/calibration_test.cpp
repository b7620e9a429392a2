#include "tools/hw-probe/model/calibration.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "libcore/base/error.h"
#include "tools/hw-probe/model/run_facts.h"
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
  record.path = record.name = "r";
  record.tool = "tgn-train";
  record.command = "train";
  record.settings = {{"batch-size", {"200"}}, {"memory-dim", {"100"}}, {"neighbors", {"10"}}};
  record.figures = {{"train_events", 1000}, {"parameters", 5000},      {"nodes", 50},
                    {"steps", 30},          {"resumed_from_step", 10}, {"fit_seconds", 2},
                    {"epochs", 4},          {"read_seconds", 0.5},     {"train_seconds", 3}};
  return record;
}

}  // namespace

TEST_CASE("efficiencies come back from runs that have them, and hold for another run") {
  const std::vector<MeasuredRun> fitted{run("a", 100), run("b", 10000), run("c", 1000)};
  const Efficiency efficiency = fit_efficiencies(fitted, machine());
  CHECK(efficiency.kernels.at("products") == Approx(0.5).epsilon(0.02));
  CHECK(efficiency.kernels.at("reads") == Approx(0.2).epsilon(0.02));
  CHECK(efficiency.other == typical_calibration().efficiency.other);  // as advise reads it back
  const auto held_out = predict({run("d", 4000)}, machine(), efficiency);
  CHECK(held_out[0].measured == Approx(13e-3));
  const double typical = 5e-3 / typical_calibration().efficiency.other;
  CHECK(held_out[0].before == Approx(typical));
  CHECK(held_out[0].error_before() == Approx(1 - typical / 13e-3));
  CHECK(held_out[0].error_after() < 0.02);
  const MeanErrors errors = mean_errors(held_out);
  CHECK(errors.before == Approx(held_out[0].error_before()));
  CHECK(errors.after == Approx(held_out[0].error_after()));
}

TEST_CASE("a kind that the runs hardly show stays in bounds") {
  MeasuredRun fast = run("a", 100);
  fast.step_seconds = 1e-9;
  CHECK(fit_efficiencies({fast}, machine()).kernels.at("products") <= 1);
  fast.step_seconds = 1e3;
  CHECK(fit_efficiencies({fast}, machine()).kernels.at("reads") >= 0.01);
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

TEST_CASE("a log says what its whole run took beside its steps") {
  RunRecord record = tgn_record();
  record.threads = 2;
  record.cpu = "A CPU";
  const Workload workload = run_workload(record);
  CHECK(workload.epochs == 4);
  CHECK(workload.setup_core_us == Approx(0.5e6 * 2 / 1000));  // 0.5 s of two threads
  CHECK(workload.validation_share == Approx(0.25));           // 3 - 0.5 - 2 s beside 2 s
  const LoggedRun logged = logged_run(record);
  CHECK(logged.machine == "A CPU, 2 threads");
  CHECK(logged.epoch_seconds == Approx(0.5));  // 5 steps of 0.1 s
  CHECK(logged.job_seconds == 3);
  // Predictions go forward only.
  const Workload prediction = prediction_workload(record);
  CHECK(prediction.stages[0].sample_flop == Approx(2 * 3 * 5000));
  CHECK(prediction.stages[0].sample_rows == 3 * 11);
  CHECK(prediction.stages[1].step_bytes == 4 * 5000);
}

TEST_CASE("the size of mini-batches is that asked for, though the last one of an epoch is short") {
  RunRecord record;
  record.settings = {{"batch-size", {"0"}}};
  const auto batch = [&](double samples, double steps) {
    record.figures = {{"epochs", 50}, {"steps", 50 * steps}};
    return RunFacts(record).batch(samples);
  };
  CHECK(batch(130, 3) == 64);
  CHECK(batch(400, 7) == 64);
  CHECK(batch(6, 1) == 6);
  CHECK(batch(128, 2) == 64);
  CHECK(batch(130000, 130) == 1000);
  record.settings["batch-size"] = {"1000"};
  CHECK(batch(130500, 131) == 1000);
  CHECK(batch(140, 1) == 140);
  CHECK(batch(1000, 20) == 50);  // the setting is of another run
}

TEST_CASE("a goal is reached in the first epoch whose metric is as good") {
  RunRecord record = tgn_record();
  record.curves["validation_auc"] = {{1, 0.7}, {2, 0.8}, {3, 0.75}};
  record.curves["loss"] = {{1, 0.6}, {2, 0.5}};
  CHECK(epochs_until(record, "validation_auc=0.8") == 2);
  CHECK(epochs_until(record, "auc=0.71") == 2);
  CHECK(epochs_until(record, "loss=0.55") == 2);
  CHECK_THROWS_WITH_AS(epochs_until(record, "auc=0.9"),
                       "--until: r did not reach validation_auc 0.9: its best is 0.8, in epoch 2",
                       Error);
  CHECK_THROWS_WITH_AS(epochs_until(record, "f1=0.9"),
                       "--until: r has no curve of 'f1'; expected one of loss, validation_auc",
                       Error);
  CHECK_THROWS_AS(epochs_until(record, "auc"), Error);
}

TEST_CASE("an interval leaves a tenth of the runs out at each end") {
  std::vector<double> ratios;
  for (int i = 1; i <= 19; ++i) ratios.push_back(i);
  const Interval interval = interval_of(ratios);
  CHECK(interval.low == 2);  // the (19 + 1) / 10-th
  CHECK(interval.high == 18);
  CHECK(interval.runs == 19);
  // An interval of the 18 others goes from their first to their last run: the two outermost are
  // outside.
  CHECK(interval.covered == Approx(17.0 / 19));
  CHECK_FALSE(interval_of({1, 2, 3}).exists());
}

TEST_CASE("hops of a mini-batch have the nodes and edges that the log counted") {
  RunRecord record;
  record.name = "g";
  record.tool = "gnn-sample";
  record.command = "train";
  record.settings = {{"fanouts", {"2,3"}}, {"hidden", {"8"}}, {"precision", {"f32"}}};
  // A graph so large that no node is drawn twice: 100 seeds, 300 nodes after a hop, 1,200 at last.
  record.figures = {{"train_seeds", 100},    {"epochs", 1},           {"steps", 1},
                    {"sampled_nodes", 1200}, {"sampled_edges", 1100}, {"nodes", 1e9},
                    {"edges", 1e10},         {"features", 4},         {"outputs", 2},
                    {"parameters", 4800},    {"fit_seconds", 1}};
  const auto stage = [&](const Workload& w, const std::string& name) {
    return *std::find_if(w.stages.begin(), w.stages.end(),
                         [&](const Stage& s) { return s.name == name; });
  };
  const Workload dense = run_workload(record);
  // Weights of 4 x 8 and 8 x 2 numbers: two thirds in the outermost layer, which has 300 rows.
  CHECK(stage(dense, "products").sample_flop * 100 ==
        Approx(6 * (300 * 3200 + 100 * 1600)).epsilon(0.01));
  CHECK_FALSE(stage(dense, "products").bf16);
  CHECK(stage(dense, "products").launches == 28);
  // Rows of 8 and 2 floats, ten times.
  CHECK(stage(dense, "rows").sample_bytes * 100 ==
        Approx(10 * 4 * (300 * 8 + 100 * 2)).epsilon(0.01));
  CHECK(stage(dense, "slice").sample_rows == 12);
  CHECK(stage(dense, "slice").row_bytes == 16);
  // A node with sparse features stores one number and its column, which names a row of the weights.
  record.figures["features_per_node"] = 1;
  const Workload sparse = run_workload(record);
  CHECK(stage(sparse, "slice").row_bytes == 8);
  CHECK(stage(sparse, "sparse-rows").sample_rows == Approx(2 * 12));
  CHECK(stage(sparse, "rows").sample_bytes * 100 ==
        Approx(10 * 4 * (300 * 8 + 100 * 2 + 1200 * 8)).epsilon(0.01));
  CHECK(stage(sparse, "sparse-rows").row_bytes == 32);
  CHECK(stage(sparse, "products").sample_flop * 100 == Approx(6 * 100 * 1600).epsilon(0.01));
}

TEST_CASE("trees are work of the host's cores, at the pace of the log") {
  RunRecord record;
  record.name = "t";
  record.tool = "sparse-train";
  record.command = "train";
  record.threads = 2;
  record.figures = {{"examples", 1000},
                    {"trees", 1},
                    {"fit_seconds", 3},
                    {"search_seconds", 4},
                    {"train_seconds", 8}};
  const Workload workload = run_workload(record);
  REQUIRE(workload.stages.size() == 1);
  CHECK(workload.stages[0].on_host);
  CHECK(workload.stages[0].sample_core_us == Approx(6000));
  CHECK(workload.setup_core_us == Approx(8000));
  CHECK(workload.validation_share == Approx(1.0 / 3));
  CHECK(measured_run(record).step_seconds == 3);
}

TEST_CASE("trees beside a network: an epoch has its share of the time, and no batch size") {
  RunRecord record;
  record.tool = "sparse-train";
  record.command = "train";
  record.figures = {
      {"examples", 1000},       {"trees", 3},       {"epochs", 20},      {"steps", 2320},
      {"resumed_from_step", 0}, {"fit_seconds", 4}, {"train_seconds", 5}};
  const Workload workload = run_workload(record);
  CHECK(workload.epochs == 20);
  CHECK(workload.epochs * 1000 * workload.stages[0].sample_core_us == Approx(4e6));
  CHECK_FALSE(workload.has_batches);
  CHECK(logged_run(record).epoch_seconds == Approx(0.2));
  CHECK(measured_run(record).step_seconds == Approx(0.2));
  record.figures["resumed_from_step"] = 1160;
  CHECK(logged_run(record).epoch_seconds == Approx(0.4));
}

TEST_CASE("a log of automatic settings has their values as figures, or is refused") {
  RunRecord record = tgn_record();
  const Workload named = run_workload(record);
  record.settings["batch-size"] = record.settings["neighbors"] = {"auto"};
  CHECK_THROWS_WITH_AS(run_workload(record),
                       "r: the log does not say what --batch-size auto became, which the model of "
                       "tgn-train needs; expected a log of a run with --batch-size N, or of a "
                       "newer version",
                       Error);
  record.figures["batch_size"] = 200;
  record.figures["neighbors"] = 10;
  const Workload found = run_workload(record);
  CHECK(found.batch == named.batch);
  CHECK(found.stages[0].sample_rows == named.stages[0].sample_rows);
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
