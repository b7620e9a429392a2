#include "tools/gnn-sample/serve/export.h"

#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "tools/gnn-sample/commands/tool.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {
namespace {

constexpr char kDescription[] =
    "Writes a GraphSAGE model's weights and mini-batches of a graph into one tensor file, for "
    "programs that take fixed shapes alone. The weights have the names that modules of "
    "graphcore/examples and PyTorch Geometric have: convs.0.lin_l.weight, convs.0.lin_r.weight, "
    "convs.0.lin_l.bias and so on.\n\n"
    "Mini-batches are arrays `batches.S.NAME`, S the number of a shape, with one row a mini-batch. "
    "`x` has the features of its nodes and `n_id` their numbers in the graph. "
    "`adjs.L.edge_index` has the edges into the targets of layer L: sources, then targets. `seeds` "
    "has the places of the seeds among the nodes and `y` their labels, -1 where there is none. "
    "`batches.S.number` says which mini-batches they are.\n\n"
    "Nodes, edges and seeds are padded. Padding has 0 as value and points at node 0, a dummy, so "
    "that it changes no result. nodes_mask, adjs.L.edges_mask and batch_mask say what is real. "
    "Neighbours are drawn as predict --fanouts draws them with the same --seed and "
    "--batch-size.";

void add_export_options(const OptionFields& f, ExportCommandOptions& command) {
  ExportOptions& o = command.batches;
  f.add("model", o.model, "model of train --architecture sage").required().metavar("MODEL");
  f.add("graph", o.graph, "graph of import or generate").required().metavar("GRAPH");
  f.add("-o,--output", o.output, "file for weights and mini-batches").required().metavar("FILE");
  f.add("--ipu", command.ipu, "for Graphcore's modules, the one form that there is; must be given");
  f.add("--nodes", o.nodes,
        "seeds: train, valid, test, labelled, all, or a file with a node's number a line; - is "
        "stdin")
      .metavar("NODES");
  f.add("--split", o.split, "number of the split, where the graph has several");
  f.add("--fanouts", o.fanouts, "neighbours to draw in each hop; \"\" = as in training");
  f.add("--batch-size", o.batch_size, "seeds of a mini-batch").range(1U, 1U << 24);
  f.add("--epochs", o.epochs, "times that all seeds come, with other neighbours").range(1, 1 << 20);
  f.add("--shuffle", o.shuffle, "seeds in a new order each epoch");
  f.add("--shapes", o.shapes, "shapes at most: more of them need less padding").range(1, 64);
  f.add("--max-batches", o.max_batches, "mini-batches at most; 0: all");
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
  options.if_changed = run.options().if_changed;
  options.history_entry = run.history_entry();
  run.reads(options.model);
  run.reads(options.graph);
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
       "what a training reads"},
      {"gnn-sample export --ipu sage.model GRAPH --nodes test --fanouts 20,20,20 --shapes 4 -o "
       "test.safetensors",
       "the test nodes, in four shapes"}};
  command.often = {"--ipu", "--nodes", "--fanouts", "--batch-size", "--shapes", "--json"};
  command.describe = [&o](const OptionFields& f) { add_export_options(f, o); };
  command.uses = {.seed = true};
  command.describe_results = [](const ResultFields& f) { describe_result(f, ExportResult{}); };
  command.run = [&o](Run& run) { return run_export(o, run); };
  return command;
}

}  // namespace frugal::gnn
