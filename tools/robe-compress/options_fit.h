#pragma once
#include "libcore/cli/tool.h"
#include "tools/robe-compress/compress.h"
#include "tools/robe-compress/expand.h"
#include "tools/robe-compress/lookup.h"

namespace frugal::robe {

/// Options of the commands on trained tables.
struct FitCommandOptions {
  CompressOptions compress;
  ExpandOptions expand;
  LookupOptions lookup;

  FitCommandOptions() { compress.fit.find_storage = true; }
};

/// Each bound to its options, which must outlive it.
Command compress_command(FitCommandOptions& options);
Command expand_command(FitCommandOptions& options);
Command lookup_command(FitCommandOptions& options);

}  // namespace frugal::robe
