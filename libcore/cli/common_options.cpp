#include "libcore/cli/common_options.h"

#include <CLI/CLI.hpp>

#include "libcore/cli/checks.h"
#include "libcore/cli/conditions.h"

namespace frugal {
namespace {

const std::vector<std::string> kAutoAlwaysNever{"auto", "always", "never"};

void add_run_options(CLI::App& app, CommonOptions& o, const CommonUses& uses) {
  const char* group = "Common";
  if (uses.seed) {
    app.add_option("--seed", o.seed, "seed of everything random")
        ->group(group)
        ->envname("FRUGAL_SEED");
  }
  CLI::Option* threads =
      app.add_option("--threads", o.threads, "threads to use, or auto for all usable CPUs");
  threads->type_name("N|auto")->group(group)->envname("FRUGAL_THREADS");
  if (uses.device) {
    app.add_option("--device", o.device,
                   "where to compute; no command has an engine for cuda or ipu yet")
        ->check(CLI::IsMember(std::vector<std::string>{"auto", "cpu", "cuda", "ipu"}))
        ->group(group)
        ->envname("FRUGAL_DEVICE");
  }
  app.add_option("--simd", o.simd,
                 "vector instructions to use: auto, v2, v3, v4, v4bf16, amx, neon or sve")
      ->type_name("LEVEL")
      ->group(group)
      ->envname("FRUGAL_SIMD");
  if (uses.precision) {
    app.add_option("--precision", o.precision, "numbers to compute with")
        ->check(CLI::IsMember(std::vector<std::string>{"auto", "f32", "bf16"}))
        ->group(group)
        ->envname("FRUGAL_PRECISION");
  }
}

void add_output_options(CLI::App& app, CommonOptions& o) {
  const char* group = "Output";
  app.add_flag("--json", o.json, "print the result as one JSON object")->group(group);
  const auto file = [&](const char* name, std::string& value, const char* type, const char* what) {
    app.add_option(name, value, what)->type_name(type)->group(group);
  };
  file("--metrics", o.metrics, "FILE", "write metrics as JSON Lines");
  file("--tensorboard", o.tensorboard, "DIR", "write metrics as TensorBoard event files");
  file("--report", o.report, "FILE", "write a report as one HTML page");
  app.add_flag("--report-append", o.report_append,
               "add this run to the page of --report instead of replacing it")
      ->group(group);
  go_with(app, {"--report-append"}, "--report", [&o] { return !o.report.empty(); });
  file("--depfile", o.depfile, "FILE", "write what was read and written as a make rule");
  app.add_flag("--if-changed", o.if_changed,
               "leave an output untouched when it would be the same but for the time of the run")
      ->group(group);
  app.add_flag("-f,--force", o.force,
               "write binary data to a terminal, and over what is in the way")
      ->group(group);
}

void add_message_options(CLI::App& app, CommonOptions& o) {
  const char* group = "Messages";
  app.add_option("--progress", o.progress,
                 "show progress: a bar on a terminal, else a line every 10 s")
      ->check(CLI::IsMember(kAutoAlwaysNever))
      ->group(group);
  app.add_option("--color", o.color,
                 "colour in messages; auto: on a terminal, unless NO_COLOR is set")
      ->check(CLI::IsMember(kAutoAlwaysNever))
      ->group(group);
  app.add_flag("-q,--quiet", o.quiet, "say nothing but errors")->group(group);
  app.add_flag("-v,--verbose", o.verbose, "say more; twice for all")->group(group);
}

}  // namespace

void add_common_options(CLI::App& app, CommonOptions& options, const CommonUses& uses) {
  add_run_options(app, options, uses);
  add_output_options(app, options);
  add_message_options(app, options);
}

void add_trainer_options(CLI::App& app, TrainerOptions& o) {
  const char* group = "Training run";
  app.add_option("--checkpoint", o.checkpoint, "file to write checkpoints to")
      ->type_name("FILE")
      ->group(group);
  check_duration(
      app.add_option("--checkpoint-every", o.checkpoint_every, "time between checkpoints"))
      ->group(group);
  app.add_flag("--resume", o.resume, "go on from the checkpoint if it is there and valid")
      ->group(group);
  check_duration(
      app.add_option(
          "--time-budget", o.time_budget,
          "stop training after this time, with a checkpoint where --checkpoint names one"))
      ->group(group);
  go_with(app, {"--checkpoint-every", "--resume"}, "--checkpoint",
          [&o] { return !o.checkpoint.empty(); });
}

void add_shard_option(CLI::App& app, std::string& shard) {
  app.add_option(
         "--shard", shard,
         "work on part i of n, counted from 0; auto: as SLURM or mpirun say; {shard} in the name "
         "of the output stands for i-of-n")
      ->type_name("i/n|auto")
      ->group("Sharing work");
}

void add_meta_options(CLI::App& app, MetaOptions& o) {
  const char* group = "Configuration";
  const auto meta = [&](CLI::Option* option) { option->configurable(false)->group(group); };
  meta(app.add_option("--config", o.config,
                      "read options from a YAML file; again for more, later ones win")
           ->type_name("FILE")
           ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
  meta(app.add_option("--set", o.set, "set one option as a configuration would: --set lsh.tables=7")
           ->type_name("NAME=VALUE")
           ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
  meta(app.add_flag("--print-config", o.print_config,
                    "print the options in force as a --config file, and stop"));
  meta(app.add_flag("-h,--help", o.help, "show this help"));
}

}  // namespace frugal
