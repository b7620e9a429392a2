#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/cli/trainer_run.h"
#include "libcore/metrics/run_log.h"
#include "libcore/report/report.h"
#include "libcore/system/signals.h"
#include "tools/gnn-sample/commands/tool.h"
#include "tools/gnn-sample/commands/train_report.h"
#include "tools/gnn-sample/run/architecture_choice.h"
#include "tools/gnn-sample/run/graph_inputs.h"
#include "tools/gnn-sample/run/typed_training.h"
#include "tools/gnn-sample/settings/train_fields.h"

namespace frugal::gnn {
namespace {

TrainOptions complete_options(const TrainCommandOptions& o, const Run& run) {
  TrainOptions options = decided(o.train);
  if (run.ranks().rank() != 0) options.model = options.links.write_held_out = "";
  options.network.precision = run.precision();
  static_cast<TrainerSettings&>(options) = trainer_settings(o.trainer, run);
  return options;
}

double waiting_share(const TrainResult& r) {
  return r.waiting_seconds / std::max(1e-9, r.fit_seconds);
}

/// Bytes of the fetched rows, and of the node numbers sent to request them.
std::uint64_t fetched_bytes(const TrainResult& r) {
  return r.rows.fetched * (r.row_bytes + sizeof(NodeId));
}

void describe_rows(const ResultFields& f, const TrainResult& r) {
  f.add("own_rows", r.rows.own,
        "number of feature rows of the first rank's mini-batches that it owns");
  f.add("cached_rows", r.rows.cached,
        "number of these mini-batches' rows that it found in its cache");
  f.add("fetched_rows", r.rows.fetched,
        "number of these mini-batches' rows that it fetched from other ranks");
  f.add("fetched_bytes", fetched_bytes(r),
        "bytes of the fetched rows and of the node numbers sent to request them");
  f.add("rows_sent", r.rows.sent, "number of rows that the first rank sent to other ranks");
  f.add("cache_hit_share", RowShares::of(r.rows).hits(),
        "measured cache hit rate: cached_rows / (cached_rows + fetched_rows)");
  f.add("expected_cache_hit_share", r.facts.parts ? r.facts.parts->expected.hits() : 0,
        "cache hit rate that was expected before the training");
}

void describe_metrics(const ResultFields& f, const std::string& part,
                      const std::optional<TaskMetrics>& metrics, const std::string& task) {
  const NamedValues values = metrics ? metrics->values : NamedValues{};
  f.when("--task nodes", metrics && task == "nodes",
         [&](const ResultFields& nodes) { describe_node_metrics(nodes, part, values); });
  f.when("--task links", metrics && task == "links",
         [&](const ResultFields& links) { describe_link_metrics(links, part, values); });
  const std::string among = metrics ? metrics->ranked_among : "";
  f.when("negatives in --held-out-edges", !among.empty(), [&](const ResultFields& given) {
    given.add(metric_name(part, "ranked_among"), among, "negatives that each edge is ranked among");
  });
}

void describe_result(const ResultFields& f, const TrainResult& r, const std::string& task) {
  f.add("architecture", r.facts.architecture, "network architecture, given or chosen");
  f.when("chosen architecture", r.choice_cpu_seconds.has_value(), [&](const ResultFields& chosen) {
    chosen.add("choice_cpu_seconds", r.choice_cpu_seconds.value_or(0),
               "CPU time of the trials that chose the architecture, over all threads");
  });
  f.when("input of other parts than the features of the graph", !r.facts.input.empty(),
         [&](const ResultFields& input) {
           input.add("input", r.facts.input, "parts of a node's input row, given or chosen");
         });
  f.add("nodes", r.facts.nodes, "number of nodes of the graph");
  f.add("edges", r.facts.edges, "number of edges of the graph; an undirected edge counts twice");
  f.add("parameters", r.facts.parameters, "number of parameters of the network");
  describe_run_figures(f, r);
  describe_metrics(f, "test", r.test, task);
  describe_metrics(f, "validation", r.validation, task);
  f.when("--task links, if common neighbours count", r.link_score.common_neighbors != 0,
         [&](const ResultFields& links) { describe_link_score(links, r.link_score); });
  f.add("epoch_seconds", r.median_epoch_seconds(r.epochs_here()),
        "median time of an epoch, without validation");
  f.add("epoch_cpu_seconds", TrainResult::of_an_epoch(r.fit_cpu_seconds, r.epochs_here()),
        "mean CPU time of an epoch, over all threads");
  f.add("waiting_share", waiting_share(r),
        "share of fit_seconds in which steps waited for a mini-batch");
  f.add("sampled_edges", r.sampled_edges, "number of edges sampled for training");
  f.add("sampled_nodes", r.sampled_nodes,
        "number of nodes in all training mini-batches, with repetitions");
  f.when("--feature-parts", r.facts.parts.has_value(),
         [&](const ResultFields& parts) { describe_rows(parts, r); });
  f.when("--residence packed", r.packs.has_value(),
         [&](const ResultFields& packs) { describe_packs(packs, r); });
  f.add("read_seconds", r.read_seconds,
        "time of reading the graph and, with sign, sagn and hoga, of computing the features of the "
        "hops");
  describe_fit_seconds(f, r);
  f.add("eval_seconds", r.eval_seconds, "time of validation and test");
}

std::string rows_text(const RowShares& s) {
  const auto percent = [](double share) { return format_number(100 * share, 3) + " % "; };
  return percent(s.own) + "own, " + percent(s.cached) + "in the cache, " + percent(s.fetched) +
         "fetched; " + percent(s.hits()) + "of other ranks' are in the cache";
}

TrainObserver make_observer(const TrainOptions& options, Run& run, TrainerRun& training) {
  TrainObserver observer;
  observer.log = &run.log();
  observer.begun = [&options, &run, &training](const TrainFacts& f) {
    const bool links = options.task == "links";
    run.say(format_count(f.nodes, "node") + ", " + format_count(f.edges, "edge") + ", " +
            (f.types.empty() ? format_count(f.features, "feature") + ", " : "") +
            std::to_string(f.outputs) +
            (links            ? " numbers a node; links"
             : f.outputs == 1 ? " number to predict; nodes"
                              : " classes; nodes") +
            " for training " + std::to_string(f.train_seeds) + ", validation " +
            std::to_string(f.valid_seeds) + ", test " + std::to_string(f.test_seeds));
    if (!f.types.empty()) run.say(f.types);
    run.say(options.network.kind + " with " + format_count(f.parameters, "parameter"));
    const std::string steps = joint_step_text(f.batches, links ? "links" : "nodes");
    if (!steps.empty()) run.say(steps);
    if (f.parts) {
      run.say("features in memory: of " + std::to_string(f.parts->own) + " own nodes and " +
              std::to_string(f.parts->cached) +
              " others; expected of a mini-batch's: " + rows_text(f.parts->expected));
    }
    training.progress().begin({"training", double(options.epochs), "epochs"});
  };
  observer.progress = training.shows_progress();
  observer.validated = [&options, &run](int epoch, double loss, const TaskMetrics& m) {
    // Small graphs have hundreds of epochs.
    const int lines = 20;
    if (epoch % std::max(1, options.epochs / lines) != 0) return;
    run.say("epoch " + std::to_string(epoch) + ": loss " + format_number(loss, kMetricDigits) +
            metrics_text("validation", m.values));
  };
  return observer;
}

constexpr char kTrainDescription[] =
    "Trains a network on the training nodes of a graph with labels and a split, in "
    "mini-batches of sampled neighbourhoods. The network has a layer for each hop of --fanouts. "
    "For example, --fanouts -1,-1 trains two layers on whole neighbourhoods. Idle threads sample "
    "mini-batches ahead. After each epoch the validation nodes are classified, from all their "
    "neighbours or from samples (--eval-fanouts). The model of the best epoch is tested and "
    "written.\n\n"
    "If the graph has weights of edges, --edge-weights gives them to the layers. --method weighted "
    "draws neighbours by them instead; both would count the weights twice. With gcn, the degree of "
    "a node is 1 plus the weights of its edges. If it has an edge to itself, the weight of that "
    "edge takes the place of 1 (PyG's gcn_norm). In a weighted mean, a node whose weights sum to 0 "
    "reads zeros. In rgcn, relations without weights have plain means. Weights are not negative. "
    "eval and predict then need graphs with weights. "
    "Devices train no such network.\n\n"
    "The model file keeps --method weighted: --eval-fanouts, and --fanouts of eval and predict, "
    "draw by weight, too. Exact outputs of sage, sage-ri, gcn, gin and rgcn weigh neighbours by "
    "their probability to be drawn. Layers with attention, gine and --aggregate max cannot: a "
    "warning says so. eval and predict need graphs with weights.\n\n"
    "--architecture gine is gin with features of edges (GINEConv of PyG): a message is ReLU(x + E "
    "e), "
    "with a trained matrix E for the features e of the edge. import --edge-features stores them. "
    "eval "
    "and predict need graphs with as many. It is trained on the CPU, from dense rows.\n\n"
    "A graph of several types of nodes is trained with --architecture rgcn, rgat or hgt. Each "
    "layer of rgcn and rgat has a matrix for each relation. In rgcn it multiplies the mean over a "
    "node's neighbours in that relation, in rgat a weighted mean. The weights are attention of "
    "--heads heads among these neighbours: a softmax of LeakyReLU(s . W x_u + q . x_v), with "
    "trained s and q, for neighbour u of node v. Another matrix, for the type of the node, "
    "multiplies its own row. hgt first maps the features of each type to --hidden x --heads "
    "numbers. Its layers have keys, values and queries by type. For each relation and head, two "
    "small matrices turn keys into attention and values into messages. The attention is a softmax "
    "among all neighbours of a node, whatever their relation. A trained number for each type "
    "weighs the messages against the node's own row; another map follows the last layer. A type "
    "without features gets a trained embedding of --input-size numbers a node. Types and relations "
    "that the outputs do not depend on are left out. --fanouts is for each relation; with 0 it is "
    "not followed. Nodes of one type are classified (--seed-type), or their numbers predicted. "
    "Without an option, trials of at most 300 steps choose among rgcn, rgcn with --norm layer, and "
    "rgat, with 64 hidden units and fanouts 10,10. import --undirected adds reverse relations, "
    "without which many nodes have no neighbours. eval and predict take other graphs with these "
    "types. There, a new node without features gets the mean embedding of its neighbours in the "
    "first relation within its type, or else of all nodes. The model is trained by one process on "
    "the CPU.\n\n"
    "Without an option of network, sampling or training, the architecture and its settings are "
    "chosen among sign, gcn with residual paths, and sage-ri. Sparse features add sign on two hops "
    "of means (--propagation row). Each is trained for a third of its "
    "epochs, at most 300 steps of 512 nodes. The best one on the validation nodes is then trained "
    "in full. The trials take about as much CPU time as the training. The result names the chosen "
    "architecture.\n\n"
    "--architecture sign, sagn and hoga sample nothing. They compute the features of --hops hops "
    "once and train dense layers on them, in mini-batches of nodes. sign reads all hops side by "
    "side; sagn weighs them for each node by attention. hoga relates them to each other by gated "
    "self-attention before it weighs them; it needs --head-layers of at least 1. In "
    "training its memory has 8 x --hidden x --heads x (--hops + 1) numbers of 4 bytes for each "
    "node "
    "of a mini-batch. Dense features of hops that take more than half of the free memory are "
    "stored in a file without a name "
    "(--residence mapped: always), in TMPDIR or /var/tmp. Sparse features stay sparse, in memory: "
    "each node keeps the 256 largest numbers of each hop.\n\n"
    "The network reads the features of nodes. A graph without features trains on a random "
    "projection of the adjacency matrix, which is computed once: nodes with similar neighbourhoods "
    "have similar rows. --input chooses what is read instead of features or beside them. A "
    "projection or an embedding belongs to the nodes of the training graph. eval and predict find "
    "these by their names or ids in the input of import; new nodes depend on their neighbours. For "
    "graphs of other nodes train with --input degree. An embedding is trained by one process on "
    "the CPU. A step changes only the rows of nodes in its mini-batch.\n\n"
    "If labels are numbers (import --label-type), the network predicts them, on the CPU. The loss "
    "is the mean squared error, in units of the training labels' standard deviation.\n\n"
    "With --task links no labels are needed. The model learns to distinguish edges from random "
    "pairs of nodes, and is validated on edges that are held out. They are a random share, or come "
    "from a file (--held-out-edges). --write-held-out writes them, so that other programs can be "
    "measured on the same edges. auc of links takes scores that differ by less than 1/2048 of "
    "their "
    "size as equal. Without learning, links are ranked by the training edges of their target "
    "(popularity_mrr) and, within one type of nodes, by common neighbours (adamic_adar_mrr). A "
    "warning says if the model is no better than these or a random order.\n\n"
    "In a graph of one type the score of a pair has a second term: w times the sum of "
    "1 / log(degree) over common neighbours. Validation of the trained model chooses w, 0 or up to "
    "16, by --metric, then scale and bias of the score by the loss. predict --pairs writes scores "
    "of pairs.\n\n"
    "In a graph of several types the links are edges of one relation (--relation). A negative "
    "replaces the target by any node of its type, and ranks are among such nodes. Held-out edges "
    "are left out of the relation and of its reverse relations. These are TARGET:rev_RELATION:"
    "SOURCE, which import makes, and relations with exactly these edges turned round. The tool "
    "warns if other relations have a tenth of the edges together. A mini-batch sees the edges that "
    "it "
    "predicts in none of these relations. Nodes of one type get the same score for both "
    "directions of a pair.\n\n"
    "The network for links has 64 hidden units, fanouts 10,10 and a norm of layers or batches. In "
    "a graph of one type it is gcn without dropout, with a learning rate of 0.003; in one of "
    "several types rgcn, with 0.001. Any option of network, sampling or training but --epochs, "
    "--steps, --patience, --eval-every and --batch-size switches these settings off.\n\n"
    "With --device cuda, the GPU trains while the CPU samples the next mini-batches. Features are "
    "stored in the device's memory, in the host's, or are copied with the mini-batches "
    "(--device-features). A ROBE array is expanded on the device. Validation and test run on the "
    "CPU. --resume can continue on either. Sums are added in another order than on the CPU, which "
    "is the same every time.\n\n"
    "Several processes that mpirun or srun starts train one model together. Each process, a rank "
    "of MPI, reads the whole graph and takes a part of each mini-batch. So a step is as large as "
    "in one process, and learns as much. With --accumulate, a step uses the mean gradient of "
    "several mini-batches, which the ranks divide among them. There are then fewer steps and fewer "
    "exchanges, but with the same --learning-rate an epoch learns less. Multiply the rate by up to "
    "--accumulate. With the same --accumulate, the model is the same to the last bit for 1, 2, 4, "
    "... ranks. The first rank writes all files. A signal to any rank stops all at the same step. "
    "--resume can continue with any number of ranks. mpirun --bind-to none lets a rank use all "
    "processors of its machine.\n\n"
    "With --feature-parts, each of several ranks stores only the features of its own nodes in "
    "memory. A cache (--feature-cache) stores the rows of other ranks that a mini-batch most "
    "probably needs. The probabilities follow from the edges and fanouts (vertex-wise inclusion "
    "probabilities, SALIENT++). Missing rows are requested from their ranks two mini-batches "
    "ahead. The model stays the same to the last bit. Mini-batches are divided among ranks without "
    "regard to the parts, so a partition with few edges between its parts does not save transfers. "
    "The graph file must be uncompressed. Validation and test without --eval-fanouts read all "
    "features from it, and take more memory. The run prints the expected and the measured cache "
    "hit rate.\n\n"
    "--residence packed is for dense features that exceed memory (DiskGNN, SIGMOD 2025). "
    "Mini-batches are drawn before they are trained on. The rows that they need most often stay in "
    "memory; they take half of what other needs leave free. The other rows of each mini-batch are "
    "written together to a file without a name in TMPDIR or /var/tmp, and read back in one piece. "
    "It has an epoch's mini-batches at most, is at most as large as the features and takes at most "
    "half of the free disk. Otherwise the run packs one part of the epoch after the other, and "
    "reads "
    "the graph file for each. The file before may exist for a moment beside the next one. TMPDIR "
    "should be on a disk whose file system can reserve room, as ext4 and xfs do, but NFS 3 does "
    "not. Where TMPDIR is in memory (tmpfs), packs take at most a quarter of what is free. TERM, "
    "INT "
    "and --time-budget end drawing and packing in training soon; USR1 and --checkpoint-every wait "
    "for them. The graph file must be uncompressed. Sampled validation and test (--eval-fanouts) "
    "read packs, too; exact ones read the graph file. One process trains on one type of nodes on "
    "the CPU, with any --method but window. The model stays the same to the last bit.\n\n"
    "The model is the same to the last bit for any number of threads on the same kind of "
    "processor. With --checkpoint and --resume, a killed run continues and gives the bits of an "
    "uninterrupted one. The signal USR1 requests a checkpoint now. TERM and INT request a "
    "checkpoint and end the run with exit status 75.";

/// Chooses the architecture if it is left open, and returns the CPU time of that.
std::optional<double> choose_settings(TrainOptions& options, Run& run) {
  if (!options.open_settings) return {};
  double cpu_seconds = 0;
  options = choose_architecture(options, [&](const ArchitectureTrial& trial) {
    cpu_seconds += trial.cpu_seconds;
    if (!trial.left_out.empty()) {
      return run.say("no trial of " + trial.architecture + ": " + trial.left_out);
    }
    run.say("trial of " + trial.architecture + ": validation " + options.select + " " +
            format_number(std::abs(trial.score), kMetricDigits) + ", " +
            format_seconds(trial.cpu_seconds) + " of CPU time");
  });
  if (cpu_seconds > 0 && !stop_requested()) run.say("chosen: " + settings_name(options));
  return cpu_seconds > 0 ? std::optional(cpu_seconds) : std::nullopt;
}

ExitStatus run_train(const TrainCommandOptions& o, Run& run) {
  TrainOptions options = fitted_to_types(complete_options(o, run));
  check_input(options, run.ranks().size());
  check_packs(options, run.ranks().size());
  std::vector<std::string> inputs = {options.graph};
  const std::string& parts = options.features.parts;
  if (!parts.empty() && parts != "even") inputs.push_back(parts);
  if (!options.links.held_out_edges.empty()) inputs.push_back(options.links.held_out_edges);
  if (!options.links.write_held_out.empty()) run.writes(options.links.write_held_out);
  TrainerRun training(run, options, inputs, options.model);
  const bool chooses = options.open_settings;
  const std::optional<double> choice_cpu_seconds = choose_settings(options, run);
  // Trials that a signal cut short would choose otherwise than those of the run that continues.
  if (chooses && any_of_ranks(run.ranks(), stop_requested() ? 1 : 0) != 0) {
    training.finish(true, "during the trials of architectures");
  }
  TrainResult result = train(options, make_observer(options, run, training));
  result.choice_cpu_seconds = choice_cpu_seconds;
  describe_result(ResultFields(run.result()), result, options.task);
  log_facts(result, run.log());
  training.finish(result.stopped, "at step " + std::to_string(result.steps));
  if (result.test_stopped) {
    training.fail_after(options.model, result.has_checkpoint,
                        options.task == "links" ? "" : ", and gnn-sample eval tests it");
  }
  if (!run.options().report.empty()) add_train_report(result, run.log(), run.report());
  std::string line = format_count(static_cast<std::uint64_t>(result.epochs), "epoch") + " of " +
                     format_seconds(result.median_epoch_seconds(result.epochs_here())) + ", " +
                     format_number(100 * waiting_share(result), 3) + " % of it waiting" +
                     device_busy_text(result);
  if (result.test) {
    line += metrics_text("test", result.test->values) + " (epoch " +
            std::to_string(result.best_epoch) + ")";
  }
  run.say(line);
  if (result.test && !result.test->beats_baseline) {
    log_warning("the model is no better on the test ", options.task == "links" ? "edges" : "nodes",
                " than predictions without learning (", result.test->baseline, ")");
  }
  if (result.packs) {
    run.say("features of mini-batches: " + format_number(100 * result.packs->hit_share(), 3) +
            " % in memory, the others in " + format_bytes(result.packs->bytes_written) +
            " of packs");
  }
  if (result.facts.parts) {
    run.say("features of mini-batches: " + rows_text(RowShares::of(result.rows)) + "; " +
            format_bytes(fetched_bytes(result)) + " fetched");
  }
  return ExitStatus::ok;
}

}  // namespace

Command train_command(TrainCommandOptions& o) {
  Command command;
  command.name = "train";
  command.summary = "train a graph neural network on sampled mini-batches";
  command.description = kTrainDescription;
  command.examples = {
      {"gnn-sample train GRAPH --architecture sage -o sage.model",
       "GraphSAGE with the default fanouts 15, 10, 5"},
      {"gnn-sample train GRAPH --architecture gcn --fanouts -1,-1 --hidden 64 --learning-rate 0.01 "
       "--weight-decay 5e-4 --epochs 200 -o gcn.model",
       "GCN on whole neighbourhoods, for small graphs"},
      {"gnn-sample train GRAPH --architecture sign --norm batch --learning-rate 0.001 -o "
       "sign.model",
       "dense layers on the features of three hops, without sampling"},
      {"gnn-sample train GRAPH --config configs/salient-sage.yaml -o sage.model",
       "the settings of SALIENT"},
      {"mpirun --bind-to none -n 4 gnn-sample train GRAPH -o sage.model",
       "train on four machines or processors, each with a quarter of each mini-batch"},
      {"mpirun --bind-to none -n 4 gnn-sample train GRAPH --feature-parts even --eval-fanouts "
       "15,10,5 "
       "-o sage.model",
       "divide features that are too large for one machine among four ranks"},
      {"gnn-sample train GRAPH --architecture sage --residence packed --eval-fanouts 15,10,5 -o "
       "sage.model",
       "features that exceed memory, packed by mini-batch on disk"},
      {"gnn-sample train TYPED --architecture rgcn --fanouts 10,10 --hidden 64 -o rgcn.model",
       "a graph of several types of nodes and edges"},
      {"gnn-sample train GRAPH --task links --fanouts 10,5 --held-out 0.1 -o links.model",
       "embeddings that predict missing edges"},
      {"gnn-sample train TYPED --task links --relation author:writes:paper -o links.model",
       "missing edges of one relation of a graph of several types"}};
  command.often = {"--architecture", "--task",       "--fanouts", "--hidden",
                   "--dropout",      "--batch-size", "--epochs",  "--learning-rate",
                   "--patience",     "--checkpoint", "--report"};
  command.describe = [&o](const OptionFields& f) { describe_train(f, o.train); };
  command.uses = {.seed = true, .precision = true, .device = true, .engine = "gnn.train"};
  command.trainer = &o.trainer;
  command.joins_ranks = true;
  command.describe_results = [](const ResultFields& f) { describe_result(f, TrainResult{}, ""); };
  command.run = [&o](Run& run) { return run_train(o, run); };
  return command;
}

}  // namespace frugal::gnn
