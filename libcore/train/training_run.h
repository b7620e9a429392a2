#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/trainer_settings.h"
#include "libcore/metrics/run_log.h"
#include "libcore/parallel/communicator.h"
#include "libcore/train/checkpoint.h"
#include "libcore/train/run_figures.h"
#include "libcore/train/trainee.h"

namespace frugal {

/// The checkpoint that a training's options name; may be none.
class RunCheckpoint {
 public:
  /// No checkpoint.
  RunCheckpoint() = default;
  RunCheckpoint(const TrainerSettings& settings, const std::string& tool, RunIdentity identity);

  /// Loads the state to resume from: with --resume, and if it exists. Fails (usage) if ranks find
  /// different states, or only some of them find one, e.g. on a disk that is local to a machine.
  std::optional<Document> load(const TensorPlaces& places = {}) const;
  /// Does nothing without a checkpoint.
  void save(Document state) const;
  bool exists() const { return file_.has_value(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  Communicator* ranks_ = nullptr;  ///< null: this process alone
  bool resume_ = false;
  std::optional<CheckpointFile> file_;
};

/// Decides, by the clock and by signals (libcore/system/signals.h), when a training shows its
/// progress, writes checkpoints and ends. The time begins with the object.
class RunClock {
 public:
  explicit RunClock(const TrainerSettings& settings);
  /// Clock of a trial: it ends when stop() is true, and leaves signals to the run that searches.
  explicit RunClock(std::function<bool()> stop);

  double seconds() const;  ///< seconds since the object was made
  /// Whether that share of the time budget is used up; always false without a budget.
  bool out_of_time(double share = 1) const;

  bool has_budget() const;

  /// True at most a few times a second: terminals are slow.
  bool progress_is_due() const;
  void progress_was_shown();

  /// Whether a signal, or the trial's stop(), requests the end.
  bool is_stopped() const { return stop_(); }

  /// Whether --checkpoint-every has passed, or a signal requests a checkpoint.
  bool checkpoint_is_due();
  void checkpoint_was_written();

  /// True when a checkpoint, a progress line, a stop or the time limit is due. Cheap: it is called
  /// after every batch.
  bool needs_attention();

 private:
  std::function<bool()> stop_;
  bool is_trial_ = false;
  double began_;
  double time_budget_, checkpoint_seconds_;
  double shown_ = 0, written_;
  bool checkpoint_asked_ = false;
};

inline constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

/// Length of a training, and which epoch's model it ends with.
struct RunSettings {
  int epochs = 1;                ///< at most
  std::uint64_t steps = kNoEnd;  ///< at most, including those before a resume
  int patience = 0;        ///< epochs without a better validation before early stopping; 0: off
  int validate_every = 1;  ///< epochs between validations; the last epoch is always validated
  bool keep_best = true;   ///< end with the epoch of the best validation instead of the last
  bool validate_start = false;  ///< validate the initial model, which may be the best
};

/// Receives log values, progress and validations of a training. Functions may be empty.
struct RunObserver {
  RunLog* log = nullptr;
  std::function<void(const RunPosition& at)> progress;
  /// best: whether these scores are the best so far.
  std::function<void(const RunPosition& at, const Scores& scores, bool best)> validated;
};

/// Clock, checkpoint, ranks and observer of a run. They must outlive it.
struct RunContext {
  RunClock& clock;
  const RunCheckpoint& checkpoint;
  Communicator& ranks;
  const RunObserver& observer;
};

struct RunResult {
  RunFigures figures;
  RunPosition at;  ///< position at the end
};

/// Trains from the beginning, or from the checkpoint `state` (null: none). The model is then that
/// of the best epoch, unless a signal stopped the run. If the time budget ends an epoch, that epoch
/// is validated, too; the checkpoint holds the state before, so that a resumed run finishes the
/// epoch. Several ranks end together as soon as one of them must; rank 0 writes the checkpoint, and
/// its validation decides for all. Fails (bad_input) if the loss is not finite.
RunResult run_training(Trainee& trainee, const RunSettings& settings, const RunContext& context,
                       Document* state = nullptr);

/// Trains for a search: in memory and silently, for at most `epochs` epochs, or until stop(),
/// called after every batch, is true. The model is that of the last epoch. ranks: null: this
/// process alone.
RunResult run_trial(TrialTrainee& trainee, int epochs, const std::function<bool()>& stop,
                    Communicator* ranks = nullptr);

/// Fails now, before hours of training, if the model or the checkpoint cannot be written.
void check_outputs(const TrainerSettings& settings, const std::string& model);

/// Fails (usage) if the time budget was too short for a single step.
void expect_steps(const RunFigures& result, const RunClock& clock);

/// Adds the metadata of every trained model and writes it to `path`. history: JSON history of the
/// model that the training began with; "" = none.
void write_trained_model(Document document, const TrainerSettings& settings,
                         const std::string& path, const std::string& history = "");

}  // namespace frugal
