#include "tools/gnn-sample/settings/sampling_options.h"

#include <algorithm>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/line_reader.h"
#include "libcore/tables/column_roles.h"
#include "tools/gnn-sample/data/node_lookup.h"
#include "tools/gnn-sample/data/node_parts.h"

namespace frugal::gnn {
namespace {

struct NamedPart {
  std::string_view name;
  Part part;
};
constexpr NamedPart kParts[] = {
    {"train", Part::train}, {"valid", Part::valid}, {"test", Part::test}};

std::vector<NodeId> labelled_nodes(const NodeSet& set) {
  std::vector<NodeId> nodes;
  for (std::size_t v = 0; v < set.size; ++v) {
    if (set.is_labelled(static_cast<NodeId>(v))) nodes.push_back(static_cast<NodeId>(v));
  }
  return nodes;
}

bool is_name_of_nodes(std::string_view line) {
  return !line.empty() &&
         (line == "node" || line == "name" || line == "nodes" ||
          is_usual_name(ColumnRole::row_id, line) || is_usual_name(ColumnRole::source, line));
}

/// A node a line; quotes around one are not part of it. A first line may be the column's name.
std::vector<NodeId> read_nodes(const std::string& path, const NodeSet& set) {
  const NodeLookup lookup(set);
  std::vector<NodeId> nodes;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    const std::optional<NodeId> node = lookup.find_field(trim(line));
    if (!node && reader.line_number() == 1 && is_name_of_nodes(trim(line))) continue;
    if (!node && line.find("\"frugal.kind\":\"partition\"") != line.npos) {
      fail(ExitStatus::usage, path, ": is a partition, expected ", path,
           ":PART with the number of a part, from 0");
    }
    if (!node) {
      fail(ExitStatus::bad_input, reader.place(), ": expected ", lookup.expected(), ", found '",
           printable(line), "'");
    }
    nodes.push_back(*node);
  }
  return nodes;
}

TableKind table_kind(const std::string& name) {
  if (name == "auto") return TableKind::automatic;
  if (name == "dense") return TableKind::dense;
  if (name == "hash") return TableKind::hash;
  fail(ExitStatus::usage, "--table is '", printable(name), "', expected auto, dense or hash");
}

/// Fails (usage) if an option does not go with the method of drawing.
void check_places(const SamplingOptions& o) {
  if (o.temporal != "none" && o.temporal != "uniform" && o.temporal != "last") {
    fail(ExitStatus::usage, "--temporal is '", printable(o.temporal),
         "', expected none, uniform or last");
  }
  if (o.method != "uniform" && (o.temporal != "none" || o.hide_seed_edges)) {
    fail(ExitStatus::usage, o.temporal != "none" ? "--temporal" : "--exclude-seed-edges",
         " goes with --method uniform alone, found ", o.method);
  }
  if ((o.method == "labor" || o.method == "window") && o.replace) {
    fail(ExitStatus::usage, "--method ", o.method,
         " draws without repetition: leave out --replace");
  }
  if (o.method == "window" && o.edge_ids) {
    fail(ExitStatus::usage, "--method window forgets which edge is which: leave out --edge-ids");
  }
  if (o.temporal == "last" && o.replace) {
    fail(ExitStatus::usage, "--temporal last draws without repetition: leave out --replace");
  }
}

}  // namespace

NeighborSamplerOptions sampler_options(const SamplingOptions& options, std::uint32_t batch_size,
                                       std::uint64_t seed) {
  NeighborSamplerOptions sampler;
  sampler.fanouts = parse_fanouts(options.fanouts, "--fanouts");
  if (options.semantics != "mfg" && options.semantics != "frontier") {
    fail(ExitStatus::usage, "--semantics is '", printable(options.semantics),
         "', expected mfg or frontier");
  }
  sampler.semantics = options.semantics == "mfg" ? Semantics::mfg : Semantics::frontier;
  sampler.seed = seed;
  sampler.max_seeds = batch_size;
  sampler.edge_positions = options.edge_ids;
  check_places(options);
  sampler.disjoint = options.disjoint || options.temporal != "none";
  sampler.table = table_kind(options.table);
  sampler.prefetch = options.prefetch;
  return sampler;
}

std::size_t find_seed_type(const StoredGraph& graph, const std::string& name) {
  if (!graph.heterogeneous() && name.empty()) return 0;
  const std::vector<NodeSet>& nodes = graph.content().nodes;
  std::vector<std::string> names;
  std::vector<std::size_t> named, split, labelled;
  for (std::size_t t = 0; t < nodes.size(); ++t) {
    names.push_back(nodes[t].type);
    if (!name.empty() && nodes[t].type == name) named.push_back(t);
    if (!nodes[t].splits.empty()) split.push_back(t);
    if (nodes[t].has_labels()) labelled.push_back(t);
  }
  const auto& found = !name.empty() ? named : !split.empty() ? split : labelled;
  if (found.size() == 1) return found.front();
  if (!graph.heterogeneous()) {
    fail(ExitStatus::usage, "--seed-type is '", printable(name), "', but ", graph.path(),
         " has nodes of one type alone");
  }
  fail(ExitStatus::usage, "--seed-type ",
       name.empty() ? "is missing" : "is '" + printable(name) + "'",
       ", expected one of the types of nodes of ", graph.path(), ": ", joined(names));
}

std::vector<NodeId> find_seeds(const StoredGraph& graph, const std::string& seeds,
                               std::uint64_t split, std::size_t type) {
  const NodeSet& set = graph.content().nodes[type];
  std::vector<NodeId> nodes;
  std::string empty = graph.path() + ": there is no node in '" + printable(seeds) + "'";
  const NamedPart* split_part = std::find_if(std::begin(kParts), std::end(kParts),
                                             [&](const auto& part) { return part.name == seeds; });
  if (seeds == "all") {
    nodes.resize(set.size);
    std::iota(nodes.begin(), nodes.end(), NodeId{0});
  } else if (seeds == "labelled") {
    nodes = labelled_nodes(set);
  } else if (split_part != std::end(kParts)) {
    nodes = graph.nodes_in(split_part->part, split, type);
  } else if (auto part = nodes_of_part(seeds, graph, type)) {
    nodes = std::move(*part);
    empty = printable(seeds) + ": the part has no node of this type";
  } else {
    nodes = read_nodes(seeds, set);
    empty = seeds + ": is empty, expected a node a line";
  }
  if (nodes.empty()) fail(ExitStatus::bad_input, empty);
  return nodes;
}

namespace {

constexpr char kSampling[] = "Sampling";
constexpr char kWalks[] = "Random walks";
constexpr char kLinks[] = "Edges as seeds";

void add_link_options(const OptionFields& fields, SeedSourceOptions& source,
                      SamplingOptions& sampling) {
  const OptionFields f = fields.group(kLinks);
  f.add("--edges", source.edges,
        "file of edges whose both ends are the seeds, instead of --seeds. A line has two nodes, "
        "named as in the input of import, and a time with --temporal (a date if those of the "
        "graph's "
        "edges were dates)")
      .metavar("FILE")
      .excludes("seeds");
  NegativeLinkOptions& negatives = source.negatives;
  f.add("--negatives", negatives.per_link,
        "number of negatives to draw for each edge; their target is drawn uniformly from all nodes "
        "and may be the edge's own (--no-positives: never)")
      .range(0U, 100000U);
  f.add("--corrupt-both", negatives.both_ends, "also draw another source for negatives");
  f.add("--no-positives", negatives.no_edges,
        "never draw an edge of the graph, or a node with itself, as a negative");
  f.add("--exclude-seed-edges", sampling.hide_seed_edges,
        "do not sample edges between the ends of the mini-batch's edges, in either direction, so "
        "that the network cannot see the edges it predicts");
  f.go_with({"--negatives", "--exclude-seed-edges"}, "--seeds edges or --edges",
            [&] { return seeds_are_links(source); });
  f.go_with({"--corrupt-both", "--no-positives"}, "--negatives",
            [&] { return source.negatives.per_link != 0; });
}

void add_tree_options(const OptionFields& fields, SeedSourceOptions& source,
                      SamplingOptions& sampling) {
  const OptionFields f = fields.group(kSampling);
  f.add("--disjoint", sampling.disjoint,
        "give each seed a neighbourhood of its own; a node in two of them appears twice");
  f.add("--temporal", sampling.temporal,
        "how the times of edges limit sampling; implies --disjoint. uniform: any edge before the "
        "time of the seed, in all hops. last: the newest of them")
      .choices({"none", "uniform", "last"});
  f.add("--seed-times", source.times,
        "times of the seeds with --temporal. newest: the time of a node's newest edge. end: after "
        "all edges. Or a file with one time a line, for each node of --seeds; a date if the times "
        "of "
        "edges were dates, otherwise a number")
      .metavar("TIMES");
  f.field("--seed-times").goes_with("--temporal uniform or last and nodes as seeds", [&] {
    return sampling.temporal != "none" && !seeds_are_links(source);
  });
}

}  // namespace

bool seeds_are_links(const SeedSourceOptions& o) { return !o.edges.empty() || o.seeds == "edges"; }

void describe_residence(const OptionFields& f, Residence& residence, bool packs) {
  std::string help =
      "where the graph is stored. memory: in RAM, in huge pages. mapped: in its file, which must "
      "be uncompressed and may be larger than RAM. auto: memory if there is room";
  if (packs) {
    help +=
        ". packed: features in its file; training reads frequent rows from RAM and the others "
        "packed by mini-batch, from a file in TMPDIR or /var/tmp";
  }
  const auto names = std::span(kTrainResidenceNames).first(packs ? 4 : 3);
  f.add("--residence", residence, names, help).keeps_result();
}

namespace {

constexpr char kFanoutsHelp[] =
    "number of neighbours to draw in each hop, from the seeds outwards; -1: all";

/// Describes --fanouts with values for single edge types.
void describe_typed_fanouts(const OptionFields& f, SamplingOptions& s) {
  f.add_typed("--fanouts", bind_value(s.fanouts), s.type_fanouts,
              std::string(kFanoutsHelp) +
                  ". For one type of edges, SOURCE:RELATION:TARGET=10,5. There, 0 does not follow "
                  "these edges in that hop, and a single 0 in none")
      .metavar("[TYPE=]N,...");
}

}  // namespace

void describe_sampling(const OptionFields& fields, SamplingOptions& s, bool typed) {
  const OptionFields f = fields.group(kSampling);
  if (typed) {
    describe_typed_fanouts(f, s);
  } else {
    f.add("--fanouts", s.fanouts, kFanoutsHelp);
  }
  f.add("--semantics", s.semantics,
        "which nodes a hop draws neighbours for. mfg: all nodes found so far, anew in each hop, as "
        "in SALIENT and GraphBolt. frontier: each node once, as in PyG")
      .choices({"mfg", "frontier"});
  f.add("--method", s.method,
        "how neighbours are drawn. uniform: each equally likely. weighted: by the weights of "
        "edges. labor: targets with common neighbours draw the same ones, so that mini-batches "
        "have fewer nodes. There, a random number for each source decides, which copies of an edge "
        "share: the first of them are preferred (import --duplicates remove). window: each epoch "
        "shuffles the edges of a node, and a draw takes "
        "consecutive ones. window is faster and needs memory for copies of the graph. Every set is "
        "equally likely, but draws for the same node within an epoch are not independent")
      .choices({"uniform", "weighted", "labor", "window"});
  f.add("--replace", s.replace, "draw with replacement");
  f.add("--table", s.table,
        "lookup table of local ids; it changes only the speed. dense: an entry for each node of "
        "the graph. hash: the size of a mini-batch. auto: dense if it fits the cache")
      .choices({"auto", "dense", "hash"})
      .keeps_result();
}

void describe_seeds(const OptionFields& fields, SeedSourceOptions& source,
                    SamplingOptions& sampling, std::uint32_t& batch_size) {
  const OptionFields f = fields.group(kSampling);
  f.add("--seeds", source.seeds,
        std::string("nodes to sample neighbourhoods of: train, valid, test, labelled or all; "
                    "edges: both ends of all edges; a file with one node a line, named as in the "
                    "input of import; or ") +
            kPartHelp)
      .metavar("SEEDS");
  f.add("--seed-type", source.seed_type,
        "type of the seeds in a graph of several types of nodes; default: the only type with a "
        "split, or with labels")
      .metavar("TYPE");
  f.add("--split", source.split, "number of the split to use, from 0, if the graph has several")
      .goes_with("--seeds train, valid or test", [&] {
        const std::string& seeds = source.seeds;
        return source.edges.empty() && (seeds == "train" || seeds == "valid" || seeds == "test");
      });
  f.add("--batch-size", batch_size, "number of seeds in a mini-batch").range(1U, 1U << 24);
  add_tree_options(fields, source, sampling);
  add_link_options(fields, source, sampling);
}

void describe_walks(const OptionFields& fields, WalkOptions& walks) {
  const OptionFields f = fields.group(kWalks);
  f.add("--walks", walks.length,
        "length of random walks from each seed, in steps, instead of sampling neighbourhoods. A "
        "step goes from a node to the source of one of its edges")
      .metavar("LENGTH")
      .range(0U, 1U << 20);
  f.add("--p", walks.p,
        "node2vec's return parameter: returning to the previous node has weight 1/P")
      .range(1e-6, 1e6);
  f.add("--q", walks.q,
        "node2vec's in-out parameter: a node that is no neighbour of the previous node has weight "
        "1/Q")
      .range(1e-6, 1e6);
  f.add("--restart", walks.restart, "probability that a step returns to the start of the walk")
      .range(0.0, 0.999999);
}

void describe_walk_conditions(const OptionFields& f, const WalkOptions& walks) {
  f.go_with({"--p", "--q", "--restart"}, "--walks", [&] { return walks.length != 0; });
  f.go_with({"--fanouts", "--semantics", "--method", "--replace", "--table", "--disjoint",
             "--temporal", "--edge-ids"},
            "neighbourhoods, not with --walks", [&] { return walks.length == 0; });
}

}  // namespace frugal::gnn
