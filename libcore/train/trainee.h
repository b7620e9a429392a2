#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/metrics/run_log.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Position of a training between two steps.
struct RunPosition {
  std::uint64_t step = 0;
  int epoch = 0;              ///< number of completed epochs, which is the index of the current one
  std::uint64_t samples = 0;  ///< samples of this epoch trained so far
  double loss_sum = 0;        ///< sum of the loss over these samples
  bool began = false;         ///< between the first and the last step of an epoch
  bool complete = false;      ///< all steps of this epoch are done, but it is not finished
  double loss = 0;            ///< mean training loss of the previous epoch; 0 in the first
  int validated_epoch = -1;   ///< epoch of the last validation; 0: the initial model; -1: none yet
  int best_epoch = 0;         ///< epoch with the best validation
  double best_score = 0, best_loss = 0;  ///< scores of that validation

  bool has_best() const { return validated_epoch >= 0; }
  /// Mean training loss of this epoch so far, or of the previous one if it has not begun.
  double mean_loss() const;

  /// Adds the position to the metadata of a checkpoint.
  void save(Document& state) const;
  /// Fails (bad_input) with `path` if a key is missing or not a number.
  static RunPosition load(const Document& state, const std::string& path);
};

/// Quality of a model on samples that it was not trained on.
struct Scores {
  StepValues values;  ///< metrics by name, for the log
  double score = 0;   ///< higher is better: chooses the best epoch
  double loss = 0;    ///< lower is better: decides between epochs of equal scores
};

/// Steps that one call of Trainee::advance() has made.
struct TrainedPart {
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
  double loss_sum = 0;             ///< sum of the loss over these samples
  bool epoch_ended = false;        ///< the epoch has no more steps
  double device_busy_seconds = 0;  ///< time in which a device computed steps, by its own clock
};

/// The model-specific functions of a training; run_training() does the rest. One thread calls them,
/// in the order of a training.
class Trainee {
 public:
  virtual ~Trainee() = default;

  /// Called before the first step of epoch at.epoch. In a resumed run, called before the rest of
  /// its epoch, if any is left.
  virtual void begin_epoch(const RunPosition& at) = 0;
  /// Trains from step at.step on: at least one step and at most `most`, not beyond the epoch. Calls
  /// interrupted() after each step and returns when it is true. A device may deliver the loss and
  /// samples of a step later: they are then counted, with its busy time, in a later call of the
  /// same epoch.
  virtual TrainedPart advance(const RunPosition& at, std::uint64_t most,
                              const std::function<bool()>& interrupted) = 0;
  /// Called after the last step of an epoch, before the validation, for work that must not wait for
  /// it. Adds to the epoch's values in the log.
  virtual void end_epoch(const RunPosition&, StepValues&) {}

  /// Number of epochs for the log; a tool may not count an epoch that was cut short.
  virtual double epochs_done(const RunPosition& at) const { return at.epoch; }

  virtual bool can_validate() const = 0;
  virtual Scores validate(const RunPosition& at) = 0;
  /// Called after validate(). Returns true if further epochs are useless; RunSettings::patience is
  /// checked in addition.
  virtual bool suffices(const RunPosition&) const { return false; }

  /// Writes the current model; tensors may be borrowed.
  virtual void save_model(Document& document) const = 0;
  virtual void load_model(Document& document, const std::string& place) = 0;
  /// Saves or restores the state of the best epoch that is not part of its model.
  virtual void keep_best() {}
  virtual void take_best() {}

  /// Called on all ranks before rank 0 saves: collects on it the model and state of the others.
  virtual void bring_together() {}
  /// Writes everything that a checkpoint needs besides the model and the position: the optimiser's
  /// state, the position in an epoch's samples. Batches prepared ahead may be discarded.
  virtual void save_state(Document& state) = 0;
  /// False if end_epoch() changes the state, so that checkpoints are possible only before it.
  virtual bool keeps_state_between_epochs() const { return true; }
  /// Restores model and state from a checkpoint at `path`; tensors may be moved out of it.
  virtual void resume(Document& state, const std::string& path) = 0;
};

/// Base of trainees for run_trial(), which writes nothing.
class TrialTrainee : public Trainee {
 public:
  void begin_epoch(const RunPosition&) override {}
  void save_model(Document&) const final {}
  void load_model(Document&, const std::string&) final {}
  void save_state(Document&) final {}
  void resume(Document&, const std::string&) final {}
};

}  // namespace frugal
