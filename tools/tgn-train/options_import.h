#pragma once
#include "libcore/cli/tool.h"
#include "tools/tgn-train/import.h"

namespace frugal {

Command import_command(ImportOptions& options);

}  // namespace frugal
