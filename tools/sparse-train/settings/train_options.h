#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/kernels/gemm.h"
#include "libcore/train/training_run.h"
#include "tools/sparse-train/data/feature_options.h"
#include "tools/sparse-train/lsh/lsh_options.h"
#include "tools/sparse-train/tree/forest_trainer.h"

namespace frugal::sparse {

/// Options of a forest that leave what they can to the planner.
inline ForestOptions undecided_forest() {
  ForestOptions o;
  o.trees = o.second_arity = o.clusters.root_clusters = o.clusters.leaf_size = 0;
  o.nodes.solver.cost = 0;
  o.nodes.prune = -1;
  return o;
}

/// Settings of a training. As the user gives them, "auto", 0 and a share below 0 leave a choice to
/// the planner; a Plan has decided all that have an effect.
struct TrainSettings {
  std::string architecture = "auto";  ///< of --architecture, or "network": no trees
  std::string loss = "auto";
  std::string activation = "auto";
  std::string optimizer = "auto";
  std::string schedule = "linear";
  double learning_rate = 0;
  bool find_learning_rate = false;  ///< from there on, by short trainings
  double warm_up = 0;               ///< share of all steps
  float weight_decay = 0;           ///< of rows that a step has gradients for
  int epochs = 0;
  std::uint32_t hidden = 0;
  std::vector<std::uint32_t> layers;  ///< units of further hidden layers
  double dropout = -1;                ///< share of the hidden units; below 0: by the planner
  std::uint32_t batch_size = 0;
  std::uint32_t negatives = 0;
  bool correct_sampling = true;
  std::string label_weights = "f32";
  std::uint32_t label_shards = 0;  ///< 0: by the ranks, one each
  /// A device trains the network: all outputs for every example are as fast there as some.
  bool on_device = false;
  LshSettings lsh;
  ForestOptions forest = undecided_forest();

  bool has_trees() const { return architecture == "tree" || architecture == "hybrid"; }
  bool has_network() const { return architecture != "tree"; }
};

/// Options of `sparse-train train`.
struct TrainOptions : TrainerSettings {
  std::string data;
  std::string model;
  std::string validation;  ///< labelled data to evaluate after each epoch; "" = none
  int patience = 0;  ///< epochs without a better validation before the end; 0 = validation is only
                     ///< reported
  FeatureOptions features;
  TrainSettings settings;
  bool normalize = true;             ///< scale each example's features to length 1
  bool keep_names = false;           ///< store what each feature stands for in the model
  std::string cache;                 ///< DataRequest::cache
  std::string init;                  ///< model to go on from; "" = none
  std::string calibration = "none";  ///< held-out: calibrate(); none; auto = by the data
  Precision precision = Precision::f32;
  /// F1 of validation: with thresholds fitted to its other half, where there are several labels.
  bool fitted_f1 = false;
  bool search = true;  ///< choose what is left to the data for text (text_search.h)
};

}  // namespace frugal::sparse
