#include "tools/gnn-sample/sampling_fields.h"

namespace frugal::gnn {
namespace {

constexpr char kSampling[] = "Sampling";
constexpr char kWalks[] = "Random walks";
constexpr char kLinks[] = "Edges as seeds";

void add_link_options(const OptionFields& fields, SeedSourceOptions& source,
                      SamplingOptions& sampling) {
  const OptionFields f = fields.group(kLinks);
  f.add("--edges", source.edges,
        "sample for both ends of the edges in this file instead, two nodes a line, and a "
        "time with --temporal")
      .metavar("FILE")
      .excludes("seeds");
  NegativeLinkOptions& negatives = source.negatives;
  f.add("--negatives", negatives.per_link,
        "for each edge, draw so many with another target, each node equally likely")
      .range(0U, 100000U);
  f.add("--corrupt-both", negatives.both_ends, "negatives have another source, too");
  f.add("--no-positives", negatives.no_edges,
        "negatives are never edges of the graph nor join a node with itself");
  f.add("--exclude-seed-edges", sampling.hide_seed_edges,
        "draw none of the edges between the ends of the mini-batch's edges, in either "
        "direction: what is to be predicted is not seen");
  f.go_with({"--negatives", "--exclude-seed-edges"}, "--seeds edges or --edges",
            [&] { return seeds_are_links(source); });
  f.go_with({"--corrupt-both", "--no-positives"}, "--negatives",
            [&] { return source.negatives.per_link != 0; });
}

void add_tree_options(const OptionFields& fields, SeedSourceOptions& source,
                      SamplingOptions& sampling) {
  const OptionFields f = fields.group(kSampling);
  f.add("--disjoint", sampling.disjoint,
        "each seed has a neighbourhood of its own: a node in two of them is there twice");
  f.add("--temporal", sampling.temporal,
        "which edges are drawn by time, with --disjoint: uniform: any before the time of the "
        "seed, in all hops; last: the newest of them")
      .choices({"none", "uniform", "last"});
  f.add("--seed-times", source.times,
        "times of seeds with --temporal: newest: of a node's newest edge; end: after all edges; "
        "or a file with the time of each of --seeds a line")
      .metavar("TIMES");
  f.field("--seed-times").goes_with("--temporal uniform or last and nodes as seeds", [&] {
    return sampling.temporal != "none" && !seeds_are_links(source);
  });
}

}  // namespace

bool seeds_are_links(const SeedSourceOptions& o) { return !o.edges.empty() || o.seeds == "edges"; }

void describe_residence(const OptionFields& f, Residence& residence) {
  f.add("--residence", residence, kResidenceNames,
        "where the graph is: memory (huge pages), mapped (in its file, which must be "
        "uncompressed and may be larger than memory), auto: memory where there is room")
      .keeps_result();
}

void describe_sampling(const OptionFields& fields, SamplingOptions& s) {
  const OptionFields f = fields.group(kSampling);
  f.add("--fanouts", s.fanouts,
        "neighbours to draw for a node in each hop, from the seeds outwards; -1: all");
  f.add("--semantics", s.semantics,
        "for which nodes a hop draws: mfg: anew for all nodes known so far, as in SALIENT and "
        "GraphBolt; frontier: once for each node, as in PyG")
      .choices({"mfg", "frontier"});
  f.add("--method", s.method,
        "how neighbours are drawn: uniform; weighted: by the edges' weights; labor: targets with "
        "common neighbours draw the same ones, for fewer nodes a mini-batch; window: every epoch "
        "puts a node's edges in a new order, and a draw takes some in a row. window is faster "
        "and takes memory for copies of the graph. Every set is equally likely, but two draws "
        "for a node within an epoch are not independent")
      .choices({"uniform", "weighted", "labor", "window"});
  f.add("--replace", s.replace, "draw with repetition");
  f.add("--table", s.table,
        "where local ids are looked up: dense (an entry a node), hash (of the size of a "
        "mini-batch), auto: dense while it fits the cache; same result")
      .choices({"auto", "dense", "hash"})
      .keeps_result();
}

void describe_seeds(const OptionFields& fields, SeedSourceOptions& source,
                    SamplingOptions& sampling, std::uint32_t& batch_size) {
  const OptionFields f = fields.group(kSampling);
  f.add("--seeds", source.seeds,
        "what to sample for: the nodes train, valid, test, labelled or all; edges: both ends of "
        "all edges; or a file with a node's number a line")
      .metavar("SEEDS");
  f.add("--seed-type", source.seed_type,
        "type of the seeds in a graph of several types of nodes (the only one with a split, or "
        "labels)")
      .metavar("TYPE");
  f.add("--type-fanouts", sampling.type_fanouts,
        "fanouts of one type of edges; the others have --fanouts; 0 does not follow them in that "
        "hop, a single 0 in none")
      .metavar("SOURCE:RELATION:TARGET=FANOUTS")
      .accumulates()
      .delimiter(';');
  f.add("--split", source.split, "number of the split, where the graph has several")
      .goes_with("--seeds train, valid or test", [&] {
        const std::string& seeds = source.seeds;
        return source.edges.empty() && (seeds == "train" || seeds == "valid" || seeds == "test");
      });
  f.add("--batch-size", batch_size, "seeds of a mini-batch").range(1U, 1U << 24);
  add_tree_options(fields, source, sampling);
  add_link_options(fields, source, sampling);
}

void describe_walks(const OptionFields& fields, WalkOptions& walks) {
  const OptionFields f = fields.group(kWalks);
  f.add("--walks", walks.length,
        "walk so many random steps from each seed, instead of sampling neighbourhoods: from a "
        "node to the source of one of its edges")
      .metavar("LENGTH")
      .range(0U, 1U << 20);
  f.add("--p", walks.p, "node2vec's: a step goes back to the node before with a weight of 1/P")
      .range(1e-6, 1e6);
  f.add("--q", walks.q, "node2vec's: to a node that is no neighbour of the node before with 1/Q")
      .range(1e-6, 1e6);
  f.add("--restart", walks.restart, "probability of a step back to the node where the walk began")
      .range(0.0, 0.999999);
}

void describe_walk_conditions(const OptionFields& f, const WalkOptions& walks) {
  f.go_with({"--p", "--q", "--restart"}, "--walks", [&] { return walks.length != 0; });
  f.go_with({"--fanouts", "--type-fanouts", "--semantics", "--method", "--replace", "--table",
             "--disjoint", "--temporal", "--edge-ids"},
            "neighbourhoods, not with --walks", [&] { return walks.length == 0; });
}

}  // namespace frugal::gnn
