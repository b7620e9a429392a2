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

/// The checkpoint that a training's options name, if they name one.
class RunCheckpoint {
 public:
  /// Without a checkpoint.
  RunCheckpoint() = default;
  RunCheckpoint(const TrainerSettings& settings, const std::string& tool, RunIdentity identity);

  /// Loads the state to go on from, with --resume and where it is. Fails (usage) where ranks find
  /// different states, or only some of them one: the file may lie on a disk of each machine.
  std::optional<Document> load(const TensorPlaces& places = {}) const;
  /// Nothing without a checkpoint.
  void save(Document state) const;
  bool exists() const { return file_.has_value(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  Communicator* ranks_ = nullptr;  ///< null: this process alone
  bool resume_ = false;
  std::optional<CheckpointFile> file_;
};

/// When a training shows its progress, writes checkpoints and ends: by the clock and by signals
/// (libcore/system/signals.h). Its time begins with the object.
class RunClock {
 public:
  explicit RunClock(const TrainerSettings& settings);
  /// Of a trial: it ends where stop() says so, and leaves what signals ask for to the run.
  explicit RunClock(std::function<bool()> stop);

  double seconds() const;  ///< since the beginning
  /// Whether that share of the time budget is used up; never without one.
  bool out_of_time(double share = 1) const;

  bool has_budget() const;

  /// Several times a second, not more often: terminals are slow.
  bool progress_is_due() const;
  void progress_was_shown();

  /// A signal asks for the end, or the trial's stop().
  bool is_stopped() const { return stop_(); }

  /// After --checkpoint-every, or because a signal asks for it.
  bool checkpoint_is_due();
  void checkpoint_was_written();

  /// True when a checkpoint, a progress line, a stop or the time limit is due. Cheap: it is called
  /// after every batch.
  bool interrupts();

 private:
  std::function<bool()> stop_;
  bool is_trial_ = false;
  double began_;
  double time_budget_, checkpoint_seconds_;
  double shown_ = 0, written_;
  bool checkpoint_asked_ = false;
};

inline constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

/// How long a training goes on.
struct RunSettings {
  int epochs = 1;                ///< at most
  std::uint64_t steps = kNoEnd;  ///< at most, those before a resume included
  int patience = 0;              ///< epochs without a better validation before the end; 0 = all
  int validate_every = 1;        ///< epochs; the last one is validated in any case
  bool keep_best = true;         ///< end with the epoch that validates best instead of the last
  bool validate_start = false;   ///< the model that the run begins with may be the best
};

/// Where a training tells what it does. Functions may be empty.
struct RunObserver {
  RunLog* log = nullptr;
  std::function<void(const RunPosition& at)> progress;
  /// best: of all so far.
  std::function<void(const RunPosition& at, const Scores& scores, bool best)> validated;
};

/// Clock, checkpoint, ranks and observer of a run. They must outlive it.
struct RunPlace {
  RunClock& clock;
  const RunCheckpoint& checkpoint;
  Communicator& ranks;
  const RunObserver& observer;
};

struct RunResult {
  RunFigures figures;
  RunPosition at;  ///< the end
};

/// Trains: from the beginning, or from `state`, what a checkpoint has (null: nothing). Then the
/// model is the best epoch's, unless a signal stopped the run. An epoch that the time budget ends
/// is validated, too, and the checkpoint has what came before, so that a resumed run finishes it.
/// Several ranks end together, as soon as one of them is asked to; rank 0 writes the checkpoint,
/// and its validation decides for all. Fails (bad_input) where the loss is not finite.
RunResult run_training(Trainee& trainee, const RunSettings& settings, const RunPlace& place,
                       Document* state = nullptr);

/// Trains for a search: in memory, without a word, for at most so many epochs, or until stop(),
/// asked after every batch. The model is then the last epoch's. ranks: null: there is one.
RunResult run_trial(TrialTrainee& trainee, int epochs, const std::function<bool()>& stop,
                    Communicator* ranks = nullptr);

/// Fails before hours of training where the model or the checkpoint could not be written.
void check_outputs(const TrainerSettings& settings, const std::string& model);

/// Fails (usage) where the time budget left no time for a step.
void expect_steps(const RunFigures& result, const RunClock& clock);

/// Adds what every model of a training has in its metadata, and writes it to `path`. history: JSON
/// of the runs that made the model this one began with, "" = none.
void write_trained_model(Document document, const TrainerSettings& settings,
                         const std::string& path, const std::string& history = "");

}  // namespace frugal
