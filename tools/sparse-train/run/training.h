#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "libcore/train/training_run.h"
#include "tools/sparse-train/model/model.h"
#include "tools/sparse-train/outputs/sharded_output.h"
#include "tools/sparse-train/run/train_result.h"
#include "tools/sparse-train/scoring/evaluation.h"
#include "tools/sparse-train/search/search_outcome.h"
#include "tools/sparse-train/settings/train_options.h"
#include "tools/sparse-train/steps/device_trainer.h"

namespace frugal::sparse {

/// The training of one model: data, plan, trees and network, and how these step, score and are
/// kept. training.cpp has what is before and after, passes.cpp the growing of trees and
/// the passes of the network.
class SparseTraining final : public Trainee {
 public:
  SparseTraining(TrainOptions options, const TrainObserver& observer)
      : options_(std::move(options)),
        asked_(options_),
        observer_(observer),
        clock_(options_),
        ranks_(options_.ranks == nullptr ? *alone_ : *options_.ranks) {}

  TrainResult run();

  void begin_epoch(const RunPosition&) override {}
  TrainedPart advance(const RunPosition& at, std::uint64_t most,
                      const std::function<bool()>& interrupted) override;
  void end_epoch(const RunPosition& at, StepValues& values) override;
  double epochs_done(const RunPosition& at) const override;
  bool can_validate() const override { return validation_.size() != 0; }
  Scores validate(const RunPosition& at) override;
  void save_model(Document& document) const override;
  void load_model(Document& document, const std::string& place) override;
  void take_best() override { evaluate_validation(); }
  void bring_together() override;
  void save_state(Document& state) override;
  void resume(Document& state, const std::string& path) override;

 private:
  bool is_first() const { return ranks_.rank() == 0; }
  bool any(bool here) const { return any_of_ranks(ranks_, here ? 1 : 0) != 0; }
  void search();
  void keep_search();
  void read();
  void agree_on_data();
  void build();
  void weigh_steps();
  void choose_device();
  Plan plan_with(const TrainSettings& settings) const;
  void choose_label_shards(const Document* state);
  void build_network();
  std::unique_ptr<Scorer> validation_scorer(std::size_t ranks) const;
  void fit_budget(std::uint64_t step);
  std::optional<Document> open_checkpoint();
  bool follows_search() const;
  void load_grown_trees(const Document& state);
  void grow_trees();
  void finish_tree();
  void train_network(Document* state);
  void drop_untrained_network();
  void count_passes();
  bool search_tried_plan() const;
  void decide_by_search();
  bool wants_decisions() const;
  void decide();
  void evaluate_validation();
  void evaluate_here();
  void save_checkpoint();
  std::optional<CalibrationResult> calibrate_anew();
  void release_data();
  void evaluate_as_eval(const Model& model);
  void write_model();
  std::uint64_t total_steps() const {
    return trainer_->batches_per_epoch() * static_cast<std::uint64_t>(result_.plan.epochs);
  }

  TrainOptions options_;  ///< definite after search()
  TrainOptions asked_;    ///< as they came
  const TrainObserver& observer_;
  RunClock clock_;
  std::unique_ptr<Communicator> alone_ = single_process();
  Communicator& ranks_;
  TrainResult result_;
  SearchOutcome search_;
  std::optional<TrialLog> trial_log_;  ///< until the training's checkpoint is opened
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
  LabelForest forest_;                    ///< of other ranks than the first: empty trees
  Network network_;                       ///< of other ranks: with the rows of their labels alone
  std::unique_ptr<OutputLayer> output_;   ///< of a training on the CPU
  std::shared_ptr<DeviceEngine> engine_;  ///< null: the CPU
  LabelShards shards_;
  std::unique_ptr<NetworkTrainer> trainer_;
  std::optional<RunCheckpoint> checkpoint_;
  RunPosition at_;                   ///< of the network, behind its training
  double network_seconds_ = 0;       ///< in its steps
  std::uint64_t network_steps_ = 0;  ///< of this process
  double active_ = 0;                ///< Trainer::Progress of the epoch
  std::uint64_t batches_ = 0;
};

/// Reads the data, trains, writes the model.
TrainResult train(const TrainOptions& options, const TrainObserver& observer);

}  // namespace frugal::sparse
