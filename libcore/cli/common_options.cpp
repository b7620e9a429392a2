#include "libcore/cli/common_options.h"

namespace frugal {
namespace {

const Names kAutoAlwaysNever{"auto", "always", "never"};

void describe_run(const OptionFields& fields, CommonOptions& o, const CommonUses& uses) {
  const OptionFields f = fields.group("Common");
  if (uses.seed) f.add("--seed", o.seed, "seed of everything random").environment("FRUGAL_SEED");
  f.add("--threads", o.threads, "threads to use, or auto for all usable CPUs")
      .metavar("N|auto")
      .environment("FRUGAL_THREADS");
  if (uses.device) {
    f.add("--device", o.device, "where to compute; no command has an engine for cuda or ipu yet")
        .choices({"auto", "cpu", "cuda", "ipu"})
        .environment("FRUGAL_DEVICE");
  }
  f.add("--simd", o.simd, "vector instructions to use: auto, v2, v3, v4, v4bf16, amx, neon or sve")
      .metavar("LEVEL")
      .environment("FRUGAL_SIMD");
  if (uses.precision) {
    f.add("--precision", o.precision, "numbers to compute with")
        .choices({"auto", "f32", "bf16"})
        .environment("FRUGAL_PRECISION");
  }
}

void describe_output(const OptionFields& fields, CommonOptions& o) {
  const OptionFields f = fields.group("Output");
  f.add("--json", o.json, "print the result as one JSON object");
  f.add("--metrics", o.metrics, "write metrics as JSON Lines").metavar("FILE");
  f.add("--tensorboard", o.tensorboard, "write metrics as TensorBoard event files").metavar("DIR");
  f.add("--report", o.report, "write a report as one HTML page").metavar("FILE");
  f.add("--report-append", o.report_append,
        "add this run to the page of --report instead of replacing it")
      .goes_with("--report", [&o] { return !o.report.empty(); });
  f.add("--depfile", o.depfile, "write what was read and written as a make rule").metavar("FILE");
  f.add("--if-changed", o.if_changed,
        "leave an output untouched when it would be the same but for the time of the run");
  f.add("-f,--force", o.force, "write binary data to a terminal, and over what is in the way");
}

void describe_messages(const OptionFields& fields, CommonOptions& o) {
  const OptionFields f = fields.group("Messages");
  f.add("--progress", o.progress, "show progress: a bar on a terminal, else a line every 10 s")
      .choices(kAutoAlwaysNever);
  f.add("--color", o.color, "colour in messages; auto: on a terminal, unless NO_COLOR is set")
      .choices(kAutoAlwaysNever);
  f.add("-q,--quiet", o.quiet, "say nothing but errors");
  f.add_count("-v,--verbose", o.verbose, "say more; twice for all");
}

}  // namespace

void describe_common(const OptionFields& fields, CommonOptions& options, const CommonUses& uses) {
  describe_run(fields, options, uses);
  describe_output(fields, options);
  describe_messages(fields, options);
}

void describe_trainer(const OptionFields& fields, TrainerOptions& o) {
  const OptionFields f = fields.group("Training run");
  f.add("--checkpoint", o.checkpoint, "file to write checkpoints to").metavar("FILE");
  f.add_duration("--checkpoint-every", o.checkpoint_every, "time between checkpoints");
  f.add("--resume", o.resume, "go on from the checkpoint if it is there and valid");
  f.add_duration("--time-budget", o.time_budget,
                 "stop training after this time, with a checkpoint where --checkpoint names one");
  f.go_with({"--checkpoint-every", "--resume"}, "--checkpoint",
            [&o] { return !o.checkpoint.empty(); });
}

void describe_shard(const OptionFields& fields, std::string& shard) {
  fields.group("Sharing work")
      .add("--shard", shard,
           "work on part i of n, counted from 0; auto: as SLURM or mpirun say; {shard} in the name "
           "of the output stands for i-of-n")
      .metavar("i/n|auto");
}

void describe_meta(const OptionFields& fields, MetaOptions& o) {
  const OptionFields f = fields.group("Configuration");
  f.add("--config", o.config, "read options from a YAML file; again for more, later ones win")
      .metavar("FILE")
      .accumulates();
  f.add("--set", o.set, "set one option as a configuration would: --set lsh.tables=7")
      .metavar("NAME=VALUE")
      .accumulates();
  f.add("--print-config", o.print_config,
        "print the options in force as a --config file, and stop");
  f.add("-h", o.short_help, "show what most users set, on one screen");
  f.add("--help", o.help, "show all options");
  for (const char* name : {"--config", "--set", "--print-config", "h", "--help"}) {
    f.field(name).not_configurable();
  }
}

}  // namespace frugal
