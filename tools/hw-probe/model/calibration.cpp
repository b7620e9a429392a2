#include "tools/hw-probe/model/calibration.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace frugal::probe {
namespace {

double predicted(const MeasuredRun& run, const MachineSpec& machine, const Efficiency& efficiency) {
  return step_cost(run.workload, machine, {run.workload.batch, 1}, efficiency).seconds;
}

/// The fit as a nonlinear least-squares problem in the logarithms of the efficiencies. Its
/// residuals are ln(predicted / measured) of each run and, weakly, the distance of each efficiency
/// from the typical one, which decides about kinds of kernels that the runs hardly show.
class LogFit {
 public:
  LogFit(const std::vector<MeasuredRun>& runs, const MachineSpec& machine)
      : runs_(runs), machine_(machine), efficiency_{{}, typical_calibration().efficiency.other} {
    for (const MeasuredRun& run : runs) {
      for (const Stage& stage : run.workload.stages) {
        if (!stage.kernel.empty()) efficiency_.kernels[stage.kernel] = 1;
      }
    }
  }

  Eigen::Index num_kernels() const { return static_cast<Eigen::Index>(efficiency_.kernels.size()); }

  Efficiency at(const Eigen::VectorXd& logs) const {
    Efficiency efficiency = efficiency_;
    Eigen::Index k = 0;
    for (auto& [kernel, value] : efficiency.kernels) value = std::exp(logs[k++]);
    return efficiency;
  }

  Eigen::VectorXd residuals(const Eigen::VectorXd& logs) const {
    const Efficiency efficiency = at(logs);
    const auto num_runs = static_cast<Eigen::Index>(runs_.size());
    Eigen::VectorXd misses(num_runs + num_kernels());
    misses.tail(num_kernels()) = kPrior * (logs.array() - std::log(efficiency_.other));
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      misses[static_cast<Eigen::Index>(i)] =
          std::log(predicted(runs_[i], machine_, efficiency) / runs_[i].step_seconds);
    }
    return misses;
  }

  /// Central differences: a step is the maximum over lanes and resources, so its derivative jumps.
  Eigen::MatrixXd jacobian(const Eigen::VectorXd& logs) const {
    constexpr double kStep = 1e-4;
    Eigen::MatrixXd slopes(static_cast<Eigen::Index>(runs_.size()) + num_kernels(), num_kernels());
    for (Eigen::Index k = 0; k < num_kernels(); ++k) {
      const Eigen::VectorXd step = kStep * Eigen::VectorXd::Unit(num_kernels(), k);
      slopes.col(k) = (residuals(logs + step) - residuals(logs - step)) / (2 * kStep);
    }
    return slopes;
  }

 private:
  /// An efficiency that is off by a factor of e weighs as much as a run that is off by 10 %.
  static constexpr double kPrior = 0.1;

  const std::vector<MeasuredRun>& runs_;
  const MachineSpec& machine_;
  Efficiency efficiency_;
};

}  // namespace

double PredictedRun::error_before() const { return std::abs(before / measured - 1); }
double PredictedRun::error_after() const { return std::abs(after / measured - 1); }
double PredictedRun::memory_error() const {
  return std::abs(predicted_memory_bytes / memory_bytes - 1);
}

// Gauss-Newton with Levenberg's damping.
Efficiency fit_efficiencies(const std::vector<MeasuredRun>& runs, const MachineSpec& machine) {
  constexpr double kLeast = 0.01, kMost = 1;
  constexpr int kMostSteps = 500;
  constexpr double kLeastDamping = 1e-6, kMostDamping = 1e6, kFactor = 4;
  const LogFit fit(runs, machine);
  const Eigen::Index n = fit.num_kernels();
  Eigen::VectorXd logs = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd misses = fit.residuals(logs);
  double damping = 1;
  for (int i = 0; n > 0 && i < kMostSteps && damping < kMostDamping; ++i) {
    const Eigen::MatrixXd slopes = fit.jacobian(logs);
    const Eigen::MatrixXd curvature =
        slopes.transpose() * slopes + damping * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd step = curvature.ldlt().solve(slopes.transpose() * misses);
    const Eigen::VectorXd tried =
        (logs - step).cwiseMax(std::log(kLeast)).cwiseMin(std::log(kMost));
    const Eigen::VectorXd left = fit.residuals(tried);
    constexpr double kLeastGain = 1e-9;
    if (left.squaredNorm() < misses.squaredNorm() * (1 - kLeastGain)) {
      logs = tried;
      misses = left;
      damping = std::max(kLeastDamping, damping / kFactor);
    } else {
      damping *= kFactor;
    }
  }
  return fit.at(logs);
}

std::vector<PredictedRun> predict(const std::vector<MeasuredRun>& runs, const MachineSpec& machine,
                                  const Efficiency& efficiency) {
  std::vector<PredictedRun> all;
  for (const MeasuredRun& run : runs) {
    all.push_back({run.name, run.step_seconds,
                   predicted(run, machine, typical_calibration().efficiency),
                   predicted(run, machine, efficiency), run.memory_bytes,
                   memory_need(run.workload, machine, {run.workload.batch, 1}).host});
  }
  return all;
}

std::vector<double> left_out_ratios(const std::vector<MeasuredRun>& runs,
                                    const MachineSpec& machine) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<MeasuredRun> others = runs;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const Efficiency efficiency = fit_efficiencies(others, machine);
    ratios.push_back(runs[i].step_seconds / predicted(runs[i], machine, efficiency));
  }
  return ratios;
}

MeanErrors mean_errors(const std::vector<PredictedRun>& runs) {
  MeanErrors mean;
  double known = 0;
  for (const PredictedRun& run : runs) {
    mean.before += run.error_before() / static_cast<double>(runs.size());
    mean.after += run.error_after() / static_cast<double>(runs.size());
    if (!(run.memory_bytes > 0)) continue;
    mean.memory += run.memory_error();
    ++known;
  }
  mean.memory /= std::max(1.0, known);
  return mean;
}

}  // namespace frugal::probe
