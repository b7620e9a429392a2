#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/cli/trainer_run.h"
#include "tools/tgn-train/commands/tool.h"
#include "tools/tgn-train/links/link_report.h"
#include "tools/tgn-train/run/report.h"

namespace frugal::tgn {
namespace {

using nlohmann::ordered_json;

ExitStatus run_train(const TrainCommandOptions& o, Run& run) {
  if (o.train.task == "node-label") return run_label_train(o, run);
  const TrainOptions options = complete_options(o, run);
  TrainerRun training(run, options, {options.events}, options.model);
  TrainObserver observer;
  observer.log = &run.log();
  observer.begun = [&](const TrainFacts& f) {
    run.say(std::to_string(f.nodes) + " nodes, " + std::to_string(f.events) + " events with " +
            std::to_string(f.edge_features) + " features; training " +
            std::to_string(f.train_events) + ", validation " + std::to_string(f.valid_events) +
            ", test " + std::to_string(f.test_events));
    run.say(options.architecture + " with " + std::to_string(f.parameters) + " parameters");
    if (f.time_ranges > 1) {
      const std::string copies = std::to_string(f.time_ranges);
      run.say(copies + " copies of the memory: an epoch has 1/" + copies +
              " of the steps; --epochs, --patience and --learning-rate stay as given");
    }
    if (f.memory_shards != 0) {
      run.say("one memory in " + std::to_string(f.memory_shards) +
              " shards: " + format_bytes(f.memory_bytes) + " on the first of " +
              format_count(static_cast<std::size_t>(run.ranks().size()), "rank"));
    }
    training.progress().begin({"training", double(options.epochs), "epochs"});
  };
  observer.progress = training.shows_progress();
  observer.validated = [&](int epoch, double loss, const NamedValues& values) {
    run.say("epoch " + std::to_string(epoch) + ": loss " + format_number(loss, kMetricDigits) +
            metrics_text("validation", values));
  };
  const TrainResult result = train(options, observer);
  describe_result(ResultFields(run.result()), result);
  training.finish(result.stopped, "at step " + std::to_string(result.steps));
  if (!run.options().report.empty()) add_train_report(result, run.log(), run.report());
  run.say(std::to_string(result.epochs) + " epochs, " +
          format_number(run.result()["events_per_second"].get<double>(), 4) + " events/s" +
          device_busy_text(result) + tests_text(result.tests));
  const std::string baseline = baseline_text(result.tests, result.baselines);
  if (!baseline.empty()) {
    run.say(baseline + (options.pair_features ? "" : "; --pair-features learns by what it knows"));
  }
  return ExitStatus::ok;
}

constexpr char kTrainDescription[] =
    "Trains a model to distinguish the events of a stream from events that did not happen: the "
    "same source with a random destination. The network looks at the memory of both nodes and at "
    "their last neighbours. A recurrent cell updates the memory with every event. After each "
    "epoch the validation part is scored. The epoch with the best average precision, a mean over "
    "batches of 200 events, is tested and written. The stream is split at the quantiles 0.70 and "
    "0.85 of its times. A tenth of the nodes is kept out of training, to be tested as new "
    "nodes.\n\n"
    "The model's file has the memory after the training events. eval, embed and predict go on "
    "from it, as the published programs do. For a model you will deploy, train with --new-nodes "
    "0: the memory knows nothing of nodes that are kept out. The weights of each step made this "
    "memory. The final weights would make another one, on most streams a less accurate one. The "
    "memory fits every stream that begins with the same events. With --weights-only the file has "
    "none: all that use the model make it anew, as they do for other streams. With validation, a "
    "copy of the best epoch's memory is kept beside the memory. (Tensor trained.memory: a row "
    "for each node, its state up to whole 64 bytes and, with --memory exact and read, the last "
    "message.)\n\n"
    "With --memory window, the default, every event knows all events strictly before it, also "
    "within its own batch. It knows nothing of events at its own time, unless --ties order "
    "trains otherwise. The versions of memory that each event sees are planned ahead, and "
    "independent ones are computed at once. With --refresh touched, the default, a step repeats "
    "the last update of every node it looks at with its own weights. The updater learns by this; "
    "--refresh none is faster and less accurate. exact and read take batches as they are, as the "
    "published programs do. --architecture dyrep goes with exact: its messages have the other "
    "node's embedding, and it predicts links from memory. With --window larger than "
    "--batch-size, several optimiser steps see the memory as of the window's beginning. This "
    "separates the effects of stale memory and of large steps.\n\n"
    "The network is given times in a unit of the stream's own: about the mean time between two "
    "events of a node in training. Events of one time count as 0 apart. The model's file keeps "
    "the unit. Times are rounded to a 4,096th of it. So a stream in seconds, milliseconds or days "
    "gives the same model. --time-unit 1 gives times as they are, as the published programs do. "
    "Features of events and nodes that are far from 1 are scaled, which the run says and "
    "--scale-features none leaves out.\n\n"
    "A run that ends says so where a prediction without learning has a better average precision of "
    "the test; --json has baselines, as eval.\n\n"
    "--pair-features adds what source and destination have in common to the decoder's input. It "
    "has how lately and how often each was the other's partner, shared partners, and how active "
    "and popular both are. Random projections of walks, as in TPNet, are added. Only events "
    "strictly before count. The features cost 600 bytes a node.\n\n"
    "--memory-tier disk keeps the memory of nodes in a mapped file, for more nodes than fit into "
    "RAM. The run takes the space at the start, or fails. The model is the same to the last bit. "
    "A second thread plans a step and reads its memory while the step before is "
    "computed.\n\n"
    "--precision auto is f32. bf16 is faster with the same training losses. We have not measured "
    "enough full trainings to make bf16 the default.\n\n"
    "--task node-label trains three fully connected layers to predict whether the label of an "
    "event is 1, such as an editor being banned. Their input is the source's embedding before "
    "the event, by the network of --from, which stays as it is. The epoch with the best "
    "validation AUC is tested and written, with the network beside it. All nodes train. "
    "--dropout acts on these layers; there is no --checkpoint.\n\n"
    "--time-ranges N is for several machines (memory parallelism, DistTGL). The training events "
    "are cut into N consecutive ranges of equally many batches. There are N copies of the memory, "
    "each in a range of its own. In every epoch a copy goes on to the next range with its memory; "
    "one that comes to the first begins anew. A step has a batch of each copy, and is made by the "
    "mean of their gradients. So an epoch has an Nth of the steps. Copies that mpirun or srun "
    "starts are ranks, which share the copies of the memory. Their number divides N. The model is "
    "the same to the byte for 1, 2, 4, ... ranks. The first rank validates, tests and writes all "
    "files, with the memory of the copy that was in the last range. Before a copy has come "
    "through all ranges, so in the first N-1 epochs, it makes the memory anew by the present "
    "weights. All ranks read the same events, on the CPU, with --memory-tier ram.\n\n"
    "--memory-shards N is for a memory that exceeds the RAM of one machine. Its nodes are cut into "
    "N shards, in pages of 32 nodes, and the events of each step into N parts. Every rank has its "
    "shards of the memory and computes their parts of a step. It is sent the records that these "
    "read, and sends new records to their owners. The step is made by the sum of all gradients. So "
    "this is the training of one process but for rounding, and the model is the same to the byte "
    "for 1, 2, 4, ... ranks. Their number divides N. The events, the index of neighbours and the "
    "last events of each node stay on all ranks, and features of pairs, too. All ranks validate "
    "and test, which takes as long as in one process. For checkpoints and the model, the first "
    "rank gathers the memory in a mapped file beside the output. It is as large as the "
    "memory. Each rank also needs a buffer of that size when it reads a checkpoint.\n\n"
    "The model is the same to the last bit for any number of threads on the same kind of "
    "processor. With --checkpoint, a killed run goes on with --resume to the bits of an "
    "uninterrupted one. USR1 asks for a checkpoint now. TERM and INT ask for a checkpoint and "
    "end the run with exit status 75.";

}  // namespace

// bf16 only where it is asked for: models differ more from seed to seed, in either precision, than
// trainings of three seeds on four streams can tell the precisions apart (tests/bench/RESULTS.md).
Precision network_precision(const Run& run) {
  return run.precision() == Precision::automatic ? Precision::f32 : run.precision();
}

TrainOptions complete_options(const TrainCommandOptions& o, const Run& run) {
  TrainOptions options = decided(o.train);
  if (run.ranks().rank() != 0) options.model = "";
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
      {"mpirun -n 4 tgn-train train EVENTS -o tgn.model", "as four ranks"},
      {"mpirun -n 4 tgn-train train EVENTS --memory-shards 4 -o tgn.model",
       "as four ranks that have a quarter of the memory each"},
      {"tgn-train train EVENTS --task node-label --from tgn.model -o labels.model",
       "what becomes of the sources"},
      {"tgn-train train EVENTS --pair-features -o pairs.model",
       "also by what both nodes have in common: ranks far better"}};
  command.often = {"--architecture",  "--memory",     "--batch-size", "--epochs",
                   "--learning-rate", "--patience",   "--new-nodes",  "--task",
                   "--pair-features", "--checkpoint", "--report"};
  command.describe = [&o](const OptionFields& f) { describe_train(f, o.train); };
  command.uses = {.seed = true, .precision = true, .device = true, .engine = "tgn.train"};
  command.describe_results = [](const ResultFields& f) {
    f.when("--task link", true,
           [](const ResultFields& links) { describe_result(links, TrainResult{}); });
    f.when("--task node-label", true,
           [](const ResultFields& labels) { describe_label_result(labels, {}); });
  };
  command.trainer = &o.trainer;
  command.joins_ranks = true;
  command.run = [&o](Run& run) { return run_train(o, run); };
  return command;
}

}  // namespace frugal::tgn
