#include "tools/gnn-sample/options_partition.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/cli/conditions.h"

namespace frugal::gnn {
namespace {

ExitStatus run_partition(PartitionCommandOptions& o, Run& run) {
  o.partition.seed = run.options().seed;
  o.if_changed = run.options().if_changed;
  o.history_entry = run.history_entry();
  run.reads(o.graph);
  run.writes(o.output);
  const PartitionResult result = partition(o);
  const PartitionQuality& quality = result.quality;
  run.result()["nodes"] = result.nodes;
  run.result()["edges"] = result.edges;
  run.result()["parts"] = o.partition.parts;
  run.result()["method"] = o.method;
  run.result()["cut"] = quality.cut;
  run.result()["node_balance"] = quality.node_balance;
  run.result()["edge_balance"] = quality.edge_balance;
  if (result.has_split) run.result()["train_balance"] = quality.marked_balance;
  run.result()["seconds"] = result.seconds;
  std::string text = format_count(o.partition.parts, "part") + ": " + format_percent(quality.cut) +
                     " of the edges are cut; the largest has " +
                     format_number(quality.node_balance, 4) + " times the average in nodes, " +
                     format_number(quality.edge_balance, 4) + " in edges";
  if (result.has_split) {
    text += ", " + format_number(quality.marked_balance, 4) + " in training nodes";
  }
  run.say(text);
  return ExitStatus::ok;
}

}  // namespace

Command partition_command(PartitionCommandOptions& o) {
  Command command;
  command.name = "partition";
  command.summary = "cut a graph into parts of equal size with few edges between them";
  command.description =
      "Writes the part of each node, for training on several machines or for batches of whole "
      "parts: a document with the tensor partition, U32, one number a node. Edges count as "
      "undirected. It works on one thread and in memory; the result is the same on every "
      "machine.\n\n"
      "multilevel contracts clusters of nodes, cuts the small graph that is left and refines the "
      "cut on the way back; ldg and fennel place one node after another and take a fraction of its "
      "time and memory; random is what they are to be compared with.\n\n"
      "With --json: nodes, edges, parts, method, cut (the share of edges whose ends are in "
      "different parts), node_balance, edge_balance and train_balance (of the largest part, "
      "relative to the average), seconds.";
  command.examples = {
      {"gnn-sample partition products.safetensors --parts 8 -o parts.safetensors", "eight parts"},
      {"gnn-sample partition products.safetensors --parts 64 --method fennel --balance train "
       "-o parts.safetensors",
       "as many training nodes in each"}};
  command.add_options = [&o](CLI::App& app) {
    app.add_option("graph", o.graph, "graph file")->required()->type_name("GRAPH");
    app.add_option("-o,--output", o.output, "file to write; - is stdout")->type_name("FILE");
    app.add_option("--parts", o.partition.parts, "how many")->required();
    app.add_option("--method", o.method, "multilevel, ldg, fennel or random")
        ->check(CLI::IsMember({"multilevel", "ldg", "fennel", "random"}));
    app.add_option("--balance", o.balance, "what each part is to have as much of")
        ->check(CLI::IsMember({"nodes", "edges", "train"}));
    app.add_option("--imbalance", o.partition.imbalance,
                   "the largest part may have this times the average")
        ->check(CLI::Range(1.0, 1e6));
    app.add_option("--passes", o.partition.passes, "ldg, fennel: how often each node is placed")
        ->check(CLI::Range(1, 1000));
    go_with(app, {"--balance", "--imbalance"}, "--method multilevel, ldg or fennel",
            [&o] { return o.method != "random"; });
    go_with(app, {"--passes"}, "--method ldg or fennel",
            [&o] { return o.method == "ldg" || o.method == "fennel"; });
  };
  command.uses = {.seed = true};
  command.run = [&o](Run& run) { return run_partition(o, run); };
  return command;
}

}  // namespace frugal::gnn
