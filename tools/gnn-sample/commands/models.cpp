#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "tools/gnn-sample/commands/tool.h"
#include "tools/gnn-sample/commands/train_report.h"
#include "tools/gnn-sample/serve/predict.h"
#include "tools/gnn-sample/serve/score_pairs.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {
namespace {

void add_model_options(const OptionFields& f, ModelOnGraphOptions& o) {
  f.add("model", o.model, "model file written by train").required().metavar("MODEL");
  f.add("graph", o.graph, "graph file written by import or generate").required().metavar("GRAPH");
  f.add("--fanouts", o.inference.fanouts,
        "number of neighbours to draw in each hop; \"\": exact outputs, from all neighbours");
  f.add("--nodes", o.nodes,
        std::string("nodes to compute: train, valid, test, labelled or all; a file with one node "
                    "a line, named as in the input of import, - is stdin; or ") +
            kPartHelp)
      .metavar("NODES");
  f.add("--split", o.split, "number of the split to use, from 0, if the graph has several");
  f.add("--batch-size", o.inference.batch_size, "number of nodes in a sampled mini-batch")
      .range(1U, 1U << 24);
  f.field("--batch-size").goes_with("--fanouts", [&o] { return !o.inference.fanouts.empty(); });
  describe_residence(f, o.residence);
}

void add_predict_options(const OptionFields& f, PredictOptions& p) {
  add_model_options(f, p);
  f.add("-o,--output", p.output,
        "file to write predictions to (*.csv, *.npz or tensors); - is stdout")
      .required()
      .metavar("PREDICTIONS");
  f.add("--seed-type", p.seed_type,
        "type of the nodes, for a model of links between two types: the name of the sources' type "
        "or of the targets' type")
      .metavar("TYPE");
  f.add("--pairs", p.pairs,
        "links: file of pairs of nodes to score, a line each, named as in the input of import. "
        "Further columns need a header of source and target")
      .metavar("FILE")
      .excludes("nodes");
  f.add("--probabilities", p.probabilities, "also write the probabilities of all classes");
}

/// Takes the seed and the precision from the run, and registers the files that both commands read.
void take_run(ModelOnGraphOptions& options, Run& run) {
  options.inference.seed = run.options().seed;
  options.precision = run.precision();
  run.reads(options.model);
  run.reads(options.graph);
  read_nodes(run, options.nodes);
}

void describe_new_nodes(const ResultFields& f, const std::optional<std::uint64_t>& new_nodes) {
  f.when("model with an embedding", new_nodes.has_value(), [&](const ResultFields& embedding) {
    embedding.add(
        "new_nodes", new_nodes.value_or(0),
        "nodes of the graph that the model has no trained embedding of: they get the mean "
        "of their neighbours'");
  });
}

void describe_evaluation(const ResultFields& f, const EvalResult& r) {
  const auto metrics_of = [](const std::optional<NodeMetrics>& part) {
    return part ? part->values() : NamedValues{};
  };
  f.add("nodes", r.nodes, "nodes asked for that have a label");
  describe_new_nodes(f, r.new_nodes);
  f.when("test nodes", r.test.has_value(), [&](const ResultFields& test) {
    describe_node_metrics(test, "test", metrics_of(r.test));
  });
  f.when("validation nodes", r.validation.has_value(), [&](const ResultFields& validation) {
    describe_node_metrics(validation, "validation", metrics_of(r.validation));
  });
  describe_node_metrics(f, "", metrics_of(r.all));
  f.add("read_seconds", r.read_seconds, "time of reading model and graph");
  f.add("seconds", r.seconds, "time of the evaluation");
}

void describe_predictions(const ResultFields& f, const PredictResult& r) {
  f.when("no --pairs", !r.pairs, [&](const ResultFields& answers) {
    answers.add("nodes", r.nodes, "nodes with an answer");
  });
  f.when("--pairs", r.pairs.has_value(), [&](const ResultFields& scores) {
    scores.add("pairs", r.pairs.value_or(0), "pairs of nodes with a score");
  });
  describe_new_nodes(f, r.new_nodes);
  f.add("read_seconds", r.read_seconds, "time of reading model and graph");
  f.add("seconds", r.seconds, "time of computing and writing the answers");
}

ExitStatus run_eval(const EvalCommandOptions& o, Run& run) {
  ModelOnGraphOptions options = o.eval;
  take_run(options, run);
  const auto progress = run.progress("evaluating", 1, "of the nodes");
  const EvalResult result = evaluate_model(options, [&](double share) { progress->update(share); });
  progress->finish();
  describe_evaluation(ResultFields(run.result()), result);
  std::string line = format_count(result.nodes, "labelled node") + " in " +
                     format_seconds(result.seconds) + metrics_text("", result.all->values());
  if (result.test) {
    line += metrics_text("test", result.test->values());
  }
  if (result.validation) {
    line += metrics_text("validation", result.validation->values());
  }
  run.say(line);
  return ExitStatus::ok;
}

ExitStatus run_predict(const PredictCommandOptions& o, Run& run) {
  PredictOptions options = o.predict;
  take_run(options, run);
  options.history_entry = run.history_entry();
  if (!options.pairs.empty()) run.reads(options.pairs);
  run.writes(options.output);
  const auto progress = run.progress("predicting", 1, "of the nodes");
  const auto update = [&](double share) { progress->update(share); };
  const PredictResult result =
      options.pairs.empty() ? predict_nodes(options, update) : score_pairs(options, update);
  progress->finish();
  describe_predictions(ResultFields(run.result()), result);
  run.say(
      (result.pairs ? format_count(*result.pairs, "pair") : format_count(result.nodes, "node")) +
      " in " + format_seconds(result.seconds));
  return ExitStatus::ok;
}

}  // namespace

Command eval_command(EvalCommandOptions& o) {
  Command command;
  command.name = "eval";
  command.summary = "evaluate a model on the labelled nodes of a graph";
  command.description =
      "Compares the classes or numbers that a model predicts for nodes with their labels. Outputs "
      "are exact, "
      "computed layer by layer for the whole graph. With --fanouts they come from sampled "
      "neighbourhoods, which costs less for few nodes of a large graph. Metrics are reported for "
      "the test part, the validation part and all labelled nodes, or for the nodes that --nodes "
      "names. The graph must have the labels that the model was trained for.";
  command.examples = {{"gnn-sample eval sage.model GRAPH", "exact outputs for all labelled nodes"},
                      {"gnn-sample eval sage.model GRAPH --fanouts 20,20,20 --nodes test --json",
                       "the test nodes, from sampled neighbourhoods"}};
  command.often = {"--split", "--fanouts", "--nodes", "--json"};
  command.describe = [&o](const OptionFields& f) { add_model_options(f, o.eval); };
  command.uses = {.seed = true, .precision = true, .device = true};
  command.describe_results = [](const ResultFields& f) { describe_evaluation(f, {}); };
  command.run = [&o](Run& run) { return run_eval(o, run); };
  return command;
}

Command predict_command(PredictCommandOptions& o) {
  Command command;
  command.name = "predict";
  command.summary = "write the class of each node of a graph";
  command.description =
      "Computes a model's outputs for nodes, exactly or from sampled neighbourhoods as eval does, "
      "and needs no labels. Writes a table if the output is named *.csv, else tensors. A line of "
      "the table has a node and its class, by their names in the input of import. A model of "
      "numbers writes a value instead.\n\n"
      "The tensors are `nodes`, `classes` (with several labels a node `labels`, 0 or 1 of each; "
      "numbers: `values`) and, with --probabilities, `probabilities`. With a model of --task links "
      "they are `nodes` "
      "and `embeddings`. Of links between two types, --seed-type chooses the sources or the "
      "targets. `nodes` contains the numbers of nodes in the graph file. If the input of "
      "import had other ids, or import was called with --reorder, `ids` contains the numbers of "
      "the input. If it had names, `names` contains them (UTF-8); the name of row i is from "
      "`names.offsets` i to i + 1.\n\n"
      "--pairs scores pairs of nodes by such a model: a higher score is a more probable link. The "
      "score is the dot product of both embeddings, the log-odds against random pairs. Within one "
      "type, common neighbours in the graph count, too, with the weights that training chose. The "
      "table has source, target and score; the tensors are `sources`, `targets` and `scores`.\n\n"
      "A model that train --input gave a projection or an embedding knows nodes by their names, "
      "ids or numbers in the input of import. A node that has no trained embedding gets the mean "
      "of its neighbours' that have one, or else of all. --json counts such nodes in new_nodes. A "
      "warning says if most nodes are new.\n\n"
      "If classes have names, the metadata key graph.class_names lists them, one a line, in the "
      "order of `probabilities`. `classes` contains the number of the class as in the labels, or "
      "the place of its name, from 0.";
  command.examples = {
      {"gnn-sample predict sage.model GRAPH -o predictions.safetensors",
       "exact outputs for all nodes"},
      {"gnn-sample predict sage.model GRAPH --fanouts 20,20,20 --nodes test -o p.safetensors",
       "the test nodes, from sampled neighbourhoods"},
      {"echo 7 | gnn-sample predict sage.model GRAPH --nodes - -o - | tensor-file cat - --tensor "
       "classes",
       "the class of one node, in a pipe"},
      {"gnn-sample predict links.model GRAPH --pairs candidates.csv -o scores.csv",
       "how probable these links are"}};
  command.often = {"--nodes", "--pairs", "--fanouts", "--probabilities", "--json"};
  command.describe = [&o](const OptionFields& f) { add_predict_options(f, o.predict); };
  command.uses = {.seed = true, .precision = true, .device = true};
  command.describe_results = [](const ResultFields& f) { describe_predictions(f, {}); };
  command.holds_outputs = true;
  command.run = [&o](Run& run) { return run_predict(o, run); };
  return command;
}

}  // namespace frugal::gnn
