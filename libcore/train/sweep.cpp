#include "libcore/train/sweep.h"

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/system/signals.h"
#include "libcore/train/sweep_log.h"

namespace frugal {
namespace {

class SweepRunner {
 public:
  SweepRunner(std::size_t points, const SweepPlan& plan)
      : plan_(plan), log_(plan.log), total_(points * static_cast<std::size_t>(plan.seeds)) {}

  void run(std::size_t point, SweepRun& run) {
    std::string identity;
    try {
      if (!plan_.log.empty()) identity = plan_.identity(point, run.seed);
      train(point, identity, run);
    } catch (const Error& error) {
      if (plan_.ends_at_errors && error.status() != ExitStatus::usage) throw;
      take_failure(error, run);
    } catch (const std::bad_alloc&) {
      take_failure(Error(ExitStatus::unavailable, "not enough memory"), run);
    }
    if (stopped_ || stop_requested()) {
      const bool keeps = !plan_.log.empty();
      fail(stop_status(keeps), "stopped after ", finished_, " of ", total_, " runs; ",
           keeps ? "the same command goes on" : "without a file of finished runs they are lost");
    }
    if (!plan_.log.empty() && run.failure.empty() && !run.kept) {
      nlohmann::ordered_json line = plan_.describe(point);
      line["seed"] = run.seed;
      log_.add(std::move(line), run.values, identity);
    }
    ++finished_;
    tell(0, "");
  }

  /// Fails as the first run did if all did.
  void expect_success() const {
    if (failed_ != 0 && failed_ == total_)
      fail(first_failure_->status(), "no run succeeded: ", first_failure_->what());
  }

 private:
  void train(std::size_t point, const std::string& identity, SweepRun& run) {
    if (const NamedValues* values = log_.find(identity)) {
      run.values = *values;
      run.kept = true;
      return;
    }
    auto values = plan_.train(point, run.seed,
                              [this](double share, const std::string& note) { tell(share, note); });
    stopped_ = !values;
    if (values) run.values = std::move(*values);
  }

  void take_failure(const Error& error, SweepRun& run) {
    run.failure = error.what();
    if (failed_++ == 0) first_failure_ = error;
  }

  void tell(double share, const std::string& note) const {
    if (plan_.progress)
      plan_.progress(static_cast<double>(finished_) + share, static_cast<double>(total_), note);
  }

  const SweepPlan& plan_;
  SweepLog log_;
  std::size_t total_, finished_ = 0, failed_ = 0;
  bool stopped_ = false;
  std::optional<Error> first_failure_;
};

}  // namespace

std::size_t SeedRuns::num_trained() const {
  return static_cast<std::size_t>(std::count_if(
      runs.begin(), runs.end(), [](const SweepRun& run) { return run.failure.empty(); }));
}

std::string SeedRuns::failure() const {
  for (const SweepRun& run : runs) {
    if (!run.failure.empty()) return run.failure;
  }
  return "";
}

std::vector<double> SeedRuns::values(std::string_view name) const {
  std::vector<double> values;
  for (const SweepRun& run : runs) {
    for (const auto& [key, value] : run.values) {
      if (key == name) values.push_back(value);
    }
  }
  return values;
}

SampleMean SeedRuns::mean(std::string_view name) const {
  const std::vector<double> of_seeds = values(name);
  return of_seeds.empty() ? SampleMean{NAN, 0} : sample_mean(of_seeds);
}

void run_sweep(std::span<SeedRuns* const> points, const SweepPlan& plan) {
  SweepRunner runner(points.size(), plan);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (int seed = 0; seed < plan.seeds; ++seed) {
      SweepRun& run = points[i]->runs.emplace_back();
      run.seed = plan.first_seed + static_cast<std::uint64_t>(seed);
      runner.run(i, run);
    }
    if (plan.finished) plan.finished(i);
  }
  runner.expect_success();
}

void describe_seeds(const OptionFields& fields, int& seeds) {
  fields
      .add("--seeds", seeds,
           "number of models for each combination, with the seeds --seed, --seed + 1 and so on")
      .range(1, 1000);
}

void add_mean(nlohmann::ordered_json& to, const std::string& name, const SampleMean& mean) {
  to[name] = mean.mean;
  to[name + "_deviation"] = mean.deviation;
}

}  // namespace frugal
