#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>

#include "libcore/base/text.h"
#include "tools/gnn-sample/commands/tool.h"
#include "tools/gnn-sample/making/generate.h"

namespace frugal::gnn {
namespace {

GenerateResult generate_with_progress(const GenerateOptions& o, Run& run) {
  TaskProgress shown(run);
  GenerateProgress progress;
  std::mutex mutex;  // edges are made by several threads
  progress.edges = [&](std::uint64_t done, std::uint64_t all) {
    const std::lock_guard lock(mutex);
    shown.update({"generating", static_cast<double>(all), "edges"}, static_cast<double>(done));
  };
  progress.rows = [&](std::uint64_t done, std::uint64_t all) {
    shown.update({"writing", static_cast<double>(all), "nodes"}, static_cast<double>(done));
  };
  GenerateResult result = generate(o, progress);
  shown.finish();
  return result;
}

std::string summary(const GenerateResult& result) {
  std::string text = format_count(result.nodes, "node") + ", " +
                     format_count(result.edges, "edge") +
                     (result.directed ? "" : " (both directions)") + ", " +
                     format_count(result.built.isolated, "node") + " without edges";
  if (result.classes > 1) {
    text += "; " + format_percent(result.homophily) + " of the edges join equal labels";
  }
  if (result.classes > 1 && result.feature_accuracy > 0) {
    text +=
        ", features alone give " + format_percent(result.feature_accuracy) + " accuracy at best";
  }
  return text;
}

void describe_generated(const ResultFields& f, const GenerateResult& r) {
  f.add("nodes", r.nodes, "nodes of the graph");
  f.add("edges", r.edges, "edges of the graph; an undirected one counts twice");
  f.add("directed", r.directed, "whether edges have a direction");
  f.add("self_loops", r.built.self_loops, "self loops among the edges drawn");
  f.add("duplicates", r.built.duplicates, "duplicates among the edges drawn");
  f.add("isolated", r.built.isolated, "nodes without edges");
  f.add("classes", r.classes, "number of classes");
  f.add("homophily", r.homophily, "share of the edges that join nodes of one class");
  f.add("feature_accuracy", r.feature_accuracy,
        "accuracy of the best classifier that sees no edges");
}

ExitStatus run_generate(GenerateOptions& o, Run& run) {
  o.seed = run.options().seed;
  o.history_entry = run.history_entry();
  run.writes(o.output);
  const GenerateResult result = generate_with_progress(o, run);
  describe_generated(ResultFields(run.result()), result);
  run.say(summary(result));
  return ExitStatus::ok;
}

void add_edge_options(const OptionFields& f, GenerateOptions& o) {
  f.add("--model", o.model,
        "random graph model. rmat: recursive matrix. sbm: stochastic block model. Default: as in "
        "the shape")
      .choices({"rmat", "sbm"});
  f.add("--direction", o.direction, "whether edges have a direction; default: as in the shape")
      .choices({"directed", "undirected"});
  f.add("--nodes", o.nodes, "number of nodes; auto: as in the shape")
      .positive()
      .automatic(o.nodes, 0);
  f.add("--edges", o.edges,
        "number of edges to draw (before self loops and duplicates are removed). auto: as many a "
        "node as in the shape")
      .positive()
      .automatic(o.edges, 0);
  f.add("--degree", o.degree, "average number of in-edges of a node, instead of --edges")
      .range(0.0, 1e9);
  f.add("--quadrants", o.quadrants,
        "rmat: probabilities of the four quadrants, such as 0.57,0.19,0.19,0.05; default: as in "
        "the shape")
      .metavar("A,B,C,D");
  f.add("--exponent", o.degree_exponent,
        "sbm: exponent of the power law that degrees follow, above 2; larger ones give fewer nodes "
        "of high degree. 0: all nodes have similar degrees");
  f.add("--ordered", o.ordered, "number the nodes class by class instead of in random order");
  f.add("--duplicates", o.duplicates, "keep self loops and duplicate edges");
  f.add("--weights", o.weights, "give edges random weights, uniform between 0 and 1");
  f.add("--times", o.times, "give edges times, in the order in which they are drawn");
  f.add("--edge-ids", o.edge_ids, "store the number of each edge");
}

void add_node_options(const OptionFields& f, GenerateOptions& o) {
  f.add("--classes", o.classes, "number of classes; 1: no labels; auto: as in the shape")
      .positive()
      .automatic(o.classes, 0);
  f.add("--homophily", o.homophily,
        "share of the edges that are drawn within a class. rmat draws more edges within classes by "
        "chance. auto: as in the shape")
      .range(0.0, 1.0)
      .automatic(o.homophily, -1);
  f.add("--features", o.features, "number of features of a node; auto: as in the shape")
      .range(0, 65536)
      .automatic(o.features, -1);
  f.add("--feature-type", o.feature_type, "number type in which features are stored")
      .choices({"f32", "f16", "bf16"});
  f.add("--separation", o.separation,
        "distance of the class centres from 0, in standard deviations of the noise; larger ones "
        "make classes easier to separate. auto: as in the shape")
      .not_negative()
      .automatic(o.separation, -1);
  f.add("--label-noise", o.label_noise,
        "share of the nodes with a random label; auto: as in the shape")
      .range(0.0, 1.0)
      .automatic(o.label_noise, -1);
  f.add("--train-share", o.train_share,
        "share of the nodes in the training part; auto: as in the shape")
      .range(0.0, 1.0)
      .automatic(o.train_share, -1);
  f.add("--valid-share", o.valid_share,
        "share of the nodes in the validation part; auto: as in the shape")
      .range(0.0, 1.0)
      .automatic(o.valid_share, -1);
}

/// Adds the conditions under which options have an effect.
void add_conditions(const OptionFields& f, const GenerateOptions& o) {
  f.go_with({"--scale"}, "the nodes of a shape, not with --nodes", [&o] { return o.nodes == 0; });
  f.field("--degree").excludes("edges");
  f.go_with({"--feature-type", "--separation"}, "--features above 0",
            [&o] { return o.features != 0; });
  f.go_with({"--homophily", "--label-noise", "--train-share", "--valid-share"}, "--classes above 1",
            [&o] { return o.classes != 1; });
}

/// Balances by their names; one is left out where there is nothing to balance.
nlohmann::ordered_json balances(const NodeTypeLoads& type) {
  const std::uint64_t size = std::accumulate(type.nodes.begin(), type.nodes.end(), 0ULL);
  nlohmann::ordered_json object = {{"nodes", size}, {"balance", load_balance(type.nodes)}};
  const double edges = load_balance(type.edges), marked = load_balance(type.marked);
  if (edges != 0) object["edge_balance"] = edges;
  if (marked != 0) object["train_balance"] = marked;
  return object;
}

void describe_partition(const ResultFields& f, const PartitionCommandOptions& o,
                        const PartitionResult& r) {
  f.add("nodes", r.nodes, "nodes of the graph");
  f.add("edges", r.edges, "edges of the graph; an undirected one counts twice");
  f.add("parts", o.partition.parts, "number of parts");
  f.add("method", o.method, "how the parts were found");
  f.add("cut", r.quality.cut, "share of the edges whose ends are in different parts");
  f.add("node_balance", r.quality.node_balance, "nodes of the largest part, relative to the mean");
  f.add("edge_balance", r.quality.edge_balance, "edges of the largest part, relative to the mean");
  f.when("graphs with a split", r.has_split, [&](const ResultFields& split) {
    split.add("train_balance", r.quality.marked_balance,
              "training nodes of the largest part, relative to the mean");
  });
  f.when("several types of nodes", r.types, [](const ResultFields& types, const JoinedQuality& t) {
    auto nodes = nlohmann::ordered_json::object(), edges = nodes;
    for (const NodeTypeLoads& type : t.nodes) nodes[type.type] = balances(type);
    for (const EdgeTypeCut& e : t.edges) edges[e.type] = {{"edges", e.size}, {"cut", e.cut}};
    types.add("node_types", nodes,
              "nodes of each type; its nodes, the pairs of neighbours that have one of them, "
              "and its training nodes: the largest part's, relative to the mean");
    types.add("edge_types", edges,
              "edges of each type, and the share of them whose ends are in different parts");
  });
  f.add("seconds", r.seconds, "time of the partition, without reading and writing");
}

/// A line for each type of nodes and of edges.
std::string lines_of(const JoinedQuality& types) {
  std::string lines;
  for (const NodeTypeLoads& type : types.nodes) {
    const nlohmann::ordered_json found = balances(type);
    lines += "\n" + type.type + ": " + format_count(found["nodes"].get<std::uint64_t>(), "node") +
             ", the largest part has " + format_number(found["balance"], 4) + " times the average";
    if (found.contains("edge_balance")) {
      lines += ", " + format_number(found["edge_balance"], 4) + " in edges";
    }
    if (found.contains("train_balance")) {
      lines += ", " + format_number(found["train_balance"], 4) + " in training nodes";
    }
  }
  for (const EdgeTypeCut& edges : types.edges) {
    lines += "\n" + edges.type + ": " + format_percent(edges.cut) + " of " +
             format_count(edges.size, "edge");
  }
  return lines;
}

ExitStatus run_partition(PartitionCommandOptions& o, Run& run) {
  o.partition.seed = run.options().seed;
  o.history_entry = run.history_entry();
  run.reads(o.graph);
  run.writes(o.output);
  const PartitionResult result = partition(o);
  const PartitionQuality& quality = result.quality;
  describe_partition(ResultFields(run.result()), o, result);
  std::string text = format_count(o.partition.parts, "part") + ": " + format_percent(quality.cut) +
                     " of the edges are cut; the largest has " +
                     format_number(quality.node_balance, 4) + " times the average in nodes, " +
                     format_number(quality.edge_balance, 4) + " in edges";
  if (result.has_split) {
    text += ", " + format_number(quality.marked_balance, 4) + " in training nodes";
  }
  if (result.types) text += lines_of(*result.types);
  run.say(text);
  return ExitStatus::ok;
}

}  // namespace

Command generate_command(GenerateOptions& o) {
  Command command;
  command.name = "generate";
  command.summary = "generate a synthetic graph of any size";
  command.description =
      "Writes a synthetic graph file with labels and a split. Edges come from a recursive matrix "
      "(R-MAT) or a stochastic block model, a chosen share of them within classes. Features are "
      "the centre of the class plus normal noise. Use the file for tests and to measure sizes and "
      "speed; accuracy on it says nothing about real data.\n\n"
      "The shapes have the sizes of published data sets, so that times can be compared with "
      "published ones. --scale makes them smaller. The file depends only on the options and "
      "--seed, not on the number of threads. Edges must fit into memory, with 8 bytes for each "
      "edge and direction. Features are generated while they are written.";
  command.examples = {
      {"gnn-sample generate -o small.safetensors", "10,000 nodes for a first try"},
      {"gnn-sample generate --shape products --feature-type bf16 -o products.safetensors",
       "as many nodes, edges, features and classes as in ogbn-products"},
      {"gnn-sample generate --model rmat --nodes 100000000 --edges 1000000000 --direction directed "
       "--classes 1 --features 0 -o big.safetensors",
       "a graph of a billion edges"}};
  command.often = {"--output", "--shape",    "--scale",   "--nodes",
                   "--edges",  "--features", "--classes", "--seed"};
  command.describe = [&o](const OptionFields& f) {
    f.add("-o,--output", o.output, "graph file to write; - is stdout").metavar("FILE");
    f.add_row_name("--shape", o.shape, graph_shapes(),
                   "predefined sizes, which other options replace one by one");
    f.add("--scale", o.scale, "divide the numbers of nodes and edges of the shape by this")
        .range(1.0, 1e6);
    add_edge_options(f, o);
    add_node_options(f, o);
    add_conditions(f, o);
  };
  command.uses = {.seed = true};
  command.describe_results = [](const ResultFields& f) { describe_generated(f, {}); };
  command.holds_outputs = true;
  command.run = [&o](Run& run) { return run_generate(o, run); };
  return command;
}

Command partition_command(PartitionCommandOptions& o) {
  Command command;
  command.name = "partition";
  command.summary = "cut a graph into parts of equal size with few edges between them";
  command.description =
      "Cuts a graph into parts and writes the part of each node, for training on several machines "
      "or for batches of whole parts. The file has one tensor, partition, with a number (U32) for "
      "each node; gnn-sample train --feature-parts reads it. Edges count as undirected. The "
      "command uses one thread and holds the graph in memory; the result is the same on every "
      "machine.\n\n"
      "All types of nodes are partitioned together, with the edges of all types, and each type of "
      "nodes is balanced separately. multilevel counts the edges between two nodes as one, while "
      "the report counts all. It slows down with many types; ldg does not. The file has a tensor "
      "nodes/TYPE/partition for each type. gnn-sample sample --seeds FILE:PART draws the "
      "mini-batches of a part, and your own loaders may read the file. gnn-sample train does not: "
      "ranks do not share such graphs.\n\n"
      "multilevel is METIS: it contracts edges until few nodes are left, bisects the small graph "
      "and refines the cut while it expands the graph again. It takes graphs of fewer than 2^31 "
      "edges, each counted in both directions. ldg places one node after another, in a fraction of "
      "its time and memory, and has no such limit. fennel is now ldg, which cuts fewer edges. "
      "random is for comparison.";
  command.examples = {
      {"gnn-sample partition products.safetensors --parts 8 -o parts.safetensors",
       "cut a graph into eight parts"},
      {"gnn-sample partition products.safetensors --parts 64 --method ldg --balance train "
       "-o parts.safetensors",
       "64 parts with about the same number of training nodes"},
      {"gnn-sample partition mag.safetensors --parts 4 --method ldg -o mag.parts && "
       "gnn-sample sample mag.safetensors --seed-type paper --seeds mag.parts:0 -o batches.tzs",
       "a graph of several types, and the mini-batches of its first part"}};
  command.often = {"--output", "--method", "--balance", "--imbalance", "--seed", "--json"};
  command.describe = [&o](const OptionFields& f) {
    f.add("graph", o.graph, "graph file written by import or generate").required().metavar("GRAPH");
    f.add("-o,--output", o.output, "tensor file to write; - is stdout").metavar("FILE");
    f.add("--parts", o.partition.parts, "number of parts").required();
    f.add("--method", o.method,
          "partitioning algorithm. multilevel: METIS, with the fewest cut edges. ldg: faster, with "
          "less memory. random: for comparison. fennel: as ldg")
        .choices({"multilevel", "ldg", "fennel", "random"});
    f.add("--balance", o.balance, "what parts have the same number of. train: training nodes")
        .choices({"nodes", "edges", "train"});
    f.add("--imbalance", o.partition.imbalance,
          "maximum size of a part, as a multiple of the average of each type of nodes; larger "
          "values allow fewer cut edges")
        .range(1.0, 1e6);
    f.add("--passes", o.partition.passes, "ldg: number of times that each node is placed")
        .range(1, 1000);
    f.go_with({"--balance", "--imbalance"}, "--method multilevel or ldg",
              [&o] { return o.method != "random"; });
    f.go_with({"--passes"}, "--method ldg",
              [&o] { return o.method == "ldg" || o.method == "fennel"; });
  };
  command.uses = {.seed = true};
  command.describe_results = [](const ResultFields& f) { describe_partition(f, {}, {}); };
  command.holds_outputs = true;
  command.run = [&o](Run& run) { return run_partition(o, run); };
  return command;
}

}  // namespace frugal::gnn
