#pragma once
#include "libcore/cli/tool.h"
#include "tools/gnn-sample/sample.h"

namespace frugal::gnn {

struct SampleCommandOptions {
  SampleOptions sample;
  std::string compression = "auto";
  Shard shard;
};

/// Tells the run of files that are named where words may stand.
void read_seeds(Run& run, const SeedSourceOptions& source);
/// "12.34 M".
std::string in_millions(double rate);

Command sample_command(SampleCommandOptions& options);

}  // namespace frugal::gnn
