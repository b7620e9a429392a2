#pragma once
#include <nlohmann/json_fwd.hpp>

#include "libcore/cli/tool.h"
#include "tools/robe-compress/fit/compress.h"
#include "tools/robe-compress/fit/expand.h"
#include "tools/robe-compress/fit/lookup.h"
#include "tools/robe-compress/making/generate.h"
#include "tools/robe-compress/run/training.h"
#include "tools/robe-compress/serve/evaluate.h"
#include "tools/robe-compress/serve/predict.h"
#include "tools/robe-compress/sweep/sweep.h"

namespace frugal::robe {

/// Options of the commands on trained tables.
struct FitCommandOptions {
  CompressOptions compress;
  ExpandOptions expand;
  LookupOptions lookup;

  FitCommandOptions() { compress.fit.find_storage = true; }
};

/// The commands, each bound to its options, which must outlive it.
Command compress_command(FitCommandOptions& options);
Command expand_command(FitCommandOptions& options);
Command lookup_command(FitCommandOptions& options);

/// The command bound to its options, which must outlive it.
Command generate_command(GenerateOptions& options);

/// Options of the commands that use a trained model.
struct ModelCommandOptions {
  EvalOptions eval;
  ClickPredictOptions predict;
};

/// Describes metrics and means of a part of the samples, e.g. "validation", or of all, "".
void describe_click_metrics(const ResultFields& f, const std::string& part,
                            const BinaryMetrics& metrics);

/// Describes how many values of each column in a part of the samples are unknown to the model.
void describe_unknown(const ResultFields& f, const std::string& part,
                      const std::vector<UnknownValues>& columns);

Command eval_command(EvalOptions& options);
Command predict_command(ClickPredictOptions& options);

struct TrainCommandOptions {
  TrainOptions train;
  TrainerOptions trainer;

  TrainCommandOptions() { train.find_storage = train.find_size = train.find_l2 = true; }
};

/// Converts the common options and those of trainers to the options of train().
TrainOptions complete_options(const TrainCommandOptions& options, const Run& run);

Command train_command(TrainCommandOptions& options);

struct SweepCommandOptions {
  SweepOptions sweep;
  TrainCommandOptions train;  ///< options of every run

  SweepCommandOptions() { train.train.find_size = false; }
};

Command sweep_command(SweepCommandOptions& options);

/// All options of the tool, which it sets while it parses the command line.
struct RobeCompressOptions {
  TrainCommandOptions train;
  ModelCommandOptions models;
  SweepCommandOptions sweep;
  FitCommandOptions fit;
  GenerateOptions generate;
};

/// The tool's commands, bound to `options`, which must outlive it.
Tool robe_compress_tool(RobeCompressOptions& options);

}  // namespace frugal::robe
