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
  if (o.train.task != "link") return run_label_train(o, run);
  const TrainOptions options = complete_options(o, run);
  TrainerRun training(run, options, {options.events}, options.model);
  TrainObserver observer;
  observer.log = &run.log();
  observer.begun = [&](const TrainFacts& f) {
    run.say(format_count(f.nodes, "node") + ", " + format_count(f.events, "event") + " with " +
            format_count(f.edge_features, "feature") +
            (f.edge_types == 0 ? "" : ", " + format_count(f.edge_types, "edge type")) +
            "; training " + std::to_string(f.train_events) + ", validation " +
            std::to_string(f.valid_events) + ", test " + std::to_string(f.test_events));
    run.say(options.architecture + " with " + format_count(f.parameters, "parameter"));
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
  if (result.evaluation_stopped) {
    training.fail_after(options.model, result.has_checkpoint,
                        result.lacks_mix ? ", without a mix; tgn-train eval tests it"
                                         : ", and tgn-train eval tests it");
  }
  if (!run.options().report.empty()) add_train_report(result, run.log(), run.report());
  run.say(format_count(static_cast<std::size_t>(result.epochs), "epoch") + ", " +
          format_number(run.result()["events_per_second"].get<double>(), 4) + " events/s" +
          device_busy_text(result) + tests_text(result.tests));
  const std::string mix = mix_text(result.mix);
  if (!mix.empty()) run.say(mix);
  const std::string baseline = baseline_text(result.tests, result.baselines);
  if (!baseline.empty()) {
    const bool reads_pairs =
        options.pair_features || options.network.embeds_pairs() || options.network.reads_common();
    run.say(baseline + (reads_pairs ? "" : "; --pair-features learns by what it knows"));
  }
  return ExitStatus::ok;
}

constexpr char kTrainDescription[] =
    "Trains a model to distinguish the events of a stream from events that did not happen, which "
    "have the same source and a random destination. The network reads the memory of both nodes and "
    "of their most recent neighbours. A recurrent cell updates the memory with every event. The "
    "stream is split at the quantiles 0.70 and 0.85 of its times into training, validation and "
    "test. A tenth of the nodes is kept out of training, to be tested as new nodes. After each "
    "epoch, the model is validated. The model of the epoch with the best average precision (the "
    "mean over batches of 200 events) is tested and written.\n\n"
    "The model file contains the memory after the training events. eval, embed and predict "
    "continue from it, as the published programs do. For a model that you will deploy, train with "
    "--new-nodes 0. Otherwise the memory contains no events of the nodes that are kept out. Each "
    "update of the memory was computed with the weights that the training had then. A memory "
    "recomputed with the final weights is less accurate on most streams. The stored memory can be "
    "used with every stream that begins with the same events. With --weights-only the file "
    "contains no memory. Commands that use the model then compute it from the events, as they do "
    "for other streams. With validation, a training needs twice the space for the memory, because "
    "it also keeps a copy of the best epoch's memory. In the model file, the memory is the tensor "
    "trained.memory. Its row for a node is the state, padded to a multiple of 64 bytes, and with "
    "--memory exact and read the last message.\n\n"
    "With --memory window, the default, every event sees all events with an earlier time, also "
    "events of its own batch. It does not see events with the same time, unless --ties order is "
    "given, which applies to training. The versions of the memory that events see are planned "
    "ahead, and independent ones are computed at once. With --refresh touched, the default, a step "
    "recomputes the last memory update of every node that it reads, with the present weights. "
    "Gradients through these updates train the updater; --refresh none is faster and less "
    "accurate. --memory exact and read update the memory after whole batches, as the published "
    "programs do. --architecture dyrep needs exact: its messages contain the other node's "
    "embedding, and it predicts links from the memory alone. tgn-train predict does not run its "
    "models. With --window larger than "
    "--batch-size, several optimiser steps see the memory as it was at the start of the window. "
    "This separates the effect of a stale memory from the effect of large steps.\n\n"
    "The network sees times in a unit that is measured on the stream: about the mean time between "
    "two events of a node in training. Events of the same time are 0 apart. The model file stores "
    "the unit, and times are rounded to a 4,096th of it. So the same stream gives the same model "
    "in seconds, milliseconds or days. --time-unit 1 uses times as they are, as the published "
    "programs do. Features of events and nodes whose values are much larger or smaller than 1 are "
    "scaled, which the run prints. --scale-features none turns this off.\n\n"
    "With --mix auto, the model answers with a mix of the network's logit and exact keys of source "
    "and destination. There are four groups of keys. The first is how long ago and how often both "
    "met. The second is how recent and how popular the destination is. The third is how often it "
    "occurs near the last destinations of the source. The fourth is how often the source returns "
    "to earlier destinations. Only events with an earlier time count.\n\n"
    "The mix begins as the best order without learning, such as the most recent destination first. "
    "It is fitted on the first two thirds of validation, with the network fixed. The last third "
    "decides whether it is kept. The mean of its MRR and average precision must be better, and "
    "neither below that order's. Then it is fitted again on all of validation, so results of "
    "validation are of data that fitted it. Otherwise the better one of network and order answers, "
    "which the run says. With the order (predictor heuristic), the network has no influence on "
    "answers at all. Test events choose nothing. eval and predict use the mix, too; embed and "
    "export use the network alone. Streams with fewer than 300 validation events have no mix. Keys "
    "take memory in addition, 2 to 20 KB for a node with many events. A stream whose keys may not "
    "fit "
    "into memory has no mix, which the run says.\n\n"
    "At the end, the run compares the model with simple baselines, which predict without learning. "
    "If one has a better average precision on the test events, a message says so. --json lists all "
    "baselines, as in eval.\n\n"
    "--negatives and --loss ranking change what the network is trained against. On MovieLens, "
    "MovieTweetings and Wikipedia neither was worth its time: ranks stayed within 0.001, and "
    "training "
    "took two to three times as long.\n\n"
    "--train-negatives historical and mixed lowered the ranks of pyg on CollegeMsg: the network "
    "may then "
    "take an earlier meeting as evidence against an event.\n\n"
    "--task event-label predicts labels of events (import --label-type) from past labels of both "
    "nodes and of their pair. These are labels of strictly earlier events, which must be known by "
    "then. No network is needed, and a training takes seconds. Begin with this. With --from, "
    "labels are also predicted from the embeddings of both ends before the event. On five tasks "
    "of three streams these changed the accuracy or r2 by less than 0.01, and took most of the "
    "time. Features of nodes are read where there are "
    "some and no network, and features of the event with --event-features. The model has "
    "every class of the file, even if only test events have it. The test is compared with the "
    "commonest label, or the mean, and with past labels of source and destination. A warning says "
    "if the model is no better.\n\n"
    "If events have edge types (import), the network learns a vector of each type for messages and "
    "neighbours. The decoder reads the type of the pair that it scores, and a negative has the "
    "type of its event. The mix has keys within the type, and --pair-features five more features. "
    "At most 256 types are read. tpnet and tncn refuse such events.\n\n"
    "--pair-features adds features of source and destination as a pair to the input of the "
    "decoder. They are how recently and how often both met, the partners that they share, and how "
    "active and popular each is. Random projections of walks, as in TPNet, are added. Only events "
    "with an earlier time than the scored event count. The features take 600 bytes of memory for "
    "each node.\n\n"
    "--architecture tpnet has no memory. It computes the logit of a pair from the last neighbours "
    "of both nodes. It reads the age of each neighbour, the features of its event, and the walks "
    "that lead from it to either node. Walks have up to three steps, with earlier events at each "
    "step, and a half-life of 0.37 of training's duration. Their random projections take 1 to 2 KB "
    "for each node. A node that has fewer neighbours than --neighbors has zeros in their place. An "
    "embedding depends on the pair, so embed, export and --task node-label refuse these models. An "
    "epoch takes about ten times as long as with tgn-attn. A training step keeps up to 34 KB for "
    "each neighbour of both ends of a pair. In batches of 200 these are 0.55 GB, and 0.28 GB more "
    "for each further negative. A training with steps that may not fit into memory is refused.\n\n"
    "--architecture tncn is pyg with --decoder common, which all but dyrep and tpnet can have. "
    "The decoder reads the product of both embeddings. Where a node is among the last partners of "
    "the other, it also reads that node's embedding. It also reads the memories of their common "
    "neighbours. One or two events connect such a node to each of the two. Only the last "
    "--neighbors events of a node count, and only events with earlier times than the scored one. "
    "With pyg, tncn and --memory exact or read, they are the events before the batch. A "
    "tgn-no-mem model without node features has no memories to read, only the number of common "
    "neighbours. An epoch takes 10 to 30 percent more time than with pyg. The lists take time by "
    "the square of --neighbors. In a training step each pair takes 5 to 20 KB. GPUs, "
    "--memory-shards, --pair-features, embed, export and --task node-label refuse these models. On "
    "three streams without a mix, pyg --pair-features had a higher average precision than tncn and "
    "took less time. Prefer it unless its 600 bytes for each node are too many.\n\n"
    "--memory-tier disk keeps the memory of nodes in a memory-mapped file, for more nodes than fit "
    "into RAM. The run reserves the space at the start, or fails. The model is the same to the "
    "last bit as with ram. A second thread plans a step and reads its memory while the previous "
    "step is computed.\n\n"
    "--precision auto means f32. bf16 is faster and had the same training losses, but too few "
    "complete trainings have been measured to make it the default.\n\n"
    "--task node-label --from trains three fully connected layers to predict whether the label of "
    "an event is 1, such as an editor being banned. Their input is the embedding of the source "
    "before the event. The network of the model --from computes it and is not changed. The layers "
    "of the epoch with the best validation AUC are tested and written, together with the network. "
    "No nodes are kept out of training. --dropout applies to these layers. Without --from, the "
    "task is event-label without features of destination and event.\n\n"
    "--time-ranges N trains on several machines (memory parallelism, as in DistTGL). The training "
    "events are cut into N consecutive ranges of equally many batches. There are N copies of the "
    "memory, each in a range of its own. In every epoch, a copy moves on to the next range with "
    "its memory. A copy that comes to the first range starts with an empty memory. A step has a "
    "batch of each copy and uses the mean of their gradients, so an epoch has an Nth of the steps. "
    "Processes that mpirun or srun starts are ranks, which divide the copies among them; N must be "
    "a multiple of their number. The model is the same to the byte for 1, 2, 4, ... ranks. The "
    "first rank validates, tests and writes all files, with the memory of the copy that was in the "
    "last range. In the first N-1 epochs, no copy has passed through all ranges yet, and the first "
    "rank recomputes the memory with the present weights. All ranks read the same events. --device "
    "cpu and --memory-tier ram are required.\n\n"
    "--memory-shards N divides a memory that exceeds the RAM of one machine. Its nodes are divided "
    "into N shards, in pages of 32 nodes, and the events of each step into N parts. Every rank "
    "stores some of the shards and computes their parts of a step. It receives the records that "
    "these parts read, and sends new records to their owners. A step uses the sum of all "
    "gradients. So a training in one process gives the same model up to rounding. The model is the "
    "same to the byte for 1, 2, 4, ... ranks. N must be a multiple of their number. Every rank "
    "stores all events, the index of neighbours, the last events of each node and the features of "
    "pairs. All ranks validate and test, which takes as long as in one process. For checkpoints "
    "and the model, the first rank collects the memory in a memory-mapped file beside the output. "
    "The file is as large as the memory. Each rank also needs a buffer of that size when it reads "
    "a checkpoint.\n\n"
    "The model is the same to the last bit for any number of threads on the same kind of "
    "processor. With --checkpoint and --resume, a killed run continues and gives the bits of an "
    "uninterrupted one. The signal USR1 requests a checkpoint now. TERM and INT request a "
    "checkpoint and end the run with exit status 75.";

}  // namespace

// Chooses bf16 only where it is asked for. Models differ so much from seed to seed that trainings
// of three seeds cannot tell the precisions apart (tests/bench/results/tgn-train.md).
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
      {"tgn-train train EVENTS -o tgn.model",
       "the default network, with attention over recent neighbours"},
      {"tgn-train train EVENTS -o tgn.model --batch-size 10",
       "smaller batches: more steps in an epoch"},
      {"tgn-train train EVENTS -o tgn.model --memory exact",
       "memory updates by whole batches, as in the TGN authors' code"},
      {"tgn-train train EVENTS --neighbor-sampling uniform -o tgn.model",
       "attention over neighbours drawn from all earlier ones"},
      {"tgn-train train EVENTS --memory-tier disk --memory-dtype bf16 --new-nodes 0 "
       "--no-eval -o large.model",
       "a memory of nodes larger than RAM"},
      {"tgn-train train EVENTS --architecture pyg -o pyg.model", "Graphcore's model"},
      {"tgn-train train EVENTS --architecture tpnet -o tpnet.model",
       "neighbours of both nodes of a pair and the walks between them"},
      {"tgn-train train EVENTS --architecture tncn -o tncn.model",
       "memories of the nodes that both nodes of a pair recently met"},
      {"tgn-train train EVENTS --config configs/wikipedia-tgn.yaml -o tgn.model",
       "the settings of the TGN paper for Wikipedia"},
      {"mpirun -n 4 tgn-train train EVENTS -o tgn.model",
       "four MPI ranks, each with a copy of the memory"},
      {"mpirun -n 4 tgn-train train EVENTS --memory-shards 4 -o tgn.model",
       "four MPI ranks, each with a quarter of the memory"},
      {"tgn-train train EVENTS --task node-label --from tgn.model -o labels.model",
       "predict the labels of events, such as a ban of the source"},
      {"tgn-train train EVENTS --task event-label -o ratings.model",
       "predict the classes or numbers of events, such as ratings, from past ones"},
      {"tgn-train train EVENTS --task event-label --from tgn.model -o ratings.model",
       "the same from embeddings of a network, too"},
      {"tgn-train train EVENTS --pair-features -o pairs.model",
       "features of pairs for the decoder: much better ranks"}};
  command.often = {"--architecture",  "--memory",     "--batch-size", "--epochs",
                   "--learning-rate", "--patience",   "--new-nodes",  "--task",
                   "--pair-features", "--checkpoint", "--report"};
  command.describe = [&o](const OptionFields& f) { describe_train(f, o.train); };
  command.uses = {.seed = true, .precision = true, .device = true, .engine = "tgn.train"};
  command.describe_results = [](const ResultFields& f) {
    f.when("--task link", true,
           [](const ResultFields& links) { describe_result(links, TrainResult{}); });
    f.when("--task node-label or event-label", true,
           [](const ResultFields& labels) { describe_label_result(labels, {}); });
  };
  command.trainer = &o.trainer;
  command.joins_ranks = true;
  command.run = [&o](Run& run) { return run_train(o, run); };
  return command;
}

}  // namespace frugal::tgn
