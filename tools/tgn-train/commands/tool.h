#pragma once
#include "libcore/cli/tool.h"
#include "tools/tgn-train/affinity/training.h"
#include "tools/tgn-train/labels/training.h"
#include "tools/tgn-train/making/generate.h"
#include "tools/tgn-train/making/import.h"
#include "tools/tgn-train/serve/affinity.h"
#include "tools/tgn-train/serve/embed.h"
#include "tools/tgn-train/serve/evaluate.h"
#include "tools/tgn-train/serve/export.h"
#include "tools/tgn-train/serve/predict.h"
#include "tools/tgn-train/settings/train_fields.h"
#include "tools/tgn-train/sweep/sweep.h"

namespace frugal::tgn {

struct TrainCommandOptions {
  TrainOptions train = undecided_options();
  TrainerOptions trainer;
};

/// Precision of the network by --precision.
Precision network_precision(const Run& run);

/// Completes the options by all that the command line decides. Fails (usage) if options contradict
/// each other.
TrainOptions complete_options(const TrainCommandOptions& options, const Run& run);

Command train_command(TrainCommandOptions& options);

/// Describes --ranks and --eval-negatives.
void describe_ranks(const OptionFields& fields, std::string& kind, std::size_t& count);

Command eval_command(EvalOptions& options);
Command embed_command(EmbedOptions& options);

Command generate_command(GenerateOptions& options);

/// Adds --format, --header and --columns.
void add_layout_options(const OptionFields& f, EventLayoutOptions& options);
Command import_command(ImportOptions& options);

/// Runs train --task node-label and event-label.
ExitStatus run_label_train(const TrainCommandOptions& options, Run& run);
/// Describes what the decoder reads.
void describe_label_reads(const ResultFields& f, const LabelReads& reads);
/// Describes the metrics of validation and test, and the baselines of the test.
void describe_label_metrics(const ResultFields& f, const LabelMetrics& valid,
                            const LabelMetrics& test, const LabelBaselines& baselines);
/// Prints the best baseline, and warns if the model is no better.
void say_label_baseline(const LabelMetrics& test, const LabelBaselines& baselines, Run& run);
/// Describes the results of run_label_train().
void describe_label_result(const ResultFields& f, const LabelTrainResult& result);

Command predict_command(PredictOptions& options);

struct SweepCommandOptions {
  SweepOptions sweep;
  TrainCommandOptions train;  ///< options of every run
  RankOptions ranks;
  std::string plot;  ///< file for the figures as SVG; "" = none
};

Command sweep_command(SweepCommandOptions& options);

struct ExportCommandOptions {
  ExportOptions network;
  bool ipu = false;
};

Command export_command(ExportCommandOptions& options);

Command train_affinity_command(AffinityOptions& options);
Command eval_affinity_command(AffinityEvalOptions& options);
Command predict_affinity_command(AffinityPredictOptions& options);

/// Values of the options of all commands; must outlive the tool.
struct TgnTrainOptions {
  GenerateOptions generate;
  ImportOptions import_events;
  TrainCommandOptions train;
  SweepCommandOptions sweep;
  EvalOptions eval;
  EmbedOptions embed;
  PredictOptions predict;
  ExportCommandOptions export_network;
  AffinityOptions train_affinity;
  AffinityEvalOptions eval_affinity;
  AffinityPredictOptions predict_affinity;
};

Tool tgn_train_tool(TgnTrainOptions& options);

}  // namespace frugal::tgn
