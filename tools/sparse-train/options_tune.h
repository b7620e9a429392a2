#pragma once
#include "libcore/cli/tool.h"
#include "tools/sparse-train/tune.h"

namespace frugal::sparse {

struct TuneCommandOptions {
  TuneOptions tune;
};

/// The command bound to its options, which must outlive it.
Command tune_command(TuneCommandOptions& options);

}  // namespace frugal::sparse
