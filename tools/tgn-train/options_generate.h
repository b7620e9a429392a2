#pragma once
#include "libcore/cli/tool.h"
#include "tools/tgn-train/generate.h"

namespace frugal::tgn {

Command generate_command(GenerateOptions& options);

}  // namespace frugal::tgn
