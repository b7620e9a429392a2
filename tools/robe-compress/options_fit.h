#pragma once
#include "libcore/cli/tool.h"
#include "tools/robe-compress/compress.h"
#include "tools/robe-compress/expand.h"
#include "tools/robe-compress/lookup.h"

namespace frugal::robe {

/// Options of the commands on trained tables, and values that are written as text with a unit.
struct FitCommandOptions {
  CompressOptions compress;
  std::string hot_share = "auto";
  std::string hash = "golden";
  std::string storage = "auto";
  std::string max_memory = "1536MiB";
  ExpandOptions expand;
  LookupOptions lookup;
};

/// Each bound to its options, which must outlive it.
Command compress_command(FitCommandOptions& options);
Command expand_command(FitCommandOptions& options);
Command lookup_command(FitCommandOptions& options);

}  // namespace frugal::robe
