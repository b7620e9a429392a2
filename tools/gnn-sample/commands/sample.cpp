#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "tools/gnn-sample/commands/tool.h"
#include "tools/gnn-sample/data/node_parts.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {
namespace {

constexpr char kSampling[] = "Sampling";
constexpr char kWalks[] = "Random walks";
constexpr int kRateDigits = 4;

std::optional<int> parse_level(const std::string& text) {
  if (text == "auto") return std::nullopt;
  if (text == "none") return TensorWriteOptions::kPlain;
  const std::optional<int> level = parse_number<int>(text);
  if (!level || *level < -7 || *level > 19) {
    fail(ExitStatus::usage, "--level is '", printable(text),
         "', expected auto, none or a level from -7 to 19");
  }
  return level;
}

SampleOptions complete(const SampleCommandOptions& o, const Run& run) {
  SampleOptions sample = o.sample;
  sample.seed = run.options().seed;
  sample.device = run.options().device;
  sample.history_entry = run.history_entry();
  sample.level = parse_level(o.compression);
  sample.batches.shard = o.shard;
  sample.output = shard_path(sample.output, o.shard);
  return sample;
}

constexpr char kSampleDescription[] =
    "Samples the neighbourhoods of seeds and writes one document for each mini-batch, in order. A "
    "document has its nodes (seeds first), the edges of each hop as local ids, the features of all "
    "nodes and the labels of the seeds. The same --seed gives the same bytes with any number of "
    "threads and any instruction set.\n\n"
    "Tensors: `nodes` contains the numbers of nodes in the graph, by local id. `hop.0.offsets` and "
    "`hop.0.neighbors` are the edges into the seeds, `hop.1...` the edges into all nodes known by "
    "then, and so on. --layout coo has `hop.0.edge_index` instead, a row of sources and a row of "
    "targets. With --semantics frontier, a hop begins with the edges of the hop before, so the "
    "last one has all. The tensor `features` has a row a node, `labels` a row a seed. `edge_ids` "
    "contains the number of each edge in the input, if import stored them. The metadata key "
    "batch.nodes is the number of nodes known after each hop. `seeds` contains the local id of "
    "each seed, if seeds repeat.\n\n"
    "Features that the graph stores sparse are written sparse. `features.offsets` gives the start "
    "of each node's numbers in `features.columns` and `features.values` (missing if all are 1). "
    "The metadata key graph.features is the number of columns. --dense-features writes the zeros, "
    "too. If the input of import had names, `names` contains them (UTF-8); the name of node i is "
    "from `names.offsets` i to i + 1. If it had other numbers, or import was called with "
    "--reorder, `ids` contains the numbers of the input.\n\n"
    "With --disjoint and --temporal, `roots` contains for each node the local id of its seed, and "
    "`seed_times` the time of each seed. With edges as seeds, `seeds` has two rows: the local ids "
    "of the sources and of the targets. The mini-batch's edges come first (`edge_labels` 1), then "
    "their negatives (`edge_labels` 0).\n\n"
    "In a mini-batch of a graph of several types, the same names follow the prefixes of the graph "
    "file. Nodes have `nodes/TYPE/nodes`, `nodes/TYPE/features` and, for seeds, "
    "`nodes/TYPE/labels`. Edges have `edges/SOURCE:RELATION:TARGET/hop.0.offsets` and so on. Rows "
    "are nodes of TARGET, neighbours nodes of SOURCE; local ids are counted by type. Each hop "
    "draws edges of every type with the fanout of the type. With mfg it draws for all nodes known "
    "before the hop, as DGL does. With frontier it draws for the nodes that the hop before found, "
    "as PyG's NeighborLoader does. The metadata have batch.seed_type, graph.node_types, "
    "graph.edge_types and batch.nodes.TYPE. With --method weighted, edges of types without weights "
    "are drawn uniformly. With --temporal, edges of types without times are drawn whatever the "
    "time.\n\n"
    "--device cuda samples on the GPU and gives the same bytes as the CPU. The graph is stored in "
    "the device's memory or, if it is too large, in the host's (--device-graph). Features are "
    "gathered on the CPU. Graphs of several types and --walks cannot be sampled on a device.\n\n"
    "With --walks, a document has only `walks`: a row of nodes for each walk, the walks of a seed "
    "one after the other. Nodes have their numbers in the graph file. -1 follows a node without "
    "edges. With --pinsage it has features and one hop, whose `hop.0.weights` are shares of the "
    "visits.\n\n"
    "With --shared, another program reads mini-batches in place; share/frugal/gnn/frugal_loader.py "
    "is "
    "such a program, for Python. SOCKET is a Unix-domain socket of type SOCK_STREAM. Each message "
    "to the reader is four little-endian numbers of 64 bits. The first message has 1 (the version "
    "of this protocol), the number of slots, the number of mini-batches in an epoch, and the "
    "shard (its index times 2^32, plus the number of shards). With it come descriptors, one for "
    "the memory of each slot. Each further message has a slot, the position of a header in it, the "
    "size of the slot, and 0. The header is as in tensor-file(5), and its data_offsets count from "
    "the beginning of the slot. Slots grow: the reader maps one again when its size is larger. "
    "It sends a byte for each mini-batch that it has finished with, in order. The last message has "
    "2^64-1 and the number of mini-batches. If the reader closes the socket or dies, gnn-sample "
    "ends by SIGPIPE. The memory has no name and vanishes with both programs.";

double edge_rate(const SampleResult& r) {
  return static_cast<double>(r.edges) / std::max(1e-9, r.seconds);
}

void describe_result(const ResultFields& f, const SampleResult& r) {
  f.add("batches", r.batches, "mini-batches written");
  f.add("next_batch", r.next_batch, "number of the mini-batch at which --from would go on");
  f.add("seeds", r.seeds, "seeds of all mini-batches");
  f.add("nodes", r.nodes, "nodes of all mini-batches");
  f.add("sampled_edges", r.edges, "edges drawn; with --walks, steps");
  f.add("seconds", r.seconds, "time of sampling and writing");
  f.add("sampled_edges_per_second", edge_rate(r), "sampled_edges divided by seconds");
  f.add("waiting_share", r.waiting_share,
        "share of the time in which the writer waited for a mini-batch");
}

ExitStatus run_sample(const SampleCommandOptions& o, Run& run) {
  const SampleOptions sample_options = complete(o, run);
  run.reads(sample_options.graph);
  read_seeds(run, sample_options.source);
  if (sample_options.shared.empty()) run.writes(sample_options.output);
  TaskProgress progress(run);
  const SampleResult result = sample(
      sample_options,
      [&](std::uint64_t batches) {
        progress.begin({"sampling", static_cast<double>(batches), "batches"});
      },
      [&](std::uint64_t batches) { progress.update(static_cast<double>(batches)); });
  progress.finish();
  describe_result(ResultFields(run.result()), result);
  const std::string unit = o.sample.walks.walks.length != 0 ? " steps" : " edges";
  const std::string batches =
      result.batches == 1 ? "1 mini-batch" : std::to_string(result.batches) + " mini-batches";
  run.say(batches + ", " + std::to_string(result.edges) + unit + " in " +
          format_seconds(result.seconds) + ": " + in_millions(edge_rate(result)) + unit +
          "/s; the writer waited " + format_number(100 * result.waiting_share, 3) + " %");
  return ExitStatus::ok;
}

void describe_documents(const OptionFields& f, SampleCommandOptions& o) {
  SampleOptions& s = o.sample;
  f.add("--layout", s.document.layout, kBatchLayoutNames,
        "how the edges of a hop are stored. csr: compressed sparse rows. coo: pairs of source and "
        "target");
  f.add("--features,!--no-features", s.document.features,
        "write the features of all nodes in a mini-batch");
  f.add("--dense-features", s.document.dense,
        "write sparse features with their zeros; without it, as `features.offsets`, "
        "`features.columns` and `features.values`");
  f.add("--names,!--no-names", s.document.identities,
        "write the ids or names of nodes in the input of import, if they are not the numbers of "
        "the graph");
  f.add("--labels,!--no-labels", s.document.labels, "write the labels of the seeds");
  f.add("--wide-ids", s.document.wide_ids,
        "write ids with 64 bits, which PyTorch uses as indices directly; they take twice the "
        "space");
  f.add("--level", o.compression,
        "zstd compression level from -7 to 19, or none. auto: 1 for files, none for pipes")
      .metavar("LEVEL");
}

void describe_sample(const OptionFields& f, SampleCommandOptions& o) {
  SampleOptions& s = o.sample;
  f.add("graph", s.graph, "graph file written by import or generate").required().metavar("GRAPH");
  f.add("-o,--output", s.output, "stream of mini-batches to write").metavar("BATCHES");
  f.add(
       "--shared", s.shared,
       "write mini-batches to shared memory, for a program that reads them in place. The number of "
       "an inherited descriptor, or the path, of its Unix-domain socket")
      .metavar("SOCKET");
  f.add("--slots", s.slots,
        "number of mini-batches that shared memory has room for; 0: three for each thread, and one")
      .range(0U, 253U);
  f.go_with({"--shared"}, "the number of a descriptor or the path of a socket",
            [&] { return !s.shared.empty(); });
  f.go_with({"--slots"}, "--shared", [&] { return !s.shared.empty(); });
  describe_sampling(f, s.sampling, true);
  describe_seeds(f, s.source, s.sampling, s.batches.batch_size);
  describe_walks(f, s.walks.walks);
  const OptionFields walks = f.group(kWalks), sampling = f.group(kSampling);
  walks.add("--walks-per-node", s.walks.walks_per_node, "number of walks from each seed")
      .range(1U, 1U << 20);
  walks
      .add("--pinsage", s.walks.most_visited,
           "write for each seed this many of the nodes that its walks visited most often, as a hop "
           "of weighted edges (PinSAGE); 0: write the walks")
      .range(0U, 1U << 20);
  f.go_with({"--walks-per-node", "--pinsage"}, "--walks",
            [&] { return s.walks.walks.length != 0; });
  sampling.add("--edge-ids", s.sampling.edge_ids,
               "also write the number of each edge in the input");
  sampling.add("--epochs", s.batches.epochs, "number of passes over the seeds").positive();
  sampling.add("--shuffle,!--no-shuffle", s.batches.shuffle,
               "put the seeds in a new order in each epoch");
  sampling.add("--drop-last", s.batches.drop_last,
               "leave out the last mini-batch of an epoch if it is smaller");
  sampling.add("--from", s.batches.first, "number of the first mini-batch to write, from 0");
  sampling
      .add("--uneven-shards", s.batches.uneven, kUnevenShardsNames,
           "what to do if --shard cannot divide the mini-batches equally. keep: some parts have "
           "one more. drop: the last ones are left out. repeat: the first seeds are used again. "
           "With drop and repeat all parts have the same number, which distributed training needs")
      .needs("shard");
  sampling.add("--batches", s.max_batches, "maximum number of mini-batches to write; 0: all");
  describe_documents(f, o);
  f.go_with({"--output", "--level"}, "a stream, not with --shared",
            [&] { return s.shared.empty(); });
  describe_residence(f, s.residence);
  describe_device_graph(f, s.device_graph);
  describe_walk_conditions(f, s.walks.walks);
  f.go_with({"--layout", "--labels"}, "neighbourhoods, not with --walks",
            [&] { return s.walks.walks.length == 0; });
  f.field("--features").goes_with("neighbourhoods or --pinsage, not with --walks alone", [&] {
    return s.walks.walks.length == 0 || s.walks.most_visited != 0;
  });
  f.go_with({"--dense-features"}, "--features", [&] { return s.document.features; });
  f.field("--labels").goes_with("nodes as seeds, not with edges", [&] {
    return !seeds_are_links(s.source);
  });
}

}  // namespace

void read_nodes(Run& run, const std::string& nodes) {
  constexpr std::string_view kWords[] = {"train", "valid", "test", "labelled", "all", "edges"};
  if (std::find(std::begin(kWords), std::end(kWords), nodes) == std::end(kWords)) {
    run.reads(file_of_part(nodes));
  }
}

void read_seeds(Run& run, const SeedSourceOptions& source) {
  if (source.edges.empty()) {
    read_nodes(run, source.seeds);
  } else {
    run.reads(source.edges);
  }
  if (source.times != "newest" && source.times != "end") run.reads(source.times);
}

std::string in_millions(double rate) { return format_number(rate / 1e6, kRateDigits) + " M"; }

Command sample_command(SampleCommandOptions& o) {
  Command command;
  command.name = "sample";
  command.summary = "stream sampled mini-batches to a file or another program";
  command.description = kSampleDescription;
  command.examples = {
      {"gnn-sample sample GRAPH --fanouts 15,10,5 --batch-size 1024 -o batches.tzs",
       "write an epoch over the training nodes to a file"},
      {"gnn-sample sample GRAPH --epochs 10 -o - | python3 train.py",
       "stream mini-batches to another program"},
      {"gnn-sample sample GRAPH --from 4000 --epochs 10 -o - | python3 train.py --resume",
       "continue from mini-batch 4,000 after the other program died"},
      {"gnn-sample sample GRAPH --shared batches.socket",
       "share memory with a program that listens at this socket"},
      {"gnn-sample sample GRAPH --temporal last --seeds nodes.txt --seed-times times.txt",
       "the newest edges before the time of each seed"},
      {"gnn-sample sample GRAPH --seeds edges --negatives 1 --exclude-seed-edges -o - | python3 "
       "links.py",
       "mini-batches for link prediction"},
      {"gnn-sample sample GRAPH --seed-type paper --fanouts 10,5 --fanouts "
       "author:writes:paper=5,5 -o batches.tzs",
       "sample a graph of several types of nodes"},
      {"gnn-sample sample GRAPH --seeds all --walks 40 --walks-per-node 10 --p 0.25 --q 4 -o "
       "walks.tzs",
       "random walks as in node2vec"},
      {"gnn-sample sample GRAPH --walks 20 --restart 0.15 --walks-per-node 50 --pinsage 10",
       "the ten nodes that walks from each seed visit most often"},
      {"srun gnn-sample sample GRAPH --shard auto -o batches-{shard}.tzs",
       "divide an epoch among processes"}};
  command.often = {"--output", "--fanouts",  "--batch-size", "--seeds",  "--epochs", "--method",
                   "--layout", "--temporal", "--negatives",  "--shared", "--seed",   "--threads"};
  command.describe = [&o](const OptionFields& f) { describe_sample(f, o); };
  command.uses = {.seed = true, .device = true, .engine = "gnn.sample"};
  command.shard = &o.shard;
  command.describe_results = [](const ResultFields& f) { describe_result(f, SampleResult{}); };
  command.holds_outputs = true;
  command.run = [&o](Run& run) { return run_sample(o, run); };
  return command;
}

}  // namespace frugal::gnn
