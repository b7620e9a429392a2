#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "tools/gnn-sample/commands/tool.h"
#include "tools/gnn-sample/formats/graph_input.h"
#include "tools/gnn-sample/formats/node_split.h"
#include "tools/gnn-sample/formats/ogb_folder.h"

namespace frugal::gnn {
namespace {

constexpr char kEdges[] = "Edges";
constexpr char kNodes[] = "Nodes";
constexpr char kGraph[] = "Graph";
constexpr char kTypes[] = "Several types of nodes and edges";

void add_edge_files(const OptionFields& fields, ImportOptions& o) {
  const OptionFields f = fields.group(kEdges);
  f.add("--format", o.format, graph_formats().help("name and first bytes"))
      .choices(graph_formats().choices());
  f.add("--header", o.text.header,
        "whether the first line of edges in text names columns. auto: by its contents; if they are "
        "not clear, the command prints its assumption")
      .choices({"auto", "yes", "no"});
  f.add("--ids", o.ids,
        "what the ids of nodes are. number: 0, 1, 2 and so on. any: names or numbers of any kind; "
        "nodes are numbered in order of appearance, and the graph stores the names. If all are "
        "whole numbers, 7, 7.0 and 007 are the same. text: as any, but names are taken as they are "
        "written")
      .choices({"number", "any", "text"});
  f.add("--edge-features", o.edge_features,
        "file with features of the edges, a row of numbers for each edge of INPUT, in their order: "
        "text or *.npy. Edges in both directions have the same row, added ones zeros, and repeated "
        "ones the first's. *.npz with edge_attr or edge_feat, and folders of the Open Graph "
        "Benchmark, need no such file")
      .metavar("FILE");
  f.add_typed("--node-ids", bind_value(o.node_ids), o.typed_node_ids,
              "with --ids any or text, file of all names, one a line, in the order of the nodes")
      .metavar("[TYPE=]FILE");
}

void add_node_files(const OptionFields& fields, ImportOptions& o) {
  const OptionFields f = fields.group(kNodes);
  f.add_typed("--features", bind_value(o.features), o.typed_features,
              "file with features of the nodes, one node a line: 'class index:value ...' "
              "(svmlight), or columns separated by commas, tabs or blanks. Columns of numbers are "
              "features; dates, categories and texts become some (--columns). Also *.npy [nodes, "
              "features], a CSR matrix of SciPy in *.npz, or an array file of robe-compress, "
              "*.safetensors")
      .metavar("[TYPE=]FILE");
  f.add("--features-like", o.features_like,
        "graph, or model trained on it, whose features are made again, with its scales and "
        "categories: for nodes that the model has not seen")
      .metavar("FILE");
  f.add("--word-features", o.feature.table.buckets,
        "number of features that the words of a column are hashed to")
      .range(std::uint64_t{1}, std::uint64_t{kMostWordColumns});
  f.add("--index-base", o.feature.index_base, "lowest index of features in svmlight").range(0, 1);
  f.add("--num-features", o.feature.dim,
        "number of features of a node in svmlight; auto: up to the largest index")
      .positive()
      .automatic(o.feature.dim, 0)
      .range(std::uint64_t{0}, kMostFeatures);
  f.add("--feature-type", o.feature.type, "number type in which features are stored")
      .choices({"f32", "f16", "bf16", "i8"});
  f.add("--feature-layout", o.feature.layout,
        "how features are stored. dense: all numbers of a node. sparse: only the numbers that are "
        "not 0, with their columns. auto: sparse if at most a fifth is not 0")
      .choices({"auto", "dense", "sparse"});
  f.add("--normalize-features", o.feature.normalize,
        "how features are normalised. none: not at all. row: each row sums to 1. standardize: each "
        "column has mean 0 and standard deviation 1")
      .choices({"none", "row", "standardize"});
  f.add_typed(
       "--labels", bind_value(o.labels), o.typed_labels,
       "file with labels of the nodes, one node a line: a class by number or name, or a number to "
       "predict. Several columns of 0 and 1 are several classes a node. A missing value, or -1 for "
       "a class, is no label. Also *.npy")
      .metavar("[TYPE=]FILE");
  f.add("--label-type", o.label_type, kLabelTypes,
        "meaning of labels. class: one of some. number: a number that models predict (regression). "
        "auto: number if all labels are numbers and one of them is not whole, else class");
  f.add_typed(
       "--split", bind_value(o.split), o.typed_splits,
       "which nodes are for training, validation and test: a file, or a rule for a random split. A "
       "file has train, valid, test or none on each line, or columns of 0, 1, 2, one for each "
       "split. Columns of 0 and 1 with names like train_mask, val and is_test are masks. A rule "
       "splits the nodes with a label: shares 0.6,0.2,0.2, numbers 1000,500,500 or "
       "20-per-class,500,1000. Without this option, the split of the input is used; if it has "
       "labels but no split, 0.6,0.2,0.2. none: no split")
      .metavar("[TYPE=]FILE|RULE");
  f.add("--split-name", o.split_name, "name of the folder of an OGB split, if there are several")
      .metavar("NAME");
  f.add("--num-splits", o.num_splits, "number of random splits").range(1, 1000);
}

void add_type_options(const OptionFields& fields, ImportOptions& o) {
  fields.group(kTypes)
      .add("--edges", o.typed_edges,
           "text file of edges from one type of nodes to another, instead of INPUT; repeat it for "
           "each pair of types. --features, --labels, --split, --nodes and --node-ids then take "
           "TYPE=VALUE, for each type")
      .metavar("SOURCE:RELATION:TARGET=FILE")
      .accumulates();
  fields.group(kTypes)
      .add("--reverse-relations", o.reverse_relations,
           "add a relation TARGET:rev_RELATION:SOURCE with the edges turned round for every "
           "relation, also within one type, with weights, times and numbers of edges")
      .excludes("undirected")
      .goes_with("several types: --edges, or a folder of the Open Graph Benchmark that has some",
                 [&o] { return !o.typed_edges.empty() || is_typed_ogb(o.edges); });
}

void add_graph_options(const OptionFields& fields, ImportOptions& o) {
  const OptionFields f = fields.group(kGraph);
  f.add_typed("--nodes", bind_value(o.nodes, "auto"), o.typed_nodes,
              "number of nodes. auto: by the files of nodes, else the largest id plus 1")
      .checked("auto or a whole number above 0, or TYPE=NUMBER with --edges",
               [](const std::string& text) { return text != "0"; })
      .metavar("[TYPE=]N|auto");
  f.add("--undirected", o.undirected,
        "store each edge in both directions. Between two types, the other direction is a relation "
        "of its own, TARGET:rev_RELATION:SOURCE");
  f.add("--self-loops", o.self_loops,
        "what to do with edges from a node to itself. add: give each node one. Only edges within "
        "one type can be such")
      .choices({"keep", "remove", "add"});
  f.add("--duplicates", o.duplicates,
        "what to do with repeated edges. remove: only the first stays, of edges with times the "
        "earliest. sum: that one stays, with the sum of the weights")
      .choices({"keep", "remove", "sum"});
  f.add("--edge-ids", o.edge_ids, "store the number of each edge in the input");
  f.add("--reorder", o.reorder,
        "renumber nodes so that neighbours get close numbers. degree: by degree. rcm: breadth "
        "first. rabbit: by communities. Other commands use the new numbers; the graph and "
        "predictions keep the old ones as ids")
      .choices({"none", "degree", "rcm", "rabbit"});
}

void add_columns(const OptionFields& f, ImportOptions& o) {
  f.add(
       "--columns", o.columns,
       "types of the columns of text, by names of the header or numbers from 1. Edges have source "
       "and target (by default columns with such names, else the first two). They may have weight "
       "(finite and not negative, for --method weighted) and time (numbers, or dates, which "
       "become seconds since 1970; neighbours are then sorted by it). In files of nodes, id is "
       "the node of the row (several if files differ); label and split name these columns. Columns "
       "of --features are number or date (scaled to mean 0 and deviation 1), category (a feature "
       "for each value; category(;): several values with ; between them), words (hashed to "
       "--word-features) or ignore; *:TYPE is for all others. Without a type, numbers alone stay "
       "as they are; if there is anything else, each column's values tell its type. none:weight "
       "leaves weights out; of several files of --edges, some may lack the column of weights. With "
       "none:id, row n belongs to node n, even if a column looks like "
       "ids")
      .metavar("NAME:TYPE,...");
}

/// Adds the conditions under which options have an effect.
void add_import_conditions(const OptionFields& f, const ImportOptions& o) {
  const auto has_rule = [&o] {
    const auto is_rule = [](const std::string& text) {
      return parse_split_rule(text.substr(text.find('=') + 1)).has_value();
    };
    return (!o.split.empty() && is_rule(o.split)) || std::ranges::any_of(o.typed_splits, is_rule);
  };
  const auto has_file = [&o] { return !split_file(o).empty() || !o.typed_splits.empty(); };
  const auto labels = [&o] { return !o.labels.empty() || !o.typed_labels.empty(); };
  const auto features = [&o] { return !o.features.empty() || !o.typed_features.empty(); };
  const auto folder = [&o] {
    std::error_code error;
    return std::filesystem::is_directory(o.edges, error);
  };
  f.go_with({"--label-type"}, "--labels", labels);
  f.go_with({"--num-splits"}, "--split and a rule like 0.6,0.2,0.2", has_rule);
  f.go_with({"--split-name"}, "a folder of the Open Graph Benchmark", folder);
  f.go_with({"--index-base", "--num-features", "--features-like"}, "--features", features);
  f.go_with({"--word-features"}, "--features, and not with --features-like",
            [&o, features] { return features() && o.features_like.empty(); });
  f.field("--columns").goes_with_missing([=, &o]() -> std::string {
    ImportOptions declared = o;
    take_columns(declared);
    if (!declared.split_column.empty() && !has_file()) return "--split and a file, for a split";
    if (!declared.feature.table.declared.empty() && !features()) {
      return "--features, for " +
             std::string(kFeatureTypes.name(declared.feature.table.declared[0].type));
    }
    if (!declared.label_column.empty() && !labels()) return "--labels, for a label";
    const bool some = features() || labels() || has_file();
    return declared.id_columns.empty() || some ? "" : "--features, --labels or --split, for an id";
  });
  const auto needs_types = [&](const char* name, const std::vector<std::string>& typed) {
    f.field(name).goes_with_missing([&o, &typed] {
      return typed.empty() || !o.typed_edges.empty() ? "" : "--edges, as TYPE=VALUE";
    });
  };
  needs_types("--features", o.typed_features);
  needs_types("--labels", o.typed_labels);
  needs_types("--split", o.typed_splits);
  needs_types("--nodes", o.typed_nodes);
  needs_types("--node-ids", o.typed_node_ids);
  f.go_with({"--edge-features"}, "INPUT, not with --edges",
            [&o] { return o.typed_edges.empty() && !is_typed_ogb(o.edges); });
  f.go_with({"--node-ids"}, "--ids any or text", [&o] { return o.ids != "number"; });
}

std::string summary_of(const ImportReport& r) {
  if (!r.node_types.empty()) {
    return format_count(r.nodes, "node") + " of " + std::to_string(r.node_types.size()) +
           " types, " + format_count(r.edges, "edge") + " of " +
           std::to_string(r.edge_types.size());
  }
  std::string text = format_count(r.nodes, "node") + ", " + format_count(r.edges, "edge") +
                     (r.directed ? "" : " (both directions)");
  if (r.built.isolated != 0) text += ", " + std::to_string(r.built.isolated) + " without edges";
  if (r.built.self_loops != 0) text += ", " + format_count(r.built.self_loops, "self loop");
  if (r.built.duplicates != 0) text += ", " + format_count(r.built.duplicates, "duplicate");
  if (r.features != 0) text += "; " + format_count(r.features, "feature");
  if (r.label_type == "number")
    text += "; " + format_count(r.labelled, "node") + " with a number to predict";
  if (r.edge_features != 0) text += "; " + format_count(r.edge_features, "feature") + " of an edge";
  if (r.classes != 0) {
    text += "; " + std::to_string(r.classes) + (r.classes == 1 ? " class, " : " classes, ") +
            format_count(r.labelled, "node") + " with a label";
  }
  if (r.splits != 0) {
    text += "; train " + std::to_string(r.train) + ", valid " + std::to_string(r.valid) +
            ", test " + std::to_string(r.test);
    if (r.splits > 1) text += " in the first of " + std::to_string(r.splits) + " splits";
  }
  return text;
}

void describe_result(const ResultFields& f, const ImportReport& r) {
  f.add("nodes", r.nodes, "nodes of the graph");
  f.add("edges", r.edges, "edges of the graph; an undirected one counts twice");
  f.add("directed", r.directed, "whether edges have a direction");
  f.add("input_edges", r.input_edges, "edges of the input");
  f.add("self_loops", r.built.self_loops, "self loops of the input");
  f.add("duplicates", r.built.duplicates,
        "edges that repeat another in both nodes and direction, counted after --undirected; in a "
        "graph with times only if --duplicates removes them");
  f.add("isolated", r.built.isolated, "nodes without edges");
  f.add("features", r.features, "numbers of a node");
  f.add("feature_columns", r.feature_columns,
        "the columns of a table that features were made from: NAME:TYPE, and the number of "
        "features of a category or of words");
  f.add("classes", r.classes, "number of classes; 0 = no classes");
  f.add("label_type", r.label_type, "meaning of labels: class or number; none without labels");
  f.add("labelled", r.labelled, "nodes with a label");
  f.add("splits", r.splits, "number of splits");
  f.add("train", r.train, "training nodes of the first split");
  f.add("valid", r.valid, "validation nodes of the first split");
  f.add("test", r.test, "test nodes of the first split");
  f.add("joined_by_id", r.joined_by_id,
        "which of features, labels and split were put in order by a column of ids");
  f.when("edges with features", r.edge_features != 0, [&](const ResultFields& edges) {
    edges.add("edge_features", r.edge_features, "numbers of an edge");
  });
  f.when("graphs of several types", !r.node_types.empty(), [&](const ResultFields& types) {
    types.add("node_types", r.node_types,
              "types of nodes; features to test are of the type with labels or a split");
    types.add("edge_types", r.edge_types, "types of edges, SOURCE:RELATION:TARGET");
  });
}

constexpr char kImportDescription[] =
    "Reads a graph in one of many formats, with features, labels and splits of its nodes. Checks "
    "every line and number, and writes a graph file. A row of the graph has the edges into a node: "
    "neighbours are sources. Text may be compressed (gz, zst); all threads read it.\n\n"
    "Name the output *.safetensors. Such a file is not compressed: other commands map it into "
    "memory, and it may be larger than RAM.\n\n"
    "Files of nodes have one row for each node, in the order of the ids, or in any order with a "
    "column of ids (--columns NAME:id). Labels and splits by ids may leave nodes out. With --ids "
    "any or text, such a file names the nodes, and --node-ids is not needed. Edges between unknown "
    "ids and numbers that are not finite are errors with file and line. So are lines with more or "
    "fewer columns than the first. A first line with only the numbers of nodes and edges is not "
    "read as an edge.\n\n"
    "Features may be columns of any kind, as they come from a database, if the first 1,000 rows "
    "have anything but numbers or --columns gives types. A missing number then becomes the mean, "
    "and a second feature says where numbers are missing. In a table of numbers alone it is an "
    "error. Columns of the label and the "
    "split in the same file are no features. The graph stores how its features were made: names of "
    "columns, and scales, also the scales of --normalize-features standardize. import "
    "--features-like "
    "makes the same ones for new nodes, and eval, predict and export refuse others. Features "
    "without names are compared by their number and --normalize-features only.\n\n"
    "GraphML and node-link JSON contain ids, which are used whatever --ids says. Rows of "
    "--features, --labels and --split need --ids any to name nodes by them. They are stored "
    "as names, unless they number the nodes from 0 on. Weights and times are the attributes that "
    "--columns names. JSON without a list of nodes has one edge an object.\n\n"
    "Classes keep their names. -1 is no class, except beside 1 alone, as in svmlight. 01 and 1 are "
    "two classes. Numbers that begin above 0 are names, too. Missing values (empty, NA, nan, null, "
    "None and the like) and, beside numbers, \"unknown\" are no class.\n\n"
    "Features of which at most a fifth is not 0, such as words, are stored sparse. The first layer "
    "of a network then works only on these numbers. Coauthor CS, with 60 of 6,805 words a node, is "
    "a file of 10 MB instead of 500. Results are the same within rounding. Mini-batches contain "
    "only these numbers, or with --dense-features the zeros, too. --normalize-features standardize "
    "leaves no zeros.\n\n"
    "Features larger than memory can be compressed to a small array: robe-compress compress takes "
    "them as a table (--select features, also of a graph file with --feature-layout dense). Only "
    "the array is stored and kept in memory. Commands look rows up in it, bit for bit as "
    "robe-compress expand writes them. Rows go by the numbers of the nodes, which therefore cannot "
    "be reordered. --method int4 of robe-compress loses next to nothing. robe is smaller still and "
    "loses more, but less with its --sign.";

ExitStatus run_import(ImportOptions& o, Run& run) {
  o.seed = run.options().seed;
  o.history_entry = run.history_entry();
  take_columns(o);
  if (o.edges.empty() == o.typed_edges.empty()) {
    fail(ExitStatus::usage, o.edges.empty() ? "INPUT is missing" : "INPUT and --edges",
         ", expected a graph, or --edges for each of its types of edges");
  }
  std::vector<std::string> inputs{o.edges,    o.features,      o.labels,
                                  o.node_ids, o.features_like, o.edge_features};
  for (const auto* list :
       {&o.typed_edges, &o.typed_features, &o.typed_labels, &o.typed_splits, &o.typed_node_ids}) {
    for (const std::string& text : *list) {
      const std::size_t at = text.find('=');
      if (at != std::string::npos) inputs.push_back(text.substr(at + 1));
    }
  }
  inputs.push_back(split_file(o));
  for (const std::string& path : inputs) run.reads(path);
  run.writes(o.output);
  TaskProgress progress(run);
  const ImportReport report = import_graph(o, [&](const std::string& name, std::uint64_t bytes) {
    progress.update({name, 0, "bytes"}, static_cast<double>(bytes));
  });
  progress.finish();
  describe_result(ResultFields(run.result()), report);
  run.say(summary_of(report));
  return ExitStatus::ok;
}

}  // namespace

Command import_command(ImportOptions& o) {
  Command command;
  command.name = "import";
  command.summary = "make a graph file from edges, features, labels and splits";
  command.description = kImportDescription;
  command.examples = {
      {"gnn-sample import edges.csv --undirected --features features.libsvm --split split.txt -o "
       "cora.safetensors",
       "a graph with features, labels and a split"},
      {"gnn-sample import wiki-Vote.txt.gz --ids any -o wiki.safetensors",
       "edges between names of any kind"},
      {"gnn-sample import karate.graphml --columns weight:weight -o karate.safetensors",
       "GraphML from NetworkX or another program"},
      {"gnn-sample import trips.csv --columns from:source,to:target,day:time --ids any -o "
       "trips.safetensors",
       "columns chosen by name"},
      {"gnn-sample import ogbn_arxiv --undirected -o arxiv.safetensors",
       "a folder of the Open Graph Benchmark"},
      {"gnn-sample import ogbn_arxiv --undirected --features array.safetensors -o "
       "small.safetensors",
       "its features as an array that robe-compress wrote"},
      {"gnn-sample import graph.npz --split 20-per-class,500,1000 --seed 1 -o g.safetensors",
       "NumPy arrays with a random split"},
      {"gnn-sample import --edges author:writes:paper=writes.csv --edges "
       "paper:cites:paper=cites.csv "
       "--labels paper=topics.txt -o mag.safetensors",
       "a graph of several types of nodes and edges"},
      {"gnn-sample import ogbn_mag --undirected -o mag.safetensors",
       "several types, with a reverse relation for each relation between two types"}};
  command.often = {"--format",     "--ids",        "--features",   "--labels",  "--split",
                   "--undirected", "--self-loops", "--duplicates", "--reorder", "--json"};
  command.describe = [&o](const OptionFields& f) {
    f.add("input", o.edges, "graph to read, a file or a folder; - is stdin").metavar("INPUT");
    f.add("-o,--output", o.output, "graph file to write").required().metavar("FILE");
    add_columns(f, o);
    add_edge_files(f, o);
    add_node_files(f, o);
    add_graph_options(f, o);
    add_type_options(f, o);
    add_import_conditions(f, o);
  };
  command.uses = {.seed = true};
  command.describe_results = [](const ResultFields& f) { describe_result(f, ImportReport{}); };
  command.holds_outputs = true;
  command.run = [&o](Run& run) { return run_import(o, run); };
  return command;
}

}  // namespace frugal::gnn
