#pragma once
#include "libcore/cli/command_options.h"
#include "libcore/cli/tool.h"

namespace frugal {

/// The options of every command (three of them where it uses them), of commands that train, and
/// about the options themselves.
void describe_common(const OptionFields& fields, CommonOptions& options, const CommonUses& uses);
void describe_trainer(const OptionFields& fields, TrainerOptions& options);
void describe_shard(const OptionFields& fields, std::string& shard);
void describe_meta(const OptionFields& fields, MetaOptions& options);

}  // namespace frugal
