#include "libcore/cli/trainer_run.h"

#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/system/signals.h"

namespace frugal {

TrainerSettings trainer_settings(const TrainerOptions& trainer, const Run& run) {
  TrainerSettings settings;
  settings.if_changed = run.options().if_changed;
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
    : run_(run), checkpoint_(settings.checkpoint), began_(wall_seconds()), progress_(run) {
  handle_signals();
  for (const std::string& path : inputs) run.reads(path);
  run.writes(model);
  run.keeps(checkpoint_);
}

std::function<void(double, const std::string&)> TrainerRun::shows_progress() {
  return [this](double done, const std::string& note) { progress_.update(done, note); };
}

void TrainerRun::add_ranks() {
  const Communicator& ranks = run_.ranks();
  if (ranks.size() == 1) return;
  auto& result = run_.result();
  result["ranks"] = ranks.size();
  result["sent_bytes"] = ranks.bytes_sent();
  result["exchange_seconds"] = ranks.seconds();
  result["hidden_exchange_seconds"] = ranks.hidden_seconds();
  run_.say(ranks.describe() + ": the first sent " + format_bytes(ranks.bytes_sent()) +
           " and spent " + format_seconds(ranks.seconds()) + " in exchanges, " +
           format_seconds(ranks.hidden_seconds()) + " more went on beside the training");
}

void TrainerRun::finish(bool stopped, const std::string& where) {
  progress_.finish();
  add_ranks();
  run_.result()["train_seconds"] = wall_seconds() - began_;
  if (!stopped) return;
  fail(stop_status(!checkpoint_.empty()), "stopped ", where,
       checkpoint_.empty() ? "; without --checkpoint the work is lost"
                           : "; go on with --resume and --checkpoint " + checkpoint_);
}

}  // namespace frugal
