#pragma once
#include "libcore/cli/tool.h"
#include "tools/tgn-train/embed.h"
#include "tools/tgn-train/evaluate.h"
#include "tools/tgn-train/options_network.h"

namespace frugal::tgn {

/// --ranks and --num-ranked.
void add_rank_options(CLI::App& app, std::string& kind, std::size_t& count);

Command eval_command(EvalOptions& options, PlaceOptions& place);
Command embed_command(EmbedOptions& options, PlaceOptions& place);

}  // namespace frugal::tgn
