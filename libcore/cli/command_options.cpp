#include "libcore/cli/command_options.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/cli/apply_setting.h"
#include "libcore/cli/cli11_arguments.h"
#include "libcore/metrics/run_log.h"
#include "libcore/streams/installed_files.h"

namespace frugal {
namespace {

/// Sorts positional options first, then those without a heading, then the groups in the order of
/// their first option.
void sort_by_group(std::vector<const OptionField*>& fields) {
  std::vector<std::string> order{OptionFields::kNoHeading};
  for (const OptionField* field : fields) order.push_back(field->info().group);
  const auto rank = [&](const OptionField* field) {
    const OptionInfo& info = field->info();
    return info.positional ? -1 : std::find(order.begin(), order.end(), info.group) - order.begin();
  };
  std::stable_sort(fields.begin(), fields.end(),
                   [&](const OptionField* a, const OptionField* b) { return rank(a) < rank(b); });
}

/// Value for a configuration: the number that -vv and the like add up to, or "".
std::vector<std::string> as_written(const OptionInfo& info,
                                    const std::vector<std::string>& values) {
  if (!info.flag || !info.accumulates) return values;
  std::int64_t sum = 0;
  for (const std::string& value : values) {
    sum += value == "true" ? 1 : parse_number<std::int64_t>(value).value_or(0);
  }
  return {std::to_string(sum)};
}

/// Whether overwriting a file would lose content. Devices and pipes have none to lose.
bool has_content(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) &&
         std::filesystem::file_size(path, ignored) != 0;
}

}  // namespace

CommandOptions::CommandOptions(const Command& command, BoundOptions& bound) : bound_(bound) {
  collect(command);
  for (const OptionField* field : fields_) table_.push_back(field->info());
}

void CommandOptions::collect(const Command& command) {
  if (command.describe) command.describe(all_);
  if (command.trainer != nullptr) describe_trainer(all_, *command.trainer);
  if (command.shard != nullptr) describe_shard(all_, bound_.shard);
  const std::size_t own = all_.all().size();
  describe_common(all_, bound_.common, command.uses);
  describe_meta(all_, bound_.meta);
  for (std::size_t i = 0; i < all_.all().size(); ++i) {
    all_.all()[i].info().shared = i >= own;
    fields_.push_back(&all_.all()[i]);
  }
  sort_by_group(fields_);
}

void CommandOptions::apply_layers(const std::vector<std::string>& words) {
  const std::vector<Setting> flags = parse_arguments(words, table_);
  for (const Setting& setting : flags) {
    if (!table_[find(setting)].configurable) apply(setting);
  }
  if (bound_.meta.help || bound_.meta.short_help) return;
  for (std::string& path : bound_.meta.config) {
    path = path_or_installed(path);
    for (const Setting& setting : read_config(path)) apply(setting);
  }
  for (const Setting& setting : environment_settings(table_)) apply(setting);
  for (const std::string& text : bound_.meta.set) apply(parse_set(text));
  for (const Setting& setting : flags) {
    if (table_[find(setting)].configurable) apply(setting);
  }
  if (!bound_.meta.print_config) check_complete();
}

std::size_t CommandOptions::find(const Setting& setting) const {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const bool visible = table_[i].configurable || setting.layer == Layer::flags;
    if (visible && table_[i].key == setting.key) return i;
    if (visible) keys.push_back(table_[i].key);
    if (visible && std::ranges::count(table_[i].negations, setting.key) > 0) {
      const bool is_off = setting.values == std::vector<std::string>{"false"};
      fail(ExitStatus::usage, setting.place, "'", setting.key, "' is for the command line; write ",
           setting.layer == Layer::set ? "--set " + table_[i].key + "=" : table_[i].key + ": ",
           is_off ? "true" : "false");
    }
  }
  fail(ExitStatus::usage, setting.place, setting.layer == Layer::set ? "--set: " : "",
       "unknown option '", printable(setting.key), "'", unknown_option_hint(setting.key, keys));
}

void CommandOptions::apply(const Setting& setting) {
  const std::size_t index = find(setting);
  const OptionInfo& info = table_[index];
  const std::vector<std::string> values = apply_setting(*fields_[index], setting);
  values_[info.key] = as_written(info, values);
  layers_[info.key] = setting.layer;
}

std::string CommandOptions::value(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() || found->second.empty() ? "" : found->second.front();
}

void CommandOptions::use(const std::string& key, const std::function<void()>& body) const {
  try {
    body();
  } catch (const Error& error) {
    const auto layer = layers_.find(key);
    if (layer == layers_.end() || layer->second != Layer::environment) throw;
    const auto option = std::find_if(table_.begin(), table_.end(),
                                     [&](const OptionInfo& info) { return info.key == key; });
    fail(error.status(), option->environment, ": ", error.what());
  }
}

bool CommandOptions::changed(const OptionInfo& info) const {
  const auto found = values_.find(info.key);
  if (found == values_.end()) return false;
  return layers_.at(info.key) == Layer::flags || found->second != info.defaults;
}

void CommandOptions::check_complete() const {
  for (const OptionInfo& info : table_) {
    if (!info.required || given(info.key)) continue;
    fail(ExitStatus::usage, display_name(info), " is missing: ", info.description);
  }
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (changed(table_[i])) check_conditions(i);
  }
}

/// Refuses options that have no effect: they are mistakes.
void CommandOptions::check_conditions(std::size_t index) const {
  const OptionInfo& info = table_[index];
  const bool is_off = info.flag && !info.negations.empty() && value(info.key) == "false";
  const std::string name = is_off ? "--" + info.negations.front() : display_name(info);
  const OptionField& field = *fields_[index];
  const auto is_among = [](const std::vector<std::string>& keys, const OptionInfo& option) {
    return std::find(keys.begin(), keys.end(), option.key) != keys.end();
  };
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const OptionInfo& other = table_[i];
    if (is_among(field.needed(), other) && !given(other.key)) {
      fail(ExitStatus::usage, name, " needs ", display_name(other), " too");
    }
    const bool excluded =
        is_among(field.excluded(), other) || is_among(fields_[i]->excluded(), info);
    if (excluded && changed(other)) {
      fail(ExitStatus::usage, name, " and ", display_name(other), " cannot be used together");
    }
  }
  const std::string missing = field.missing_condition();
  if (!missing.empty()) fail(ExitStatus::usage, name, " goes with ", missing);
}

void CommandOptions::check_configured_targets() const {
  const auto is_on = [this](const char* key) { return value(key) == "true"; };
  const auto force = layers_.find("force");
  if (is_on("force") && force->second >= Layer::set) return;
  for (const char* key : {"metrics", "report", "depfile"}) {
    const auto layer = layers_.find(key);
    if (layer == layers_.end() || layer->second != Layer::config) continue;
    const std::string path = value(key);
    const bool goes_on = key == std::string_view("metrics") && is_on("resume") && is_run_log(path);
    const bool adds = key == std::string_view("report") && is_on("report-append");
    if (goes_on || adds || !has_content(path)) continue;
    fail(ExitStatus::cannot_create, path, ": exists, and a configuration file names it for --", key,
         "; give --force on the command line to replace it, or another name there");
  }
}

std::string CommandOptions::config_text(const std::string& title) const {
  std::vector<ConfigEntry> entries;
  for (const OptionInfo& info : table_) {
    if (!info.configurable) continue;
    const auto found = values_.find(info.key);
    const bool is_given = found != values_.end();
    entries.push_back({&info, is_given ? found->second : info.defaults, is_given});
  }
  return write_config(title, entries);
}

namespace {

const Names kAutoAlwaysNever{"auto", "always", "never"};

void describe_run(const OptionFields& fields, CommonOptions& o, const CommonUses& uses) {
  const OptionFields f = fields.group("Common");
  if (uses.seed) f.add("--seed", o.seed, "seed of all random numbers").environment("FRUGAL_SEED");
  f.add("--threads", o.threads,
        "number of threads; auto: all usable CPUs, or the fast cores alone if that is faster")
      .metavar("N|auto")
      .environment("FRUGAL_THREADS");
  if (uses.device) {
    f.add("--device", o.device,
          uses.engine.empty() ? "device to compute on: auto or cpu; this command has no engine for "
                                "other devices"
                              : "device to compute on: auto, cpu, cuda or, by its number, cuda:1")
        .metavar("DEVICE")
        .environment("FRUGAL_DEVICE");
  }
  f.add(
       "--simd", o.simd,
       "highest level of vector instructions to use: auto, v2 (or sse4.2), v3 (avx2), v4 (avx512), "
       "v4bf16, amx, neon or sve")
      .metavar("LEVEL")
      .environment("FRUGAL_SIMD");
  if (uses.precision) {
    f.add("--precision", o.precision,
          "number type of matrix products. bf16 is less exact, and faster where the processor "
          "has instructions for it. auto: the command chooses")
        .choices({"auto", "f32", "bf16"})
        .environment("FRUGAL_PRECISION");
  }
}

void describe_output(const OptionFields& fields, CommonOptions& o) {
  const OptionFields f = fields.group("Output");
  f.add("--json", o.json, "print the result as one JSON object");
  f.add("--metrics", o.metrics, "file to write metrics to, as JSON Lines").metavar("FILE");
  f.add("--tensorboard", o.tensorboard, "folder to write metrics to, as TensorBoard event files")
      .metavar("DIR");
  f.add("--report", o.report, "file to write a report to, as one HTML page").metavar("FILE");
  f.add("--report-append", o.report_append,
        "add this run to the page of --report instead of replacing the page")
      .goes_with("--report", [&o] { return !o.report.empty(); });
  f.add("--depfile", o.depfile,
        "file to write a make rule to, which names the input and output files of the run")
      .metavar("FILE");
  f.add("--if-changed", o.if_changed,
        "do not touch an output file if it would be the same but for the time of the run");
  f.add("-f,--force", o.force,
        "overwrite existing files that a configuration file names for --metrics, --report or "
        "--depfile");
}

void describe_messages(const OptionFields& fields, CommonOptions& o) {
  const OptionFields f = fields.group("Messages");
  f.add("--progress", o.progress,
        "show progress. auto: a bar on a terminal, else a line every 10 s")
      .choices(kAutoAlwaysNever);
  f.add("--color", o.color, "use colour in messages. auto: on a terminal, unless NO_COLOR is set")
      .choices(kAutoAlwaysNever);
  f.add("-q,--quiet", o.quiet, "print only errors");
  f.add_count("-v,--verbose", o.verbose, "print more messages; twice for all of them");
}

}  // namespace

void describe_common(const OptionFields& fields, CommonOptions& options, const CommonUses& uses) {
  describe_run(fields, options, uses);
  describe_output(fields, options);
  describe_messages(fields, options);
}

void describe_trainer(const OptionFields& fields, TrainerOptions& o) {
  const OptionFields f = fields.group("Training run");
  f.add("--checkpoint", o.checkpoint,
        "file for checkpoints; --resume continues from it. The one before is kept as FILE.prev, "
        "from which --resume continues if the file is missing or damaged")
      .metavar("FILE");
  f.add_duration("--checkpoint-every", o.checkpoint_every, "time between two checkpoints");
  f.add("--resume", o.resume,
        "continue from the checkpoint; without one and FILE.prev, start anew");
  f.add_duration("--time-budget", o.time_budget,
                 "stop training after this time; with --checkpoint, --resume can continue later");
  f.go_with({"--checkpoint-every", "--resume"}, "--checkpoint",
            [&o] { return !o.checkpoint.empty(); });
}

void describe_shard(const OptionFields& fields, std::string& shard) {
  fields.group("Sharing work")
      .add("--shard", shard,
           "work only on part i of n, counted from 0. auto: i and n are taken from SLURM or "
           "mpirun. {shard} in the name of the output becomes i-of-n")
      .metavar("i/n|auto");
}

void describe_meta(const OptionFields& fields, MetaOptions& o) {
  const OptionFields f = fields.group("Configuration");
  f.add("--config", o.config,
        "YAML file to read options from, also one of share/frugal in the installation, such as "
        "configs/NAME.yaml; may be repeated, later files override earlier ones")
      .metavar("FILE")
      .accumulates();
  f.add("--set", o.set, "set one option by its name in a configuration: --set lsh.tables=7")
      .metavar("NAME=VALUE")
      .accumulates();
  f.add("--print-config", o.print_config,
        "print the options in force as a --config file, and exit");
  f.add("-h", o.short_help, "show the options that most users set, on one screen");
  f.add("--help", o.help, "show all options, with examples");
  for (const char* name : {"--config", "--set", "--print-config", "h", "--help"}) {
    f.field(name).not_configurable();
  }
}

}  // namespace frugal
