#pragma once
#include "libcore/cli/command_options.h"
#include "libcore/cli/tool.h"

namespace frugal {

/// The options of every command (three of them where it uses them), of commands that train, and
/// about the options themselves.
void add_common_options(CLI::App& app, CommonOptions& options, const CommonUses& uses);
void add_trainer_options(CLI::App& app, TrainerOptions& options);
void add_shard_option(CLI::App& app, std::string& shard);
void add_meta_options(CLI::App& app, MetaOptions& options);

}  // namespace frugal
