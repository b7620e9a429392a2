#pragma once
#include "libcore/cli/tool.h"
#include "tools/tgn-train/embed.h"
#include "tools/tgn-train/evaluate.h"

namespace frugal {

Command eval_command(EvalOptions& options);
Command embed_command(EmbedOptions& options);

}  // namespace frugal
