#include "tools/gnn-sample/options_sampling.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/cli/checks.h"
#include "libcore/cli/conditions.h"

namespace frugal::gnn {
namespace {

using nlohmann::ordered_json;
constexpr char kSampling[] = "Sampling";
constexpr char kWalks[] = "Random walks";
constexpr char kLinks[] = "Edges as seeds";
constexpr int kRateDigits = 4;

bool seeds_are_links(const SeedSourceOptions& o) { return !o.edges.empty() || o.seeds == "edges"; }

/// Options of neighbourhoods do nothing for walks.
void add_walk_conditions(CLI::App& app, const WalkOptions& walks) {
  go_with(app, {"--p", "--q", "--restart"}, "--walks", [&] { return walks.length != 0; });
  go_with(app,
          {"--fanouts", "--type-fanouts", "--semantics", "--method", "--replace", "--table",
           "--disjoint", "--temporal", "--edge-ids"},
          "neighbourhoods, not with --walks", [&] { return walks.length == 0; });
}

std::string millions(double rate) { return format_number(rate / 1e6, kRateDigits) + " M"; }

void add_link_options(CLI::App& app, SeedSourceOptions& source, SamplingOptions& sampling) {
  app.add_option("--edges", source.edges,
                 "sample for both ends of the edges in this file instead, two nodes a line, and a "
                 "time with --temporal")
      ->type_name("FILE")
      ->excludes(app.get_option("--seeds"))
      ->group(kLinks);
  NegativeLinkOptions& negatives = source.negatives;
  app.add_option("--negatives", negatives.per_link,
                 "for each edge, draw so many with another target, each node equally likely")
      ->check(CLI::Range(0U, 100000U))
      ->group(kLinks);
  app.add_flag("--corrupt-both", negatives.both_ends, "negatives have another source, too")
      ->group(kLinks);
  app.add_flag("--no-positives", negatives.no_edges,
               "negatives are never edges of the graph nor join a node with itself")
      ->group(kLinks);
  app.add_flag("--exclude-seed-edges", sampling.hide_seed_edges,
               "draw none of the edges between the ends of the mini-batch's edges, in either "
               "direction: what is to be predicted is not seen")
      ->group(kLinks);
  go_with(app, {"--negatives", "--exclude-seed-edges"}, "--seeds edges or --edges",
          [&] { return seeds_are_links(source); });
  go_with(app, {"--corrupt-both", "--no-positives"}, "--negatives",
          [&] { return source.negatives.per_link != 0; });
}

void add_tree_options(CLI::App& app, SeedSourceOptions& source, SamplingOptions& sampling) {
  app.add_flag("--disjoint", sampling.disjoint,
               "each seed has a neighbourhood of its own: a node in two of them is there twice")
      ->group(kSampling);
  app.add_option("--temporal", sampling.temporal,
                 "uniform: only edges before the time of the seed are drawn, in all hops; last: "
                 "the newest of them; needs edges with times, implies --disjoint")
      ->check(CLI::IsMember({"none", "uniform", "last"}))
      ->group(kSampling);
  app.add_option("--seed-times", source.times,
                 "with --temporal: newest: a node's time is that of its newest edge; end: behind "
                 "all edges; or a file with the time of each of --seeds a line")
      ->type_name("TIMES")
      ->group(kSampling);
  goes_with(app.get_option("--seed-times"), "--temporal uniform or last and nodes as seeds",
            [&] { return sampling.temporal != "none" && !seeds_are_links(source); });
}

void add_walk_options(CLI::App& app, WalkOptions& walks) {
  app.add_option("--walks", walks.length,
                 "walk at random from each seed for so many steps, instead of sampling "
                 "neighbourhoods: from a node to the source of one of its edges")
      ->type_name("LENGTH")
      ->check(CLI::Range(0U, 1U << 20))
      ->group(kWalks);
  const CLI::Range weight(1e-6, 1e6);
  app.add_option("--p", walks.p,
                 "node2vec's: a step goes back to the node before with a weight of 1/P")
      ->check(weight)
      ->group(kWalks);
  app.add_option("--q", walks.q,
                 "node2vec's: to a node that is no neighbour of the node before with 1/Q")
      ->check(weight)
      ->group(kWalks);
  app.add_option("--restart", walks.restart,
                 "probability of a step back to the node where the walk began")
      ->check(CLI::Range(0.0, 0.999999))
      ->group(kWalks);
}

/// What mini-batches are sampled for, and how seeds and neighbourhoods go together.
void add_source_options(CLI::App& app, SeedSourceOptions& source, SamplingOptions& sampling,
                        std::uint32_t& batch_size) {
  app.add_option("--seeds", source.seeds,
                 "what to sample for: the nodes train, valid, test, labelled or all, edges for "
                 "both ends of all edges, or a file with the number of a node a line")
      ->type_name("SEEDS")
      ->group(kSampling);
  app.add_option("--seed-type", source.seed_type,
                 "type of the seeds in a graph of several types of nodes; if not given, that which "
                 "alone has a split, or labels")
      ->type_name("TYPE")
      ->group(kSampling);
  app.add_option("--type-fanouts", sampling.type_fanouts,
                 "fanouts of one type of edges, the others have those of --fanouts; 0 does not "
                 "follow them in that hop, a single 0 in none")
      ->type_name("SOURCE:RELATION:TARGET=FANOUTS")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->delimiter(';')
      ->group(kSampling);
  goes_with(app.add_option("--split", source.split, "which split, where the graph has several"),
            "--seeds train, valid or test",
            [&] {
              const std::string& seeds = source.seeds;
              return source.edges.empty() &&
                     (seeds == "train" || seeds == "valid" || seeds == "test");
            })
      ->group(kSampling);
  app.add_option("--batch-size", batch_size, "seeds of a mini-batch")
      ->check(CLI::Range(1U, 1U << 24))
      ->group(kSampling);
  add_tree_options(app, source, sampling);
  add_link_options(app, source, sampling);
}

/// Files that are named where words may stand.
void read_named(Run& run, const SeedSourceOptions& source) {
  constexpr std::string_view kWords[] = {"train", "valid", "test", "labelled", "all", "edges"};
  if (!source.edges.empty()) {
    run.reads(source.edges);
  } else if (std::find(std::begin(kWords), std::end(kWords), source.seeds) == std::end(kWords)) {
    run.reads(source.seeds);
  }
  if (source.times != "newest" && source.times != "end") run.reads(source.times);
}

std::optional<int> parse_level(const std::string& text) {
  if (text == "auto") return std::nullopt;
  if (text == "none") return TensorWriteOptions::kPlain;
  const std::optional<int> level = parse_number<int>(text);
  if (!level || *level < -7 || *level > 19) {
    fail(ExitStatus::usage, "--compress is '", printable(text),
         "', expected auto, none or a level from -7 to 19");
  }
  return level;
}

SampleOptions complete(const SampleCommandOptions& o, const Run& run) {
  SampleOptions sample = o.sample;
  sample.seed = run.options().seed;
  sample.history_entry = run.history_entry();
  sample.document.layout = batch_layout(o.layout);
  sample.level = parse_level(o.compression);
  sample.residence = residence_from_name(o.residence);
  sample.batches.shard = o.shard;
  sample.batches.uneven = o.uneven == "drop"     ? UnevenShards::drop
                          : o.uneven == "repeat" ? UnevenShards::repeat
                                                 : UnevenShards::keep;
  sample.output = shard_path(sample.output, o.shard);
  return sample;
}

ExitStatus run_sample(const SampleCommandOptions& o, Run& run) {
  const SampleOptions sample_options = complete(o, run);
  run.reads(sample_options.graph);
  read_named(run, sample_options.source);
  run.writes(sample_options.output);
  std::unique_ptr<Progress> progress;
  const SampleResult result = sample(
      sample_options,
      [&](std::uint64_t batches) {
        progress = run.progress("sampling", static_cast<double>(batches), "batches");
      },
      [&](std::uint64_t batches) { progress->update(static_cast<double>(batches)); });
  progress->finish();
  ordered_json& json = run.result();
  json["batches"] = result.batches;
  json["next_batch"] = result.next_batch;
  json["seeds"] = result.seeds;
  json["nodes"] = result.nodes;
  json["sampled_edges"] = result.edges;
  json["seconds"] = result.seconds;
  const double rate = static_cast<double>(result.edges) / std::max(1e-9, result.seconds);
  json["sampled_edges_per_second"] = rate;
  json["waiting_share"] = result.waiting_share;
  const std::string unit = o.sample.walks.walks.length != 0 ? " steps" : " edges";
  const std::string batches =
      result.batches == 1 ? "1 mini-batch" : std::to_string(result.batches) + " mini-batches";
  run.say(batches + ", " + std::to_string(result.edges) + unit + " in " +
          format_seconds(result.seconds) + ": " + millions(rate) + unit + "/s; the writer waited " +
          format_number(100 * result.waiting_share, 3) + " %");
  return ExitStatus::ok;
}

ordered_json figure_json(const BenchFigure& figure) {
  ordered_json json;
  json["name"] = figure.name;
  json["sampled_edges_per_second"] = figure.edges_per_second();
  json["sampled_edges_per_cpu_second"] = figure.edges_per_cpu_second();
  json["seconds"] = figure.seconds;
  json["cpu_seconds"] = figure.cpu_seconds;
  return json;
}

ExitStatus run_bench(const BenchCommandOptions& o, Run& run) {
  BenchOptions options = o.bench;
  options.seed = run.options().seed;
  options.residence = residence_from_name(o.residence);
  options.round_seconds = parse_seconds(o.round_time).value_or(0);
  run.reads(options.graph);
  read_named(run, options.source);
  std::unique_ptr<Progress> progress;
  const BenchResult result = bench(options, [&](std::uint64_t done, std::uint64_t of) {
    if (!progress) progress = run.progress("measuring", static_cast<double>(of), "rounds");
    progress->update(static_cast<double>(done));
  });
  progress->finish();
  const BenchFigure& first = result.figures.front();
  ordered_json& json = run.result();
  json["sampled_edges_per_second"] = first.edges_per_second();
  json["sampled_edges_per_cpu_second"] = first.edges_per_cpu_second();
  json["threads"] = run.threads();
  json["batches"] = first.batches;
  json["batches_of_epoch"] = result.batches_of_epoch;
  json["edges_per_batch"] = static_cast<double>(first.edges) / static_cast<double>(first.batches);
  json["nodes_per_batch"] = static_cast<double>(first.nodes) / static_cast<double>(first.batches);
  if (options.features) {
    json["feature_bytes_per_batch"] =
        static_cast<double>(first.feature_bytes) / static_cast<double>(first.batches);
  }
  json["rounds"] = options.rounds;
  json["ways"] = ordered_json::array();
  for (const BenchFigure& figure : result.figures) {
    json["ways"].push_back(figure_json(figure));
    run.say(figure.name + ": " + millions(figure.edges_per_second()) +
            (options.walks.length != 0 ? " steps/s, " : " edges/s, ") +
            millions(figure.edges_per_cpu_second()) + " a CPU second");
  }
  return ExitStatus::ok;
}

}  // namespace

Residence residence_from_name(const std::string& name) {
  if (name == "auto") return Residence::automatic;
  if (name == "memory") return Residence::memory;
  if (name == "mapped") return Residence::mapped;
  fail(ExitStatus::usage, "--residence is '", printable(name),
       "', expected auto, memory or mapped");
}

void add_residence_option(CLI::App& app, std::string& residence) {
  app.add_option("--residence", residence,
                 "where the graph is: memory (huge pages), mapped (in its file, which must be "
                 "uncompressed and may be larger than memory), auto: memory where there is room")
      ->check(CLI::IsMember({"auto", "memory", "mapped"}));
}

void add_sampling_options(CLI::App& app, SamplingOptions& s) {
  app.add_option("--fanouts", s.fanouts,
                 "neighbours to draw for a node in each hop, from the seeds outwards; -1: all")
      ->group(kSampling);
  app.add_option("--semantics", s.semantics,
                 "mfg: each hop draws anew for all nodes known so far, as SALIENT and GraphBolt; "
                 "frontier: a node's neighbours are drawn once, as in PyG")
      ->check(CLI::IsMember({"mfg", "frontier"}))
      ->group(kSampling);
  app.add_option(
         "--method", s.method,
         "uniform; weighted: by the edges' weights; labor: targets with common neighbours "
         "draw the same ones, so that a mini-batch has fewer nodes; window: every epoch puts the "
         "edges of each node in a new order, and a draw takes some that follow one "
         "another: every set is equally likely, but two draws for a node within an epoch "
         "are not independent; faster, and takes memory for copies of the graph")
      ->check(CLI::IsMember({"uniform", "weighted", "labor", "window"}))
      ->group(kSampling);
  app.add_flag("--replace", s.replace, "draw with repetition")->group(kSampling);
  app.add_option("--table", s.table,
                 "where local ids are looked up: dense (an entry a node), hash (of the size of a "
                 "mini-batch), auto: dense while it fits the cache; same result")
      ->check(CLI::IsMember({"auto", "dense", "hash"}))
      ->group(kSampling);
}

Command sample_command(SampleCommandOptions& o) {
  Command command;
  command.name = "sample";
  command.summary = "stream sampled mini-batches to a file or another program";
  command.description =
      "Samples the neighbourhoods of seeds and writes one document a mini-batch, in the order of "
      "their numbers: its nodes (seeds first), the edges of each hop as local ids, the features of "
      "all nodes and the labels of the seeds. The same seed gives the same bytes with any number "
      "of threads and any instruction set.\n\n"
      "Mini-batches: `nodes` are the numbers of nodes in the graph by local id; `hop.0.offsets` "
      "and `hop.0.neighbors` the edges into the seeds, `hop.1...` those into all nodes known by "
      "then, and so on (--layout coo: `hop.0.edge_index`, sources over targets). With --semantics "
      "frontier a hop begins with the edges of the one before, so that the last has all. "
      "`features` has a row a node, `labels` a row a seed, `edge_ids` the number of each edge in "
      "the input of import. The "
      "metadata key batch.nodes tells how many nodes are known behind each hop; `seeds` is there "
      "where seeds repeat, and has the local id of each.\n\n"
      "With --disjoint and --temporal `roots` has for each node the local id of the seed whose "
      "neighbourhood it is in, and `seed_times` the time of each seed. With edges as seeds "
      "`seeds` has two rows, the local ids of the sources and of the targets, first of the "
      "mini-batch's edges, then of the negatives of each; `edge_labels` is 1 for the former, 0 "
      "for the latter.\n\n"
      "Of a graph of several types a mini-batch has the same names behind the prefixes of the "
      "graph file: `nodes/TYPE/nodes`, `nodes/TYPE/features` of each type that has some, "
      "`nodes/TYPE/labels` of the seeds, `edges/SOURCE:RELATION:TARGET/hop.0.offsets` and so on of "
      "each type of edges that is followed. Rows are nodes of TARGET, neighbours of SOURCE; local "
      "ids are counted by type. Each hop draws edges of every type, with the fanout of that type, "
      "into all nodes of its target type that were known before the hop (mfg, as DGL), or into "
      "those that the hop before has found (frontier, as PyG's NeighborLoader of HeteroData). The "
      "metadata tell batch.seed_type, graph.node_types, graph.edge_types, and batch.nodes.TYPE of "
      "each type. With --method weighted edges of types without weights are drawn uniformly, with "
      "--temporal those of types without times whatever the time.\n\n"
      "With --walks a document has `walks` alone: a row of nodes a walk, the walks of a seed "
      "behind one another, -1 behind a node without edges. With --pinsage it has a hop whose "
      "`hop.0.weights` are shares of the visits, and features.";
  command.examples = {
      {"gnn-sample sample GRAPH --fanouts 15,10,5 --batch-size 1024 -o batches.tzs",
       "an epoch over the training nodes, to a file"},
      {"gnn-sample sample GRAPH --epochs 10 -o - | python3 train.py", "feed another program"},
      {"gnn-sample sample GRAPH --from 4000 --epochs 10 -o - | python3 train.py --resume",
       "go on behind a consumer that died"},
      {"gnn-sample sample GRAPH --temporal last --seeds nodes.txt --seed-times times.txt",
       "the newest edges before the time of each seed"},
      {"gnn-sample sample GRAPH --seeds edges --negatives 1 --exclude-seed-edges -o - | python3 "
       "links.py",
       "link prediction"},
      {"gnn-sample sample GRAPH --seed-type paper --fanouts 10,5 --type-fanouts "
       "author:writes:paper=5,5 -o batches.tzs",
       "neighbourhoods in a graph of several types"},
      {"gnn-sample sample GRAPH --seeds all --walks 40 --walks-per-node 10 --p 0.25 --q 4 -o "
       "walks.tzs",
       "node2vec's walks"},
      {"gnn-sample sample GRAPH --walks 20 --restart 0.15 --walks-per-node 50 --pinsage 10",
       "the ten nodes that matter most to each seed"},
      {"srun gnn-sample sample GRAPH --shard auto -o batches-{shard}.tzs",
       "share an epoch among processes"}};
  command.add_options = [&o](CLI::App& app) {
    SampleOptions& s = o.sample;
    app.add_option("graph", s.graph, "graph of import or generate")->required()->type_name("GRAPH");
    app.add_option("-o,--output", s.output, "stream of mini-batches")->type_name("BATCHES");
    add_sampling_options(app, s.sampling);
    add_source_options(app, s.source, s.sampling, s.batches.batch_size);
    add_walk_options(app, s.walks.walks);
    app.add_option("--walks-per-node", s.walks.walks_per_node, "walks from each seed")
        ->check(CLI::Range(1U, 1U << 20))
        ->group(kWalks);
    app.add_option("--pinsage", s.walks.most_visited,
                   "instead of the walks write for each seed this many of the nodes that they met "
                   "most often, as a hop of weighted edges (PinSAGE); 0: the walks")
        ->check(CLI::Range(0U, 1U << 20))
        ->group(kWalks);
    go_with(app, {"--walks-per-node", "--pinsage"}, "--walks",
            [&] { return s.walks.walks.length != 0; });
    app.add_flag("--edge-ids", s.sampling.edge_ids, "write the number of each edge, too")
        ->group(kSampling);
    app.add_option("--epochs", s.batches.epochs, "passes over the seeds")
        ->check(CLI::PositiveNumber)
        ->group(kSampling);
    app.add_flag("--shuffle,!--no-shuffle", s.batches.shuffle, "a new order of seeds each epoch")
        ->default_str("true")
        ->group(kSampling);
    app.add_flag("--drop-last", s.batches.drop_last,
                 "leave out an epoch's last mini-batch where it is smaller")
        ->group(kSampling);
    app.add_option("--from", s.batches.first, "number of the first mini-batch to write")
        ->group(kSampling);
    goes_with(
        app.add_option("--uneven-shards", o.uneven,
                       "where the mini-batches of an epoch do not divide by the parts of "
                       "--shard: keep: some parts have one more; drop: the last ones are left "
                       "out; repeat: the first seeds come again. With drop and repeat all "
                       "parts have as many, as distributed training needs"),
        "--shard", [&app] { return app.get_option("--shard")->count() != 0; })
        ->check(CLI::IsMember({"keep", "drop", "repeat"}))
        ->group(kSampling);
    app.add_option("--batches", s.max_batches, "mini-batches to write at most; 0: all")
        ->group(kSampling);
    app.add_option("--layout", o.layout, "edges of a hop as csr or coo")
        ->check(CLI::IsMember({"csr", "coo"}));
    app.add_flag("--features,!--no-features", s.document.features,
                 "write the features of all nodes of a mini-batch")
        ->default_str("true");
    app.add_flag("--labels,!--no-labels", s.document.labels, "write the labels of the seeds")
        ->default_str("true");
    app.add_flag("--wide-ids", s.document.wide_ids,
                 "ids of 64 bits: twice the bytes, but PyTorch indexes with them as they are");
    app.add_option("--compress", o.compression,
                   "none, a level from -7 to 19, or auto: 1 for files, none for pipes")
        ->type_name("LEVEL");
    add_residence_option(app, o.residence);
    add_walk_conditions(app, s.walks.walks);
    go_with(app, {"--layout", "--labels"}, "neighbourhoods, not with --walks",
            [&] { return s.walks.walks.length == 0; });
    goes_with(app.get_option("--features"), "neighbourhoods or --pinsage, not with --walks alone",
              [&] { return s.walks.walks.length == 0 || s.walks.most_visited != 0; });
    goes_with(app.get_option("--labels"), "nodes as seeds, not with edges",
              [&] { return !seeds_are_links(s.source); });
  };
  command.uses = {.seed = true, .device = true};
  command.shard = &o.shard;
  command.run = [&o](Run& run) { return run_sample(o, run); };
  return command;
}

Command bench_command(BenchCommandOptions& o) {
  Command command;
  command.name = "bench";
  command.summary = "measure how many edges a second are sampled";
  command.description =
      "Samples mini-batches without output, in each round the same: an epoch, or the first of it "
      "that fit into --round-time. It says the median of the rounds; with --features they are "
      "gathered, too. With --ladder also with the optimisations "
      "switched on one after the other, from none to all, and with each of them alone switched off "
      "or replaced; in turn, round by round, so that a machine that slows down slows all of them.";
  command.examples = {{"gnn-sample bench GRAPH --fanouts 15,10,5 --batch-size 1024 --json",
                       "sampled edges per second"},
                      {"gnn-sample bench GRAPH --ladder --features", "what each trick is worth"}};
  command.add_options = [&o](CLI::App& app) {
    BenchOptions& b = o.bench;
    app.add_option("graph", b.graph, "graph of import or generate")->required()->type_name("GRAPH");
    add_sampling_options(app, b.sampling);
    add_source_options(app, b.source, b.sampling, b.batch_size);
    add_walk_options(app, b.walks);
    app.add_flag("--edge-ids", b.sampling.edge_ids, "keep the place of each edge, too")
        ->group(kSampling);
    goes_with(
        check_duration(app.add_option(
            "--round-time", o.round_time,
            "a round has as many mini-batches as the first, untimed one did in this time, at most "
            "an epoch; 0: an epoch")),
        "--batches 0", [&b] { return b.max_batches == 0; });
    app.add_option("--batches", b.max_batches, "mini-batches of a round; 0: by --round-time");
    app.add_option("--rounds", b.rounds, "rounds to take the median of")
        ->check(CLI::Range(1U, 1000U));
    app.add_flag("--features", b.features, "also gather the features of all nodes of a mini-batch");
    app.add_flag("--ladder", b.ladder,
                 "also with the optimisations switched on one by one, and each switched off");
    add_residence_option(app, o.residence);
    add_walk_conditions(app, b.walks);
    goes_with(app.get_option("--features"), "neighbourhoods, not with --walks",
              [&] { return b.walks.length == 0; });
  };
  command.uses = {.seed = true, .device = true};
  command.run = [&o](Run& run) { return run_bench(o, run); };
  return command;
}

}  // namespace frugal::gnn
