#pragma once
#include <string>
#include <vector>

#include "libcore/base/trainer_settings.h"
#include "libcore/cli/tool.h"

namespace frugal {

/// By the common options and those of trainers. Fails (usage) where --resume has no checkpoint.
TrainerSettings trainer_settings(const TrainerOptions& trainer, const Run& run);

/// Describes the results that every training adds to its own: its seconds and, of several ranks,
/// what they exchanged.
void describe_trainer_results(const ResultFields& f, double seconds, const Communicator& ranks);

/// What the train commands of all tools do before and after their training.
class TrainerRun {
 public:
  /// Signals stop the training from now on. It reads `inputs` ("": none) and writes `model`.
  TrainerRun(Run& run, const TrainerSettings& settings, const std::vector<std::string>& inputs,
             const std::string& model);

  TaskProgress& progress() { return progress_; }
  /// A function for observers: how far the task that was begun is.
  std::function<void(double done, const std::string& note)> shows_progress();

  /// After the training, whose result is in the JSON, where several ranks add what they exchanged.
  /// Fails (stopped) where a signal stopped it:
  /// "stopped at step 7", and how to go on.
  void finish(bool stopped, const std::string& where);

 private:
  void say_ranks();

  Run& run_;
  std::string checkpoint_;
  double began_;
  TaskProgress progress_;
};

}  // namespace frugal
