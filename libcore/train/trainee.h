#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/metrics/run_log.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Where a training stands between two steps.
struct RunPosition {
  std::uint64_t step = 0;
  int epoch = 0;              ///< being trained, from 0: as many are done
  std::uint64_t samples = 0;  ///< of this epoch that were trained on
  double loss_sum = 0;        ///< over them
  bool began = false;         ///< the epoch has begun: it is between its first and last step
  bool complete = false;      ///< nothing is left of this epoch but what follows its last step
  double loss = 0;            ///< mean over the epoch before, 0 in the first
  int validated_epoch = -1;   ///< the last one; 0: the model that the run began with; -1: none
  int best_epoch = 0;         ///< of the validated ones
  double best_score = 0, best_loss = 0;  ///< of its validation (Scores)

  bool has_best() const { return validated_epoch >= 0; }
  /// Mean over this epoch so far, or over the one before where it has not begun.
  double mean_loss() const;

  /// Adds it to the metadata of a checkpoint.
  void save(Document& state) const;
  /// Fails (bad_input) with `path` where something is missing or no number.
  static RunPosition load(const Document& state, const std::string& path);
};

/// How well a model does on samples that it was not trained on.
struct Scores {
  StepValues values;  ///< metrics by name, for the log
  double score = 0;   ///< higher is better: chooses the best epoch
  double loss = 0;    ///< lower is better: decides between epochs of equal scores
};

/// What a call of Trainee::advance() has trained.
struct TrainedPart {
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
  double loss_sum = 0;             ///< over these samples
  bool epoch_ended = false;        ///< nothing is left of the epoch
  double device_busy_seconds = 0;  ///< in which a device computed steps, by its own clock
};

/// What a training is made of; run_training() does the rest. All functions are called by one
/// thread, in the order of a training.
class Trainee {
 public:
  virtual ~Trainee() = default;

  /// Before the first step of epoch at.epoch, or of what a resumed run has left of it, if anything.
  virtual void begin_epoch(const RunPosition& at) = 0;
  /// Trains from step at.step on: at least one step, at most `most` and not beyond the epoch, and
  /// returns where interrupted(), to be asked after each, says so. A step's loss and samples may
  /// be counted in a later call of the same epoch, when a device has them; its busy time counts
  /// with them.
  virtual TrainedPart advance(const RunPosition& at, std::uint64_t most,
                              const std::function<bool()>& interrupted) = 0;
  /// After the last step, before the validation: what must not wait for it. Adds to the log's
  /// values of this epoch.
  virtual void end_epoch(const RunPosition&, StepValues&) {}

  /// For logs, where an epoch that was cut short is not to count as a whole one.
  virtual double epochs_done(const RunPosition& at) const { return at.epoch; }

  virtual bool can_validate() const = 0;
  virtual Scores validate(const RunPosition& at) = 0;
  /// After validate(): whether more epochs are of no use, besides what RunSettings::patience says.
  virtual bool suffices(const RunPosition&) const { return false; }

  /// The model as it is; tensors may be lent.
  virtual void save_model(Document& document) const = 0;
  virtual void load_model(Document& document, const std::string& place) = 0;
  /// What the best epoch has besides its model.
  virtual void keep_best() {}
  virtual void take_best() {}

  /// On all ranks, before the first one saves: it gets what others have of model and state.
  virtual void bring_together() {}
  /// All that a checkpoint needs besides the model and the position: the optimiser's state, the
  /// position in an epoch's samples. What was prepared ahead may be taken back.
  virtual void save_state(Document& state) = 0;
  /// False: end_epoch() changes the state, and only before it can a checkpoint be made.
  virtual bool keeps_state_between_epochs() const { return true; }
  /// Model and state of a checkpoint at `path`, whose tensors may be taken.
  virtual void resume(Document& state, const std::string& path) = 0;
};

/// What a trial trains (run_trial()): nothing of it is written.
class TrialTrainee : public Trainee {
 public:
  void begin_epoch(const RunPosition&) override {}
  void save_model(Document&) const final {}
  void load_model(Document&, const std::string&) final {}
  void save_state(Document&) final {}
  void resume(Document&, const std::string&) final {}
};

}  // namespace frugal
