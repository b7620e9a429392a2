#pragma once
#include <string>
#include <vector>

#include "libcore/options/option_fields.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"
#include "tools/gnn-sample/sampler/random_walk.h"
#include "tools/gnn-sample/settings/sampling_settings.h"

namespace frugal::gnn {

/// Options of a sampler, after checks that fail (usage). seed: the run's.
NeighborSamplerOptions sampler_options(const SamplingOptions& options, std::uint32_t batch_size,
                                       std::uint64_t seed);

/// Index in the graph's content of the node type with that name. "": the only one with a split or,
/// if there is none, the only one with labels. Fails (usage).
std::size_t find_seed_type(const StoredGraph& graph, const std::string& name);

/// Help of FILE:PART, the last form that --seeds and --nodes take.
inline constexpr char kPartHelp[] =
    "FILE:PART, the nodes of part PART (from 0) in a file written by gnn-sample partition";
/// The nodes that `seeds` names: train, valid, test, labelled, all, a file with a node in each line
/// (NodeLookup), or nodes_of_part(). type: index of their type. Fails if there are none.
std::vector<NodeId> find_seeds(const StoredGraph& graph, const std::string& seeds,
                               std::uint64_t split, std::size_t type = 0);

/// packs: with the value packed.
void describe_residence(const OptionFields& fields, Residence& residence, bool packs = false);
/// Describes --fanouts, --semantics and other options of drawing neighbours. typed: with fanouts
/// for single edge types.
void describe_sampling(const OptionFields& fields, SamplingOptions& sampling, bool typed);
/// Describes the options of seeds and mini-batches, and of how neighbourhoods treat seeds.
void describe_seeds(const OptionFields& fields, SeedSourceOptions& source,
                    SamplingOptions& sampling, std::uint32_t& batch_size);
void describe_walks(const OptionFields& fields, WalkOptions& walks);
/// Adds conditions: options of walks require --walks, and options of neighbourhoods exclude it.
void describe_walk_conditions(const OptionFields& fields, const WalkOptions& walks);

bool seeds_are_links(const SeedSourceOptions& o);

}  // namespace frugal::gnn
