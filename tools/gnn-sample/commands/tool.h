#pragma once
#include <string>

#include "libcore/cli/tool.h"
#include "tools/gnn-sample/making/generate.h"
#include "tools/gnn-sample/making/import.h"
#include "tools/gnn-sample/making/partition.h"
#include "tools/gnn-sample/run/train.h"
#include "tools/gnn-sample/serve/bench.h"
#include "tools/gnn-sample/serve/export.h"
#include "tools/gnn-sample/serve/predict.h"
#include "tools/gnn-sample/serve/sample.h"

namespace frugal::gnn {

Command bench_command(BenchOptions& options);

/// Commands that generate and partition graphs, bound to their options, which must outlive them.
Command generate_command(GenerateOptions& options);
Command partition_command(PartitionCommandOptions& options);

/// The command bound to its options, which must outlive it.
Command import_command(ImportOptions& options);

struct EvalCommandOptions {
  EvalCommandOptions() { eval.nodes = "labelled"; }

  ModelOnGraphOptions eval;
};

struct PredictCommandOptions {
  PredictCommandOptions() { predict.nodes = "all"; }

  PredictOptions predict;
};

Command eval_command(EvalCommandOptions& options);
Command predict_command(PredictCommandOptions& options);

struct ExportCommandOptions {
  ExportOptions batches;
  bool ipu = false;
};

Command export_command(ExportCommandOptions& options);

struct SampleCommandOptions {
  SampleOptions sample;
  std::string compression = "auto";
  Shard shard;
};

/// Registers with the run the file that --nodes or --seeds may name instead of a word.
void read_nodes(Run& run, const std::string& nodes);
/// Registers the files that options for seeds may name.
void read_seeds(Run& run, const SeedSourceOptions& source);
/// Rate in millions, e.g. "12.34 M".
std::string in_millions(double rate);

Command sample_command(SampleCommandOptions& options);

struct TrainCommandOptions {
  TrainOptions train;
  TrainerOptions trainer;

  TrainCommandOptions() {
    train.open_settings = train.open_activation = train.open_head_layers = true;
    train.open_input_size = true;
  }
};

Command train_command(TrainCommandOptions& options);

/// Values of the options of all commands; must outlive the tool.
struct GnnSampleOptions {
  SampleCommandOptions sample;
  BenchOptions bench;
  TrainCommandOptions train;
  PredictCommandOptions predict;
  EvalCommandOptions eval;
  ExportCommandOptions export_batches;
  GenerateOptions generate;
  PartitionCommandOptions partition;
  ImportOptions import_graph;

  GnnSampleOptions() { bench.round_seconds = 5; }
};

Tool gnn_sample_tool(GnnSampleOptions& options);

}  // namespace frugal::gnn
