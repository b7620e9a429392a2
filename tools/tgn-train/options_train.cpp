#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/cli/trainer_run.h"
#include "libcore/system/clock.h"
#include "libcore/system/signals.h"
#include "tools/tgn-train/link_report.h"
#include "tools/tgn-train/options.h"
#include "tools/tgn-train/train_report.h"

namespace frugal::tgn {
namespace {

using nlohmann::ordered_json;

ExitStatus run_train(const TrainCommandOptions& o, Run& run) {
  if (o.train.task == "node-label") return run_label_train(o, run);
  const double began = wall_seconds();
  const TrainOptions options = complete_options(o, run);
  handle_signals();
  run.reads(options.events);
  run.writes(options.model);
  run.keeps(options.checkpoint);
  std::unique_ptr<Progress> progress;
  TrainObserver observer;
  observer.log = &run.log();
  observer.begun = [&](const TrainFacts& f) {
    run.say(std::to_string(f.nodes) + " nodes, " + std::to_string(f.events) + " events with " +
            std::to_string(f.edge_features) + " features; training " +
            std::to_string(f.train_events) + ", validation " + std::to_string(f.valid_events) +
            ", test " + std::to_string(f.test_events));
    run.say(options.architecture + " with " + std::to_string(f.parameters) + " parameters");
    progress = run.progress("training", options.epochs, "epochs");
  };
  observer.progress = [&](double done, const std::string& note) { progress->update(done, note); };
  observer.validated = [&](int epoch, double loss, const MetricValues& values) {
    run.say("epoch " + std::to_string(epoch) + ": loss " + format_number(loss, kMetricDigits) +
            metrics_text("validation", values));
  };
  const TrainResult result = train(options, observer);
  if (progress) progress->finish();
  add_result(result, run.result());
  run.result()["train_seconds"] = wall_seconds() - began;
  if (result.stopped) {
    fail_stopped("stopped at step " + std::to_string(result.steps), options.checkpoint);
  }
  if (!run.options().report.empty()) add_train_report(result, run.log(), run.report());
  run.say(std::to_string(result.epochs) + " epochs, " +
          format_number(run.result()["events_per_second"].get<double>(), 4) + " events/s" +
          tests_text(result.tests));
  return ExitStatus::ok;
}

constexpr char kTrainDescription[] =
    "Trains a model to tell the events of a stream from events that did not happen: "
    "each has the same source and a destination drawn from all that training has. A "
    "network looks at the memory of both nodes, which a recurrent cell brings up to "
    "date with every event, and at the nodes' last neighbours. After each epoch the "
    "validation part is scored; the epoch whose average precision, a mean over batches of 200 "
    "events, is best is tested and written. The stream is split at the quantiles 0.70 and "
    "0.85 of its times, and a tenth of the nodes are kept out of training, to "
    "be tested as new ones.\n\n"
    "The model's file has the memory that training left of the events that train, from which "
    "eval, embed and predict go on, as the published programs do (tensor trained.memory: a "
    "row "
    "for each node, its state up to whole 64 bytes and, of --memory exact and read, the last "
    "message). It knows nothing of nodes that are kept out of training: a model that shall "
    "serve wants --new-nodes 0. It was made by the weights as they were from step to step; "
    "what the last ones make of the same events is another memory, on most streams a less "
    "accurate one. It is that of all streams that begin with the same events, whatever was "
    "added "
    "behind them. By --weights-only there is none in the file: validation, test and all that "
    "use the model make it anew, as they do for streams that it was not trained on. With "
    "validation a copy of the best epoch's memory is kept where the memory lies.\n\n"
    "With --memory window, the default, every event knows all events strictly before it, "
    "also those of its own batch. Of events at its own time it knows nothing, unless --ties "
    "order trains otherwise. The versions of memory that each event sees are planned ahead, "
    "and what is independent is computed at once. With --refresh touched, the default, a "
    "step makes the last update of every node it looks at again with its own weights. So "
    "the updater learns by it; --refresh none is faster and less accurate. exact and read "
    "take batches as they are, as the published programs do. --architecture dyrep goes with exact: "
    "its messages have the other node's embedding, and memory tells its links. With --window "
    "larger than --batch-size, several optimiser steps see the memory as of the window's "
    "beginning. So stale memory and large steps can be told apart.\n\n"
    "--pair-features widens the decoder by what source and destination have in common: "
    "how lately and how often each was among the other's last partners, partners in "
    "common, how active and popular both are, and random projections of walks, as TPNet "
    "has them; of the events strictly before, in training and tests alike. They cost "
    "600 bytes a node.\n\n"
    "--memory-tier disk keeps the memory of nodes in a mapped file, for more of them "
    "than fit: the room is taken at the start, or the run fails there; the model is the "
    "same to the last bit. Where there is a second thread, steps are planned, and their "
    "memory is called for, while the one before is computed.\n\n"
    "--precision auto is f32: bf16 is faster and its training losses are the same, but "
    "that whole trainings end as well was not measured on enough streams.\n\n"
    "--task node-label trains three fully connected layers to tell whether the label of "
    "an event is 1 (such as the user who edits being banned) from the embedding that "
    "the network of --from has of the source before the memory knows of the event; the "
    "network stays as it is. The epoch with the best area under the ROC curve of the "
    "validation part is tested and written, with the network beside it. All nodes "
    "train. --dropout is that of the layers; there is no --checkpoint.\n\n"
    "The model is the same to the last bit for any number of threads on the same kind "
    "of processor. With --checkpoint, a killed run goes on with --resume to the bits of "
    "an uninterrupted one. USR1 asks for a checkpoint now; TERM and INT for a "
    "checkpoint and the end of the run with exit status 75.\n\n"
    "With --json: nodes, events, parameters, train_events, validation_events, "
    "test_events, new_node_validation_events, new_node_test_events, epochs, best_epoch, "
    "steps, resumed_from_step, loss, events_per_second and events_per_cpu_second "
    "(training events through forward pass, backward pass and optimiser), epoch_seconds "
    "(median, without validation), the metrics that eval describes, read_seconds, "
    "fit_seconds, plan_seconds (in which training waited for plans), eval_seconds, "
    "train_seconds. Of node-label: nodes, events, parameters (of the layers), "
    "train_events, validation_events, test_events, train_labelled (with label 1), "
    "validation_labelled, test_labelled, epochs, best_epoch, steps, loss, "
    "validation_auc, validation_average_precision, test_auc, test_average_precision, "
    "read_seconds, embed_seconds, "
    "fit_seconds, train_seconds.";

}  // namespace

// bf16 only where it is asked for: models differ more from seed to seed, in either precision, than
// trainings of three seeds on four streams can tell the precisions apart (tests/bench/RESULTS.md).
Precision network_precision(const Run& run) {
  return run.precision() == Precision::automatic ? Precision::f32 : run.precision();
}

TrainOptions complete_options(const TrainCommandOptions& o, const Run& run) {
  TrainOptions options = decided(o.train);
  options.network.precision = network_precision(run);
  static_cast<TrainerSettings&>(options) = trainer_settings(o.trainer, run);
  return options;
}

Command train_command(TrainCommandOptions& o) {
  Command command;
  command.name = "train";
  command.summary = "train a temporal graph network on a stream of events";
  command.description = kTrainDescription;
  command.examples = {
      {"tgn-train train EVENTS -o tgn.model", "attention over the last neighbours"},
      {"tgn-train train EVENTS -o tgn.model --batch-size 10", "more, smaller steps"},
      {"tgn-train train EVENTS -o tgn.model --memory exact",
       "batches as the authors' code has them"},
      {"tgn-train train EVENTS --neighbor-sampling uniform -o tgn.model",
       "attention over any of the neighbours"},
      {"tgn-train train EVENTS --memory-tier disk --memory-dtype bf16 --new-nodes 0 "
       "--no-eval -o large.model",
       "of more nodes than fit into memory"},
      {"tgn-train train EVENTS --architecture pyg -o pyg.model", "Graphcore's model"},
      {"tgn-train train EVENTS --config configs/wikipedia-tgn.yaml -o tgn.model",
       "all as the paper has it"},
      {"tgn-train train EVENTS --task node-label --from tgn.model -o labels.model",
       "what becomes of the sources"},
      {"tgn-train train EVENTS --pair-features -o pairs.model",
       "also by what both nodes have in common: ranks far better"}};
  command.often = {"--architecture",  "--memory",     "--batch-size", "--epochs",
                   "--learning-rate", "--patience",   "--new-nodes",  "--task",
                   "--pair-features", "--checkpoint", "--report"};
  command.describe = [&o](const OptionFields& f) { describe_train(f, o.train); };
  command.uses = {.seed = true, .precision = true, .device = true};
  command.trainer = &o.trainer;
  command.run = [&o](Run& run) { return run_train(o, run); };
  return command;
}

}  // namespace frugal::tgn
