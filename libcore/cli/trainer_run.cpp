#include "libcore/cli/trainer_run.h"

#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/system/limits.h"
#include "libcore/system/output_links.h"
#include "libcore/system/signals.h"

namespace frugal {
namespace {

/// When a file was written; nothing if there is none.
std::optional<std::filesystem::file_time_type> time_of(const std::string& path) {
  if (path.empty()) return std::nullopt;
  std::error_code error;
  const auto time = std::filesystem::last_write_time(path, error);
  return error ? std::nullopt : std::optional(time);
}

}  // namespace

TrainerSettings trainer_settings(const TrainerOptions& trainer, const Run& run) {
  TrainerSettings settings;
  settings.seed = run.options().seed;
  settings.device = run.options().device;
  settings.checkpoint = trainer.checkpoint;
  settings.checkpoint_seconds = trainer.checkpoint_every;
  settings.resume = trainer.resume;
  settings.time_budget = trainer.time_budget;
  settings.ranks = &run.ranks();
  settings.config = run.result_config();
  settings.history_entry = run.history_entry();
  return settings;
}

TrainerRun::TrainerRun(Run& run, const TrainerSettings& settings,
                       const std::vector<std::string>& inputs, const std::string& model)
    : run_(run),
      checkpoint_(settings.checkpoint),
      resumes_(settings.resume),
      earlier_(time_of(checkpoint_)),
      began_(wall_seconds()),
      progress_(run) {
  handle_signals();
  for (const std::string& path : inputs) run.reads(path);
  run.writes(model);
  run.keeps(checkpoint_);
}

std::function<void(double, const std::string&)> TrainerRun::shows_progress() {
  return [this](double done, const std::string& note) { progress_.update(done, note); };
}

void describe_trainer_results(const ResultFields& f, double seconds, const Communicator& ranks) {
  f.when("several ranks", ranks.size() > 1, [&](const ResultFields& several) {
    several.add("ranks", ranks.size(), "number of processes that trained the model together");
    several.add("sent_bytes", ranks.bytes_sent(), "bytes that the first rank sent");
    several.add("exchange_seconds", ranks.seconds(),
                "time that the first rank's training waited for exchanges");
    several.add("hidden_exchange_seconds", ranks.hidden_seconds(),
                "time of the first rank's exchanges that overlapped with its training");
  });
  f.add("train_seconds", seconds, "time of the whole command, including reading and writing");
  f.add("peak_memory_bytes", peak_memory(), "most memory that the first rank had");
}

void TrainerRun::say_ranks() {
  const Communicator& ranks = run_.ranks();
  if (ranks.size() == 1) return;
  run_.say(ranks.describe() + ": the first sent " + format_bytes(ranks.bytes_sent()) +
           " and spent " + format_seconds(ranks.seconds()) + " in exchanges, " +
           format_seconds(ranks.hidden_seconds()) + " more went on beside the training");
}

void TrainerRun::finish(bool stopped, const std::string& where) {
  progress_.finish();
  say_ranks();
  describe_trainer_results(ResultFields(run_.result()), wall_seconds() - began_, run_.ranks());
  if (!stopped) return;
  const bool can_resume = this->can_resume();
  fail(stop_status(can_resume), "stopped ", where,
       checkpoint_.empty() ? "; without --checkpoint the work is lost"
       : can_resume        ? "; go on with --resume and --checkpoint " + checkpoint_
                           : ", before the first checkpoint: the next run starts anew");
}

/// Whether there is a checkpoint that this run wrote, or that it continued from. Only the first
/// rank writes it, maybe on a disk of its own.
bool TrainerRun::can_resume() const {
  if (checkpoint_.empty() || run_.ranks().rank() != 0) return !checkpoint_.empty();
  const auto now = time_of(checkpoint_);
  if (!resumes_) return now && now != earlier_;
  return now || time_of(follow_links(checkpoint_) + ".prev");
}

void TrainerRun::fail_after(const std::string& model, bool resumes, const std::string& advice) {
  std::string text;
  if (!model.empty()) text = "; " + model + " is written" + advice;
  if (resumes) text += "; --resume and --checkpoint " + checkpoint_ + " do the rest";
  if (text.empty()) text = "; without an output and --checkpoint the work is lost";
  fail(stop_status(resumes), "stopped after the training, in the evaluation", text);
}

}  // namespace frugal
