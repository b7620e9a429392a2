#pragma once
#include "libcore/cli/tool.h"
#include "tools/gnn-sample/bench.h"
#include "tools/gnn-sample/sample.h"

namespace frugal::gnn {

struct SampleCommandOptions {
  SampleOptions sample;
  std::string layout = "csr";
  std::string residence = "auto";
  std::string compression = "auto";
  std::string uneven = "keep";
  Shard shard;
};

struct BenchCommandOptions {
  BenchOptions bench;
  std::string round_time = "5s";
  std::string residence = "auto";
};

/// "auto", "memory" or "mapped"; fails (usage) on anything else.
Residence residence_from_name(const std::string& name);
void add_residence_option(CLI::App& app, std::string& residence);
/// --fanouts, --semantics ...: how neighbours are drawn.
void add_sampling_options(CLI::App& app, SamplingOptions& sampling);

Command sample_command(SampleCommandOptions& options);
Command bench_command(BenchCommandOptions& options);

}  // namespace frugal::gnn
