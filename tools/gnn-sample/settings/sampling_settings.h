#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace frugal::gnn {

/// Sampling options that several commands have.
struct SamplingOptions {
  std::string fanouts = "15,10,5";
  std::vector<std::string> type_fanouts;  ///< of some types of edges: SOURCE:RELATION:TARGET=10,5
  std::string semantics = "mfg";          ///< or frontier
  std::string method = "uniform";         ///< weighted, labor or window
  bool replace = false;                   ///< draw with repetition
  std::string table = "auto";             ///< or dense, hash
  bool prefetch = true;
  bool edge_ids = false;
  bool disjoint = false;          ///< each seed has a neighbourhood of its own
  std::string temporal = "none";  ///< uniform or last of the edges before the seed's time
  bool hide_seed_edges = false;   ///< leave out the edges that are seeds
};

/// How links that do not exist are drawn for each link to predict.
struct NegativeLinkOptions {
  std::uint32_t per_link = 0;  ///< negatives of each link
  bool both_ends = false;      ///< replace both ends, not the target alone
  bool no_edges = false;       ///< never an edge of the graph, nor from a node to itself
  bool sources_ascend = true;  ///< in the rows of the graph
};

/// Options for the seeds that mini-batches are sampled for.
struct SeedSourceOptions {
  /// train, valid, test, labelled, all (nodes), edges (of the graph), or a file with a node a line
  std::string seeds = "train";
  std::string seed_type;    ///< of nodes, where there are several types (find_seed_type())
  std::uint64_t split = 0;  ///< which of several
  std::string edges;        ///< a file with the ends of a link a line, instead of `seeds`
  NegativeLinkOptions negatives;
  bool temporal = false;  ///< seeds have times
  /// newest: the time of a node's newest edge; end: behind all; or a file with a time a line. Links
  /// have times of their own.
  std::string times = "newest";
};

}  // namespace frugal::gnn
