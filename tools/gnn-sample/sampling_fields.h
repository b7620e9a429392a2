#pragma once
#include "libcore/options/option_fields.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/sampler/random_walk.h"
#include "tools/gnn-sample/sampling_options.h"
#include "tools/gnn-sample/seed_source.h"

namespace frugal::gnn {

void describe_residence(const OptionFields& fields, Residence& residence);
/// --fanouts, --semantics ...: how neighbours are drawn.
void describe_sampling(const OptionFields& fields, SamplingOptions& sampling);
/// What mini-batches are sampled for, and how seeds and neighbourhoods go together.
void describe_seeds(const OptionFields& fields, SeedSourceOptions& source,
                    SamplingOptions& sampling, std::uint32_t& batch_size);
void describe_walks(const OptionFields& fields, WalkOptions& walks);
/// What options of walks need; those of neighbourhoods do nothing for walks.
void describe_walk_conditions(const OptionFields& fields, const WalkOptions& walks);

bool seeds_are_links(const SeedSourceOptions& source);

}  // namespace frugal::gnn
