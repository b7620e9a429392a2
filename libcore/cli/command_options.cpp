#include "libcore/cli/command_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/cli/common_options.h"
#include "libcore/cli/conditions.h"

namespace frugal {
namespace {

/// Option groups are nameless apps inside the app.
void collect_options(CLI::App& app, std::vector<CLI::Option*>& options) {
  for (CLI::Option* option : app.get_options()) options.push_back(option);
  for (CLI::App* group : app.get_subcommands([](CLI::App* a) { return a->get_name().empty(); })) {
    collect_options(*group, options);
  }
}

/// Positional ones first, then the groups in the order in which each began.
void sort_by_group(std::vector<CLI::Option*>& options) {
  std::vector<std::string> order;
  for (const CLI::Option* option : options) order.push_back(option->get_group());
  const auto rank = [&](const CLI::Option* option) {
    return option->get_positional()
               ? -1
               : std::find(order.begin(), order.end(), option->get_group()) - order.begin();
  };
  std::stable_sort(options.begin(), options.end(),
                   [&](const CLI::Option* a, const CLI::Option* b) { return rank(a) < rank(b); });
}

std::vector<std::string> split_values(const OptionInfo& info, const Setting& setting) {
  if (!info.list || !setting.split || setting.values.size() != 1) return setting.values;
  std::vector<std::string> values;
  for (const std::string_view part : split(setting.values[0], info.delimiter)) {
    values.emplace_back(trim(part));
  }
  if (values.size() == 1 && values[0].empty()) values.clear();
  return values;
}

[[noreturn]] void refuse(const Setting& setting, const std::string& value,
                         const std::string& reason) {
  fail(ExitStatus::usage, setting.place, setting.name, " is '", printable(value), "', ", reason);
}

/// "" or the number that -vv and the like add up to, which is how a configuration writes it.
std::vector<std::string> as_written(const OptionInfo& info,
                                    const std::vector<std::string>& values) {
  if (!info.flag || !info.accumulates) return values;
  std::int64_t sum = 0;
  for (const std::string& value : values) {
    sum += value == "true" ? 1 : parse_number<std::int64_t>(value).value_or(0);
  }
  return {std::to_string(sum)};
}

/// CLI11 empties the variable and then calls an empty list a failure.
void store_empty(CLI::Option& option, const Setting& setting) {
  if (option.get_items_expected_max() < CLI::detail::expected_max_vector_size) {
    fail(ExitStatus::usage, setting.place, setting.name, " is empty");
  }
  const CLI::MultiOptionPolicy policy = option.get_multi_option_policy();
  option.multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  try {
    option.run_callback();
  } catch (const CLI::ConversionError&) {
    option.clear();
  }
  option.multi_option_policy(policy);
}

}  // namespace

CommandOptions::CommandOptions(const Command& command, BoundOptions& bound)
    : app_(std::make_unique<CLI::App>(command.summary, command.name)), bound_(bound) {
  app_->set_help_flag();
  app_->option_defaults()->always_capture_default();
  if (command.add_options) command.add_options(*app_);
  std::vector<CLI::Option*> own;
  collect_options(*app_, own);
  if (command.trainer != nullptr) add_trainer_options(*app_, *command.trainer);
  if (command.shard != nullptr) add_shard_option(*app_, bound.shard);
  add_common_options(*app_, bound.common, command.uses);
  add_meta_options(*app_, bound.meta);
  collect_options(*app_, options_);
  sort_by_group(options_);
  for (CLI::Option* option : options_) {
    table_.push_back(inspect_option(*option));
    table_.back().shared = std::find(own.begin(), own.end(), option) == own.end();
  }
}

CommandOptions::~CommandOptions() = default;

void CommandOptions::apply_layers(const std::vector<std::string>& words) {
  const std::vector<Setting> flags = parse_arguments(words, table_);
  for (const Setting& setting : flags) {
    if (!table_[find(setting)].configurable) apply(setting);
  }
  if (bound_.meta.help) return;
  for (const std::string& path : bound_.meta.config) {
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
  }
  fail(ExitStatus::usage, setting.place, setting.layer == Layer::set ? "--set: " : "",
       "unknown option '", printable(setting.key), "'", unknown_option_hint(setting.key, keys));
}

void CommandOptions::apply(const Setting& setting) {
  const std::size_t index = find(setting);
  const OptionInfo& info = table_[index];
  const std::vector<std::string> values = split_values(info, setting);
  if (!info.list && !info.accumulates && values.size() != 1) {
    fail(ExitStatus::usage, setting.place, setting.name, " is a list, expected one value");
  }
  for (const std::string& value : values) {
    const bool counted = info.flag && info.accumulates && (value == "true" || value == "false");
    if (!counted && !looks_like(info.kind, value))
      refuse(setting, value, "expected " + info.expected);
  }
  store(index, setting, values);
  values_[info.key] = as_written(info, values);
  layers_[info.key] = setting.layer;
}

/// Hands the values to CLI11, which checks and converts them. Its messages are replaced by ours.
void CommandOptions::store(std::size_t index, const Setting& setting,
                           const std::vector<std::string>& values) {
  const OptionInfo& info = table_[index];
  CLI::Option& option = *options_[index];
  option.clear();
  option.add_result(values);
  if (values.empty()) return store_empty(option, setting);
  std::string shown = values[0];
  for (std::size_t i = 1; i < values.size(); ++i) shown.append(",").append(values[i]);
  try {
    option.run_callback();
  } catch (const CLI::ArgumentMismatch&) {
    const int least = option.get_items_expected_min(), most = option.get_items_expected_max();
    fail(ExitStatus::usage, setting.place, setting.name, " has ", values.size(),
         " values, expected ", values.size() < static_cast<std::size_t>(least) ? least : most);
  } catch (const CLI::Error& error) {
    if (!info.expected.empty()) refuse(setting, shown, "expected " + info.expected);
    refuse(setting, shown, error.what());
  }
}

std::string CommandOptions::value(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() || found->second.empty() ? "" : found->second.front();
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

/// Options without effect are mistakes.
void CommandOptions::check_conditions(std::size_t index) const {
  const std::string name = display_name(table_[index]);
  for (std::size_t other = 0; other < options_.size(); ++other) {
    CLI::Option* const option = options_[other];
    if (options_[index]->get_needs().contains(option) && !given(table_[other].key)) {
      fail(ExitStatus::usage, name, " needs ", display_name(table_[other]), " too");
    }
    if (options_[index]->get_excludes().contains(option) && changed(table_[other])) {
      fail(ExitStatus::usage, name, " and ", display_name(table_[other]),
           " cannot be used together");
    }
  }
  const std::string missing = missing_condition(*options_[index]);
  if (!missing.empty()) fail(ExitStatus::usage, name, " goes with ", missing);
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

}  // namespace frugal
