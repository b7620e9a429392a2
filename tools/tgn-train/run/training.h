#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/metrics/named_values.h"
#include "libcore/parallel/communicator.h"
#include "libcore/train/training_run.h"
#include "tools/tgn-train/evaluation/baselines.h"
#include "tools/tgn-train/links/link_evaluation.h"
#include "tools/tgn-train/memory/whole_memory.h"
#include "tools/tgn-train/mix/mix_fit.h"
#include "tools/tgn-train/model/model_file.h"
#include "tools/tgn-train/run/facts.h"
#include "tools/tgn-train/settings/train_options.h"
#include "tools/tgn-train/steps/epoch_validation.h"
#include "tools/tgn-train/steps/memory_copies.h"
#include "tools/tgn-train/steps/shared_steps.h"

namespace frugal::tgn {

/// Results of a training, whose samples are events.
struct TrainResult : RunFigures {
  TrainFacts facts;
  LinkTests tests;
  MixChoice mix;                          ///< what the model answers with
  std::vector<BaselineResult> baselines;  ///< predictions without learning, for comparison
  std::optional<double> selected_mrr;     ///< of the best validation, if MRR chose it
  double plan_seconds = 0, read_seconds = 0;
  /// A signal ended the evaluation after the training; the model is written.
  bool evaluation_stopped = false;
  bool lacks_mix = false;       ///< that was before a mix was chosen
  bool has_checkpoint = false;  ///< --resume can do the rest
  double step_sent_bytes = 0;   ///< mean bytes sent by this rank in a step of a shared memory
};

struct TrainObserver {
  RunLog* log = nullptr;
  std::function<void(const TrainFacts&)> begun;
  std::function<void(double epochs, const std::string& note)> progress;
  std::function<void(int epoch, double loss, const NamedValues&)> validated;
};

/// Training of a model: stream, network, memory, steps, validation and checkpoints.
class TgnTraining final : public Trainee {
 public:
  TgnTraining(const TrainOptions& options, const TrainObserver& observer)
      : options_(options),
        observer_(observer),
        clock_(options),
        ranks_(options.TrainerSettings::ranks == nullptr ? *alone_
                                                         : *options.TrainerSettings::ranks) {}
  TrainResult run();

  void begin_epoch(const RunPosition& at) override;
  TrainedPart advance(const RunPosition& at, std::uint64_t most,
                      const std::function<bool()>& interrupted) override;
  void end_epoch(const RunPosition& at, StepValues& values) override;
  bool can_validate() const override { return options_.evaluates; }
  Scores validate(const RunPosition& at) override;
  void save_model(Document& document) const override;
  void load_model(Document& document, const std::string& place) override;
  void keep_best() override {
    if (validation_) validation_->keep_best();
  }
  void take_best() override {
    if (validation_) validation_->take_best();
  }
  void bring_together() override;
  void save_state(Document& state) override;
  bool keeps_state_between_epochs() const override { return false; }
  void resume(Document& state, const std::string& path) override;

 private:
  bool is_first() const { return ranks_.rank() == 0; }
  void read_events();
  void check_types() const;
  void make_model();
  void measure_times();
  void make_session();
  void make_steps();
  void prepare_steps();
  RunCheckpoint open_checkpoint() const;
  TensorPlaces checkpoint_places();
  RunSettings run_settings() const;
  RunObserver run_observer();
  void report_progress(const RunPosition& at) const;
  bool train_step(const RunPosition& at, TrainedPart& part);
  TrainedPart joint_step(const RunPosition& at);
  TrainedPart shared_step(const RunPosition& at);
  void end_joint_epoch(std::size_t epoch);
  float rate_at(const RunPosition& at, std::size_t events) const;
  void gather_memory();
  void choose_mix();
  bool evaluation_stops() const;
  void evaluate();
  void test();
  void write_model();

  TrainOptions options_;
  const TrainObserver& observer_;
  RunClock clock_;
  std::unique_ptr<Communicator> alone_ = single_process();
  Communicator& ranks_;
  std::unique_ptr<LinkData> data_;
  std::unique_ptr<TrainingNegatives> negatives_;
  std::unique_ptr<EvaluationNegatives> evaluation_negatives_;
  std::optional<RankSource> validation_ranks_;  ///< with TrainOptions::select_mrr
  TgnModelFile stored_;
  std::unique_ptr<MemoryShards> shards_;         ///< if ranks share one memory
  std::unique_ptr<WholeMemories> whole_;         ///< if each rank has a part of the memory
  std::unique_ptr<StreamSession> session_;       ///< on the first rank; with a shared memory on all
  std::unique_ptr<EpochValidation> validation_;  ///< null if nothing is evaluated
  std::optional<MemoryCopy::Stream> stream_;
  std::optional<TimeRanges> ranges_;
  std::optional<MemoryCopy> copy_;        ///< the session's copy, if there is one range
  std::optional<SharedSteps> shared_;     ///< for a shared memory
  std::unique_ptr<MemoryCopies> copies_;  ///< if there are several ranges
  bool has_memory_ = false;               ///< the session has the memory of a joint epoch
  bool writes_model_ = false;             ///< the first rank writes the model
  TrainResult result_;
};

/// Trains a temporal graph network to distinguish events from negatives, validates it after each
/// epoch, and tests the best epoch.
TrainResult train(const TrainOptions& options, const TrainObserver& observer);

}  // namespace frugal::tgn
