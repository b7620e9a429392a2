#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libcore/embedding/table_set.h"
#include "libcore/metrics/classification.h"
#include "libcore/train/accumulation.h"
#include "libcore/train/training_run.h"
#include "tools/robe-compress/data/click_encoder.h"
#include "tools/robe-compress/data/unknown_values.h"
#include "tools/robe-compress/model/click_model.h"
#include "tools/robe-compress/network/network.h"
#include "tools/robe-compress/run/samples.h"
#include "tools/robe-compress/search/epoch_search.h"
#include "tools/robe-compress/search/linear_search.h"
#include "tools/robe-compress/serve/evaluate.h"
#include "tools/robe-compress/settings/train_options.h"
#include "tools/robe-compress/steps/train_rates.h"
#include "tools/robe-compress/steps/trainer.h"

namespace frugal::robe {

class ClickData;
struct HotTrial;

/// Data and model of a training, in numbers and in lines for people.
struct TrainFacts {
  std::uint64_t samples = 0;  ///< 0: streamed, not known
  int epochs = 1;             ///< to be trained; 0: until validation ends it
  std::string architecture;
  std::string method;
  std::string storage;
  std::size_t dim = 0;
  std::uint64_t rows = 0;  ///< of all tables
  std::uint64_t full_bytes = 0;
  std::uint64_t embedding_bytes = 0;
  std::uint64_t embedding_parameters = 0;
  std::uint64_t network_parameters = 0;
  std::vector<ColumnFacts> columns;
  std::vector<std::string> description;  ///< of the data and of what was chosen, a line each
};

/// Candidates that a run chooses among if small tables are kept whole and no option names the
/// model, with their figures on samples that they were not trained on.
struct ModelCandidates {
  LearntFigures network_figures, linear_figures, mean_figures;
  double l2 = 0;  ///< of the linear model

  /// mean: of the logits of both.
  enum Name { network, linear, mean };
  /// The one with the lowest log-loss.
  Name best() const;
};

/// Where a training run tells what it does. Functions may be empty.
struct TrainObserver {
  RunLog* log = nullptr;
  std::function<void(const std::vector<HotTrial>&)> tried;
  std::function<void(const TrainOptions& options, const std::vector<EpochTrial>&)> tried_epochs;
  std::function<void(const L2Trial& trial)> tried_linear;
  std::function<void(const ModelCandidates&)> compared;
  std::function<void(const TrainFacts&)> begun;
  std::function<void(double samples_done, const std::string& note)> progress;
  std::function<void(int epoch, const BinaryMetrics&)> validated;
};

/// Result of a training. fit_seconds include reading if samples are streamed.
struct TrainResult : RunFigures {
  TrainFacts facts;
  double of_share = 0;  ///< the loss of always predicting the share of clicks
  double read_seconds = 0;
  double search_seconds = 0;  ///< for finding the epochs
  double write_seconds = 0;
  std::optional<BinaryMetrics> validation;  ///< of the model that is written
  /// Values unknown to a model that is trained further, in the samples and in --validation.
  std::vector<UnknownValues> unknown, validation_unknown;
  double hot_share = 0;                       ///< robe-hot: of the bytes
  std::optional<ModelCandidates> candidates;  ///< that the run chose among
  std::optional<BinaryMetrics> test;          ///< of the same, on other samples, if asked for
};

/// The training of one model: data, searches before it, embeddings and network, and how they step,
/// score and are kept. training.cpp has what is before, search.cpp what is found by
/// trials, steps.cpp the steps and the end, validation.cpp the samples that are
/// not trained on.
class ClickTraining final : public Trainee {
 public:
  ClickTraining(const TrainOptions& options, const TrainObserver& observer)
      : options_(options),
        observer_(observer),
        clock_(options),
        ranks_(options.ranks == nullptr ? *alone_ : *options.ranks) {}
  TrainResult run();
  TrainResult run(ClickModel start);
  TrainResult run(ClickData& data);

  void begin_epoch(const RunPosition& at) override;
  TrainedPart advance(const RunPosition& at, std::uint64_t most,
                      const std::function<bool()>& interrupted) override;
  void end_epoch(const RunPosition& at, StepValues& values) override;
  bool can_validate() const override;
  Scores validate(const RunPosition& at) override;
  bool suffices(const RunPosition& at) const override;
  void save_model(Document& document) const override;
  void load_model(Document& document, const std::string& place) override;
  void bring_together() override { trainer_->bring_together(); }
  void save_state(Document& state) override;
  void resume(Document& state, const std::string& path) override;

 private:
  TrainResult run_on_samples();
  void make_model();
  TrainerSetup trainer_setup() const;
  TrialModel new_model(const TrainOptions& options, double hot_share) const;
  double find_hot_share();
  bool is_stopped() const;
  bool search_is_over() const;
  bool may_choose() const;
  std::uint64_t num_samples() const;
  void choose_model(HeldBack& held_back, Trial trial);
  void take_best(const ModelCandidates& candidates);
  void choose_by_validation();
  void finish_choice();
  TrialModel train_linear(double l2, RunFigures& figures);
  void take_figures(RunFigures figures);
  void take_mean(TrialModel mean);
  TrialModel take_apart();
  void put(TrialModel model);
  LearntFigures grade(TrialModel& model);
  void take_l2(const L2Trial& trial);
  void take_choice(ModelChoice choice);
  Trial run_epochs(HeldBack& held_back, const TrainOptions& options, TrialModel& model);
  std::optional<L2Trial> try_l2(HeldBack& held_back, const TrainOptions& options,
                                TrialModel& model);
  void find_l2(TrialModel model);
  bool is_linear() const { return find_architecture(options_.network.architecture).is_linear; }
  void take_epochs(const std::vector<EpochTrial>& trials);
  void choose_size();
  void choose_storage();
  bool needs_epochs() const;
  void find_epochs(TrialModel model);
  void continue_trial();
  void count_trial();
  int most_epochs() const;
  void find_facts();
  RunCheckpoint open_checkpoint() const;
  void take_model(Document& state);
  RunSettings run_settings() const;
  RunObserver run_observer();
  void report_progress(const RunPosition& at) const;
  std::uint64_t steps_per_epoch() const;
  std::uint64_t total_steps() const;
  BinaryMetrics evaluate_validation();
  std::unique_ptr<Predictor> predictor();
  ClickSource open_samples(const std::string& path) const;
  BinaryMetrics evaluate_file(const std::string& path);
  void check_other_samples() const;
  void check_classes() const;
  void check_ranks() const;
  void warn_of_streamed_class() const;
  std::string label_text() const;
  void warn_of_one_class(const BinaryMetrics& metrics);
  void warn_if_nothing_learnt() const;
  void finish_model();
  void write_model();

  TrainOptions options_;
  const TrainObserver& observer_;
  RunClock clock_;
  std::unique_ptr<Communicator> alone_ = single_process();
  Communicator& ranks_;
  bool starts_from_model_ = false;
  std::string history_;  ///< of the model that it starts from
  std::unique_ptr<TrainingSamples> samples_;
  std::unique_ptr<Embedding> embedding_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<BatchTrainer> trainer_;
  double found_share_ = 0;  ///< of hot rows, by a search
  bool chooses_ = false;    ///< among models: no option says what it is
  ModelChoice choice_ = ModelChoice::network;
  double linear_l2_ = 0;           ///< of the linear model that becomes a part of it; 0: none
  int found_epochs_ = 0;           ///< that were found good; 0: they were given
  std::optional<KeptEpoch> kept_;  ///< of the chosen trial; not in a resumed run
  /// Steps of a trial that the run continues, with the samples held back as its only epoch; 0:
  /// none.
  std::uint64_t kept_steps_ = 0;
  std::optional<HeldBack> rest_;  ///< those samples, during that epoch
  double positives_ = 0;          ///< of the epoch
  std::uint64_t epoch_samples_ = 0;
  std::optional<LearntFigures> held_back_;   ///< of the trial with the best number of epochs
  std::optional<BinaryMetrics> validation_;  ///< the last one
  bool warned_of_one_class_ = false;
  std::set<std::string> said_unknown_;  ///< files whose unknown values were said
  bool ends_by_validation_ = false;     ///< what the options name for that
  JointBatches batches_;
  Patience patience_;
  TrainResult result_;
};

/// Fails (usage) where an option is given about columns that there are none of.
void check_columns(const TrainOptions& options, const ClickEncoder& encoder);

/// Reads the data, trains, writes the model.
TrainResult train(const TrainOptions& options, const TrainObserver& observer);
/// Trains on from a model, which is returned unchanged if no epoch validates better.
TrainResult train(ClickModel start, const TrainOptions& options, const TrainObserver& observer);
/// Trains on data that were read before. Writes no model if options.model is "".
TrainResult train(ClickData& data, const TrainOptions& options, const TrainObserver& observer);

/// Fails (unavailable) where a model of these options, with the optimiser's state, does not fit
/// into the memory that is left: before it is made, for the kernel would end the process later.
void check_training_memory(const TrainOptions& options, const TableSet& tables,
                           const NetworkShape& shape);

}  // namespace frugal::robe
