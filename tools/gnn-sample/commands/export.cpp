#include "tools/gnn-sample/serve/export.h"

#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "tools/gnn-sample/commands/tool.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {
namespace {

constexpr char kDescription[] =
    "Writes the weights of a GraphSAGE model and mini-batches of a graph into one tensor file, for "
    "programs that need fixed shapes. The weights have the names of the modules in "
    "graphcore/examples and PyTorch Geometric: convs.0.lin_l.weight, convs.0.lin_r.weight, "
    "convs.0.lin_l.bias and so on.\n\n"
    "Mini-batches are arrays `batches.S.NAME` with one row a mini-batch, where S is the number of "
    "a shape. `x` contains the features of its nodes and `n_id` their numbers in the graph. "
    "`adjs.L.edge_index` contains the edges into the targets of layer L: sources, then targets. "
    "`seeds` contains the places of the seeds among the nodes and `y` their labels, -1 if there is "
    "none. `batches.S.number` contains the numbers of the mini-batches.\n\n"
    "Nodes, edges and seeds are padded. Padding has 0 as value and points at node 0, a dummy, so "
    "that it changes no result. nodes_mask, adjs.L.edges_mask and batch_mask mark the real "
    "entries. Neighbours are drawn as predict --fanouts draws them with the same --seed and "
    "--batch-size.";

void add_export_options(const OptionFields& f, ExportCommandOptions& command) {
  ExportOptions& o = command.batches;
  f.add("model", o.model, "model file written by train --architecture sage")
      .required()
      .metavar("MODEL");
  f.add("graph", o.graph, "graph file written by import or generate").required().metavar("GRAPH");
  f.add("-o,--output", o.output, "tensor file to write weights and mini-batches to")
      .required()
      .metavar("FILE");
  f.add("--ipu", command.ipu,
        "write for Graphcore's modules; required, since there is no other format");
  f.add("--nodes", o.nodes,
        std::string("nodes to use as seeds: train, valid, test, labelled or all; a file with a "
                    "node's number a line, - is stdin; or ") +
            kPartHelp)
      .metavar("NODES");
  f.add("--split", o.split, "number of the split to use, from 0, if the graph has several");
  f.add("--fanouts", o.fanouts, "number of neighbours to draw in each hop; \"\": as in training");
  f.add("--batch-size", o.batch_size, "number of seeds in a mini-batch").range(1U, 1U << 24);
  f.add("--epochs", o.epochs, "number of passes over the seeds; each draws other neighbours")
      .range(1, 1 << 20);
  f.add("--shuffle", o.shuffle, "put the seeds in a new order in each epoch");
  f.add("--shapes", o.shapes, "maximum number of batch shapes; more shapes need less padding")
      .range(1, 64);
  f.add("--max-batches", o.max_batches, "maximum number of mini-batches; 0: all");
  describe_residence(f, o.residence);
}

void describe_result(const ResultFields& f, const ExportResult& r) {
  f.add("batches", r.batches, "mini-batches written");
  f.add("seeds", r.seeds, "seeds of all mini-batches");
  auto shapes = nlohmann::ordered_json::array();
  for (const BatchShape& shape : r.shapes) {
    const std::vector<std::uint64_t> edges(shape.begin() + 2, shape.end());
    shapes.push_back({{"nodes", shape[0]}, {"seeds", shape[1]}, {"edges", edges}});
  }
  f.add("shapes", shapes,
        "sizes to which mini-batches are padded: nodes, seeds, edges of each layer");
  f.add("real_edges", r.real_share, "share of the first layer's edges that is not padding");
  f.add("seconds", r.seconds, "time of sampling and writing");
}

ExitStatus run_export(const ExportCommandOptions& given, Run& run) {
  if (!given.ipu) fail(ExitStatus::usage, "--ipu is missing: it is the one form of export");
  ExportOptions options = given.batches;
  options.seed = run.options().seed;
  options.history_entry = run.history_entry();
  run.reads(options.model);
  run.reads(options.graph);
  read_nodes(run, options.nodes);
  run.writes(options.output);
  const auto progress = run.progress("sampling", 1, "of the mini-batches");
  const ExportResult result =
      export_batches(options, [&](double share) { progress->update(share); });
  progress->finish();
  describe_result(ResultFields(run.result()), result);
  run.say(std::to_string(result.batches) + " mini-batches in " +
          format_count(result.shapes.size(), "shape") + ", of " +
          format_count(result.seeds, "seed") + ", in " + format_seconds(result.seconds));
  return ExitStatus::ok;
}

}  // namespace

Command export_command(ExportCommandOptions& o) {
  Command command;
  command.name = "export";
  command.summary = "write weights and padded batches for Graphcore's modules";
  command.description = kDescription;
  command.examples = {
      {"gnn-sample export --ipu sage.model GRAPH --shuffle --epochs 10 -o train.safetensors",
       "weights and training batches of ten epochs"},
      {"gnn-sample export --ipu sage.model GRAPH --nodes test --fanouts 20,20,20 --shapes 4 -o "
       "test.safetensors",
       "the test nodes, in up to four shapes"}};
  command.often = {"--ipu", "--nodes", "--fanouts", "--batch-size", "--shapes", "--json"};
  command.describe = [&o](const OptionFields& f) { add_export_options(f, o); };
  command.uses = {.seed = true};
  command.describe_results = [](const ResultFields& f) { describe_result(f, ExportResult{}); };
  command.holds_outputs = true;
  command.run = [&o](Run& run) { return run_export(o, run); };
  return command;
}

}  // namespace frugal::gnn
