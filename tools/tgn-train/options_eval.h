#pragma once
#include "libcore/cli/tool.h"
#include "tools/tgn-train/embed.h"
#include "tools/tgn-train/evaluate.h"
#include "tools/tgn-train/options_train.h"

namespace frugal::tgn {

/// --ranks and --num-ranked.
void describe_ranks(const OptionFields& fields, std::string& kind, std::size_t& count);

Command eval_command(EvalOptions& options);
Command embed_command(EmbedOptions& options);

}  // namespace frugal::tgn
