#pragma once
#include "libcore/cli/tool.h"
#include "tools/tgn-train/import.h"

namespace frugal::tgn {

/// --format, --header and --columns.
void add_layout_options(const OptionFields& f, EventLayoutOptions& options);
Command import_command(ImportOptions& options);

}  // namespace frugal::tgn
