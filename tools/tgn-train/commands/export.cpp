#include "tools/tgn-train/serve/export.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "tools/tgn-train/commands/tool.h"
#include "tools/tgn-train/links/link_report.h"

namespace frugal::tgn {
namespace {

constexpr char kDescription[] =
    "Writes three things into one tensor file: a model's weights, its memory before a part of a "
    "stream, and the batches of this part. The file is for programs that need fixed shapes. Names "
    "and meaning are as in Graphcore's TGN (graphcore/examples, gnn/tgn/pytorch/tgn_modules.py), "
    "which tgn-train trains with --architecture pyg --memory exact.\n\n"
    "Weights and memory have the names of the module's state: memory.gru.weight_ih, "
    "gnn.conv.lin_query.weight, link_predictor.lin_hid.weight, memory._memory and so on. Row v + 1 "
    "of the memory belongs to node v, and row 0 is a dummy. Times count from the first event of "
    "the stream. They are exact, even if train rounded them (--time-unit auto): probabilities may "
    "then differ by up to 1e-4 from the ones of eval.\n\n"
    "Batches are arrays `batches.S.NAME` with one row a batch, where S is the number of a shape. "
    "They are node_ids, node_idx, node_t, node_msg, most_recent, edge_idx, edge_t and edge_msg. "
    "`batches.S.number` has the place of each batch in the stream: memory must learn of them in "
    "this order. Destinations that did not happen are drawn as eval draws them.\n\n"
    "Local nodes and edges are padded to size classes. Padding has 0 as value and points at the "
    "dummy, local node 0, so that it changes no result. nodes_mask, edges_mask and batch_mask mark "
    "the real entries. A node is two local nodes if equal times let it see two sets of "
    "neighbours.\n\n"
    "Three things differ from Graphcore's program. A node without events has a memory of zeros. A "
    "message begins with the own node's memory: memory._direction is 1, 0. Padding is in row 0.";

void add_export_options(const OptionFields& f, ExportCommandOptions& command) {
  ExportOptions& o = command.network;
  f.add("model", o.model, "model file written by train --architecture pyg --memory exact or read")
      .required()
      .metavar("MODEL");
  f.add("events", o.events, "events file written by import or generate")
      .required()
      .metavar("EVENTS");
  f.add("-o,--output", o.output, "tensor file to write weights and batches to")
      .required()
      .metavar("FILE");
  f.add("--ipu", command.ipu,
        "write for Graphcore's modules; required, since there is no other format");
  f.add("--part", o.part, "part of the stream to write batches of, by the split of the training")
      .choices({"train", "validation", "test"});
  f.add("--batch-size", o.batch, "number of events in a batch; auto: as in training")
      .range(1, 1 << 20)
      .automatic(o.batch, 0);
  f.add("--shapes", o.shapes, "maximum number of batch shapes; more shapes need less padding")
      .range(1, 64);
  f.add("--max-batches", o.max_batches, "maximum number of batches; 0: all of the part");
}

void describe_result(const ResultFields& f, const ExportResult& r) {
  f.add("batches", r.batches, "batches written");
  f.add("events", r.events, "events of all batches");
  f.add("batch_size", r.batch, "events of a batch");
  auto shapes = nlohmann::ordered_json::array();
  for (const BatchShape& shape : r.shapes) {
    shapes.push_back({{"local_nodes", shape[0]}, {"edges", shape[1]}});
  }
  f.add("shapes", shapes, "sizes to which batches are padded: local_nodes and edges of each");
  f.add("real_edges", r.real_share, "share of all edges that is not padding");
  f.add("memory", memory_text(r.memory_of_model),
        "where the memory came from: model (its file) or anew (the events)");
  f.add("seconds", r.seconds, "time of planning and writing");
}

ExitStatus run_export(const ExportCommandOptions& given, Run& run) {
  if (!given.ipu) fail(ExitStatus::usage, "--ipu is missing: it is the one form of export");
  ExportOptions options = given.network;
  options.history_entry = run.history_entry();
  run.reads(options.model);
  run.reads(options.events);
  run.writes(options.output);
  const auto progress = run.progress("planning", 1, "of the events");
  const ExportResult result =
      export_network(options, [&](double share) { progress->update(share); });
  progress->finish();
  describe_result(ResultFields(run.result()), result);
  BatchShape largest(result.shapes.front());
  for (const BatchShape& shape : result.shapes) {
    for (std::size_t a = 0; a < shape.size(); ++a) largest[a] = std::max(largest[a], shape[a]);
  }
  run.say(std::to_string(result.batches) + (result.batches == 1 ? " batch of " : " batches of ") +
          format_count(result.batch, "event") + ", at most " +
          format_count(largest[0], "local node") + " and " + format_count(largest[1], "edge") +
          ", in " + format_seconds(result.seconds));
  return ExitStatus::ok;
}

}  // namespace

Command export_command(ExportCommandOptions& o) {
  Command command;
  command.name = "export";
  command.summary = "write weights and batches for Graphcore's modules";
  command.description = kDescription;
  command.examples = {
      {"tgn-train export --ipu tgn.model EVENTS -o train.safetensors",
       "weights and training batches"},
      {"tgn-train export --ipu tgn.model EVENTS --part test --batch-size 40 --shapes 4 -o "
       "test.safetensors",
       "test batches of 40 events in up to four shapes"}};
  command.often = {"--ipu", "--part", "--batch-size", "--shapes", "--json"};
  command.describe = [&o](const OptionFields& f) { add_export_options(f, o); };
  command.describe_results = [](const ResultFields& f) { describe_result(f, ExportResult{}); };
  command.holds_outputs = true;
  command.run = [&o](Run& run) { return run_export(o, run); };
  return command;
}

}  // namespace frugal::tgn
