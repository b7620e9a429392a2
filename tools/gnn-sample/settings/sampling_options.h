#pragma once
#include <string>
#include <vector>

#include "libcore/options/option_fields.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"
#include "tools/gnn-sample/sampler/random_walk.h"
#include "tools/gnn-sample/settings/sampling_settings.h"

namespace frugal::gnn {

/// Checked; `seed` is the run's. Fails (usage).
NeighborSamplerOptions sampler_options(const SamplingOptions& options, std::uint32_t batch_size,
                                       std::uint64_t seed);

/// The number, in the content of the graph, of the type of nodes with that name; "" is the only one
/// that has a split, or if none has one the only one with labels. Fails (usage).
std::size_t find_seed_type(const StoredGraph& graph, const std::string& name);

/// The nodes that `seeds` names: train, valid, test, labelled, all, or a file with a node a line
/// (NodeLookup); of the type with that number. Fails where there are none.
std::vector<NodeId> find_seeds(const StoredGraph& graph, const std::string& seeds,
                               std::uint64_t split, std::size_t type = 0);

void describe_residence(const OptionFields& fields, Residence& residence);
/// --fanouts, --semantics ...: how neighbours are drawn.
/// typed: fanouts of types of edges, too.
void describe_sampling(const OptionFields& fields, SamplingOptions& sampling, bool typed);
/// What mini-batches are sampled for, and how seeds and neighbourhoods go together.
void describe_seeds(const OptionFields& fields, SeedSourceOptions& source,
                    SamplingOptions& sampling, std::uint32_t& batch_size);
void describe_walks(const OptionFields& fields, WalkOptions& walks);
/// What options of walks need; those of neighbourhoods do nothing for walks.
void describe_walk_conditions(const OptionFields& fields, const WalkOptions& walks);

bool seeds_are_links(const SeedSourceOptions& o);

}  // namespace frugal::gnn
