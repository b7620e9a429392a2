#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "libcore/nn/checkpoint.h"
#include "libcore/system/clock.h"
#include "tools/robe-compress/click_model.h"
#include "tools/robe-compress/epoch_search.h"
#include "tools/robe-compress/evaluate.h"
#include "tools/robe-compress/train.h"
#include "tools/robe-compress/train_position.h"
#include "tools/robe-compress/trainer.h"
#include "tools/robe-compress/training_samples.h"

namespace frugal::robe {

inline constexpr std::uint64_t kNoEnd = std::uint64_t{1} << 62;

/// The run of one training: data, model, and the loop over epochs, checkpoints and validation.
class TrainingRun {
 public:
  TrainingRun(const TrainOptions& options, const TrainObserver& observer)
      : options_(options), observer_(observer), began_(wall_seconds()) {}
  TrainResult run();
  TrainResult run(ClickModel start);
  TrainResult run(ClickData& data);

 private:
  TrainResult run_on_samples();
  void make_model();
  TrainerSetup trainer_setup() const;
  double find_hot_share(const RowCounts& counts,
                        const std::function<TrialModel(double share)>& make);
  bool search_is_over() const;
  void take_epochs(const std::vector<EpochTrial>& trials);
  void choose_storage();
  bool needs_epochs() const;
  void find_epochs(TrialModel model);
  int most_epochs() const;
  void find_facts();
  std::optional<Document> open_checkpoint();
  void take_model(Document& state);
  void go_on(Document& state);
  void loop();
  void train_epoch();
  bool interrupted();
  bool out_of_time() const {
    return options_.time_budget > 0 && wall_seconds() - began_ >= options_.time_budget;
  }
  bool can_validate() const;
  std::uint64_t steps_per_epoch() const;
  std::uint64_t total_steps() const;
  void report_progress();
  void finish_epoch();
  std::optional<BinaryMetrics> validate();
  ClickSource open_samples(const std::string& path) const;
  BinaryMetrics evaluate_file(const std::string& path);
  void check_other_samples() const;
  void check_classes() const;
  void warn_of_streamed_class() const;
  std::string label_text() const;
  void warn_of_one_class(const BinaryMetrics& metrics);
  void take_start();
  void keep_best();
  void warn_if_nothing_learnt() const;
  void save_checkpoint();
  void finish_model();
  void write_model();

  TrainOptions options_;
  const TrainObserver& observer_;
  double began_;
  bool starts_from_model_ = false;
  std::string history_;  ///< of the model that it starts from
  std::unique_ptr<TrainingSamples> samples_;
  std::unique_ptr<Embedding> embedding_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<ClickTrainer> trainer_;
  std::unique_ptr<CheckpointFile> checkpoint_;
  TrainPosition at_;
  std::optional<LearntFigures> held_back_;  ///< of the trial with the best number of epochs
  bool epoch_ended_ = false;
  bool warned_of_one_class_ = false;
  bool ends_by_validation_ = false;  ///< what the options name for that
  bool epochs_suffice_ = false;
  Patience patience_;
  double last_progress_ = 0;
  double last_checkpoint_ = 0;
  bool checkpoint_asked_ = false;
  TrainResult result_;
};

}  // namespace frugal::robe
