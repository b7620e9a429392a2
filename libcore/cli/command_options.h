#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "libcore/cli/setting.h"
#include "libcore/cli/tool.h"
#include "libcore/cli/yaml_config.h"
#include "libcore/options/option_fields.h"

namespace frugal {

/// Options about the options, which are not part of a configuration.
struct MetaOptions {
  bool help = false;
  bool short_help = false;
  std::vector<std::string> config;
  std::vector<std::string> set;
  bool print_config = false;
};

/// Variables of a command's options besides the command's own struct.
struct BoundOptions {
  MetaOptions meta;
  CommonOptions common;
  std::string shard;
};

/// The options of one command: collects their descriptions, then applies layers of settings to
/// their variables.
class CommandOptions {
 public:
  /// `bound` must outlive this object.
  CommandOptions(const Command& command, BoundOptions& bound);
  CommandOptions(const CommandOptions&) = delete;
  CommandOptions& operator=(const CommandOptions&) = delete;

  const std::vector<OptionInfo>& table() const { return table_; }

  /// Applies config files, environment, --set and flags, each overriding the ones before, and
  /// checks that required options are present. Fails (usage) at the first value that an option
  /// refuses, even if a stronger layer overrides it.
  void apply_layers(const std::vector<std::string>& words);

  /// Fails (cannot_create) if only a configuration file names an existing file for metrics, report
  /// or depfile, which would be overwritten: the configuration may come from a stranger. --force on
  /// the command line, --report-append, and --resume of a log allow it.
  void check_configured_targets() const;

  /// YAML text for --print-config.
  std::string config_text(const std::string& title) const;

  /// Whether any layer set the option.
  bool given(const std::string& key) const { return values_.contains(key); }
  /// First value of the option as set by a layer; "" if none was set.
  std::string value(const std::string& key) const;
  /// Calls body(), which uses the value of the option; errors begin with the environment variable
  /// that set it, if one did.
  void use(const std::string& key, const std::function<void()>& body) const;

 private:
  void apply(const Setting& setting);
  void collect(const Command& command);
  /// Whether it was given on the command line, or differs from its default elsewhere.
  bool changed(const OptionInfo& info) const;
  void check_complete() const;
  void check_conditions(std::size_t index) const;
  std::size_t find(const Setting& setting) const;

  OptionFields all_;
  /// Fields of `all_` sorted by group, parallel to table_.
  std::vector<const OptionField*> fields_;
  std::vector<OptionInfo> table_;
  BoundOptions& bound_;
  /// Values of the strongest layer, as written.
  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, Layer> layers_;  ///< strongest layer that set the option
};

/// Describe the options of every command (three of them only if `uses` says so), of commands that
/// train, --shard, and options about the options.
void describe_common(const OptionFields& fields, CommonOptions& options, const CommonUses& uses);
void describe_trainer(const OptionFields& fields, TrainerOptions& options);
void describe_shard(const OptionFields& fields, std::string& shard);
void describe_meta(const OptionFields& fields, MetaOptions& options);

}  // namespace frugal
