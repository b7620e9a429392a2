#pragma once
#include <memory>
#include <optional>
#include <string>

#include "libcore/metrics/run_log.h"
#include "libcore/nn/checkpoint.h"
#include "libcore/system/clock.h"
#include "tools/sparse-train/model.h"
#include "tools/sparse-train/network/trainer.h"
#include "tools/sparse-train/search_outcome.h"
#include "tools/sparse-train/train.h"

namespace frugal::sparse {

/// The run of one training. train.cpp has what is before and after, training_passes.cpp the growing
/// of trees and the loop over epochs, with checkpoints and validation.
class TrainingRun {
 public:
  TrainingRun(TrainOptions options, const TrainObserver& observer)
      : options_(std::move(options)),
        asked_(options_),
        observer_(observer),
        began_(wall_seconds()) {}

  TrainResult run();

 private:
  void search();
  void read();
  void build();
  void weigh_steps();
  void build_network();
  void fit_budget();
  void resume();
  void grow_trees();
  void finish_tree();
  void loop();
  void drop_untrained_network();
  void count_passes();
  void decide();
  bool interrupted();
  void report_progress();
  void finish_epoch();
  void validate(double pass, StepValues& values);
  void save_checkpoint();
  void release_data();
  void write_model();
  double epochs_done() const {
    return static_cast<double>(step_) / static_cast<double>(trainer_->batches_per_epoch());
  }
  std::uint64_t total_steps() const {
    return trainer_->batches_per_epoch() * static_cast<std::uint64_t>(result_.plan.epochs);
  }
  /// Whether this share of the time budget is used up.
  bool out_of_time(double share = 1) const {
    return options_.time_budget > 0 && wall_seconds() - began_ >= share * options_.time_budget;
  }

  TrainOptions options_;  ///< definite after search()
  TrainOptions asked_;    ///< as they came
  const TrainObserver& observer_;
  double began_;
  TrainResult result_;
  SearchOutcome search_;
  bool search_out_of_time_ = false;
  bool normalize_ = true;
  std::optional<Decisions> decisions_;
  std::string initial_fingerprint_;   ///< "" without --init
  std::optional<ForestStart> start_;  ///< of --init, with room for the labels of the data
  std::optional<Model> initial_;  ///< --init; without its featurizer, which goes on in featurizer_
  std::unique_ptr<Featurizer> featurizer_;
  Dataset data_;
  Dataset validation_;
  LabelCounts label_counts_;
  LabelForest forest_;
  Network network_;
  std::unique_ptr<OutputLayer> output_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<CheckpointFile> checkpoint_;
  std::uint64_t step_ = 0;
  double last_checkpoint_ = 0;
  double last_progress_ = 0;
  bool checkpoint_asked_ = false;
};

}  // namespace frugal::sparse
