#pragma once
#include "libcore/cli/tool.h"
#include "tools/sparse-train/data/training_data.h"

namespace frugal::sparse {

/// `sparse-train convert`; `options` must outlive the command.
Command convert_command(ConvertOptions& options);

}  // namespace frugal::sparse
