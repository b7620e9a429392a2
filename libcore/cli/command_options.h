#pragma once
#include <map>
#include <string>
#include <vector>

#include "libcore/cli/setting.h"
#include "libcore/cli/tool.h"
#include "libcore/cli/yaml_config.h"
#include "libcore/options/option_fields.h"

namespace frugal {

/// Options about the options; not part of a configuration.
struct MetaOptions {
  bool help = false;
  bool short_help = false;
  std::vector<std::string> config;
  std::vector<std::string> set;
  bool print_config = false;
};

/// Everything a command's options are bound to besides the command's own struct.
struct BoundOptions {
  MetaOptions meta;
  CommonOptions common;
  std::string shard;
};

/// The options of one command: collects their descriptions, then applies layers of settings to the
/// variables that they are bound to.
class CommandOptions {
 public:
  /// `bound` must outlive this object.
  CommandOptions(const Command& command, BoundOptions& bound);
  CommandOptions(const CommandOptions&) = delete;
  CommandOptions& operator=(const CommandOptions&) = delete;

  const std::vector<OptionInfo>& table() const { return table_; }

  /// Applies config files, environment, --set and flags, each above the one before, and checks that
  /// what is required is there. Fails (usage) at the first value that an option refuses, also where
  /// a stronger layer replaces it.
  void apply_layers(const std::vector<std::string>& words);

  /// Fails (cannot_create) where a configuration file alone names a file that is there for metrics,
  /// report or depfile, which would lose its content: the configuration may be a stranger's.
  /// --force on the command line, --report-append and --resume of a log allow it.
  void check_configured_targets() const;

  /// The YAML that --print-config prints.
  std::string config_text(const std::string& title) const;

  /// Whether any layer gave the option a value.
  bool given(const std::string& key) const { return values_.contains(key); }
  /// The first value given to the option, "" where none was.
  std::string value(const std::string& key) const;

 private:
  void apply(const Setting& setting);
  void collect(const Command& command);
  /// Whether it was given on the command line, or another value than its default elsewhere.
  bool changed(const OptionInfo& info) const;
  void check_complete() const;
  void check_conditions(std::size_t index) const;
  std::size_t find(const Setting& setting) const;

  OptionFields all_;
  std::vector<const OptionField*> fields_;  ///< of `all_` by group, parallel to table_
  std::vector<OptionInfo> table_;
  BoundOptions& bound_;
  std::map<std::string, std::vector<std::string>> values_;  ///< of the strongest layer, as written
  std::map<std::string, Layer> layers_;                     ///< the strongest layer
};

/// The options of every command (three of them where it uses them), of commands that train, and
/// about the options themselves.
void describe_common(const OptionFields& fields, CommonOptions& options, const CommonUses& uses);
void describe_trainer(const OptionFields& fields, TrainerOptions& options);
void describe_shard(const OptionFields& fields, std::string& shard);
void describe_meta(const OptionFields& fields, MetaOptions& options);

}  // namespace frugal
