#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/trainer_settings.h"
#include "libcore/cli/tool.h"

namespace frugal {

/// Settings from the common options and those of trainers. Fails (usage) for --resume without a
/// checkpoint.
TrainerSettings trainer_settings(const TrainerOptions& trainer, const Run& run);

/// Describes the results of every training: its seconds, its memory and, for several ranks, the
/// data that they exchanged.
void describe_trainer_results(const ResultFields& f, double seconds, const Communicator& ranks);

/// Steps that the train commands of all tools share, before and after the training.
class TrainerRun {
 public:
  /// Lets signals stop the training from now on, and declares the inputs ("": none), the model and
  /// the checkpoint.
  TrainerRun(Run& run, const TrainerSettings& settings, const std::vector<std::string>& inputs,
             const std::string& model);

  TaskProgress& progress() { return progress_; }
  /// A function for observers that updates the current task.
  std::function<void(double done, const std::string& note)> shows_progress();

  /// Ends the run after the training. Adds the results of describe_trainer_results() to the JSON.
  /// If a signal stopped the training, fails with stop_status(), "stopped at step 7", and how to
  /// resume, if a checkpoint holds some of the work.
  void finish(bool stopped, const std::string& where);
  /// Fails with stop_status() because a signal ended the tests that follow a complete training.
  /// model: the file that has it, or "". resumes: a checkpoint exists, with which --resume does the
  /// rest. advice: what follows "is written", or "".
  [[noreturn]] void fail_after(const std::string& model, bool resumes, const std::string& advice);

 private:
  void say_ranks();
  bool can_resume() const;

  Run& run_;
  std::string checkpoint_;
  bool resumes_;
  std::optional<std::filesystem::file_time_type> earlier_;  ///< time of an earlier checkpoint
  double began_;
  TaskProgress progress_;
};

}  // namespace frugal
