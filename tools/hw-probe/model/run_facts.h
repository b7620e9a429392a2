#pragma once
#include <string>

#include "tools/hw-probe/model/run_record.h"
#include "tools/hw-probe/model/workload.h"

namespace frugal::probe {

inline constexpr double kFloat = sizeof(float);
/// A weight's multiply-add forward, for the input's gradient and for its own.
inline constexpr double kTrainingFlop = 6;
/// Weights are read forward and backward; gradient and two states of the optimiser come and go.
inline constexpr double kWeightPasses = 8;
/// A row is read, and later stepped.
inline constexpr double kRowPasses = 2;

/// Figures and options of a run by name. Fails (bad_input) with the log's name where one is
/// missing.
class RunFacts {
 public:
  explicit RunFacts(const RunRecord& run) : run_(run) {}

  bool has(const char* name) const { return run_.figures.contains(name); }
  double figure(const char* name) const;
  double figure_or(const char* name, double otherwise) const;
  std::string text(const char* name) const;
  double option(const char* name) const;
  double option_or(const char* name, double otherwise) const;
  /// The figure of this name, which newer logs have, or else the option, whose value may be auto.
  double figure_or_option(const char* figure, const char* option) const;
  /// Samples of a step, where `samples` make an epoch and all epochs are whole.
  double batch(double samples) const;
  /// Steps of this process: a resumed run has others before. With trees each epoch is one.
  double steps() const;

 private:
  [[noreturn]] void missing(const char* name) const;
  const RunRecord& run_;
};

Workload workload_of(const RunRecord& run, double epoch_samples, double batch);

/// Adds a stage.
Stage& add_stage(Workload* workload, const char* name);

/// Adds the optimiser stage of weights that every step changes, whose cost does not grow with the
/// batch.
void add_optimizer(Workload* workload, double weights);

/// Bytes of memory for each byte of its kind, and of the program itself, as the runs of runs.sh had
/// them (tests/bench/results/hw-probe.md).
struct MemoryShares {
  double program, data, weights, batch;
};

/// `data` and `weights` are bytes, `batch` is bytes of activations for a sample of a step.
void set_memory(Workload* w, const MemoryShares& shares, double data, double weights, double batch);

}  // namespace frugal::probe
