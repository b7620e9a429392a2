#pragma once
#include <functional>
#include <string>

#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {

/// The result of a trial of an architecture.
struct ArchitectureTrial {
  std::string architecture;  ///< settings_name()
  std::string left_out;      ///< why there was no trial, or empty
  double score = 0;          ///< validation score (TaskMetrics::score); higher is better
  double cpu_seconds = 0;    ///< of its steps, over all threads
};

/// The architecture, and what candidates of the same architecture differ in.
std::string settings_name(const TrainOptions& options);

/// Chooses the settings of a training that were left to the tool (TrainOptions::open_settings)
/// among those of SIGN, a GCN with residual paths, and sage-ri (configs/sign.yaml, tuned-gcn.yaml,
/// tuned-sage-ri.yaml). Each trains for at most a third of its epochs and kMostTrialSteps steps,
/// and the best score on the validation part wins; equal ones go to the cheaper, which comes first.
/// Sparse features add SIGN on two hops of means. What does not fit into memory is left out.
/// Otherwise the choice is a function of the data, the seed and the metric, not of time. Devices
/// and --feature-parts leave only what they can train, links and graphs without validation nodes
/// the plain defaults. For a graph of several types it chooses among rgcn without a norm, rgcn with
/// a layer norm, and rgat. tried: called after each trial.
TrainOptions choose_architecture(const TrainOptions& options,
                                 const std::function<void(const ArchitectureTrial&)>& tried);

}  // namespace frugal::gnn
