#pragma once
#include <cstddef>
#include <memory>

#include "tools/tgn-train/network/embedding_layer.h"
#include "tools/tgn-train/network/pair_network.h"

namespace frugal::tgn {

/// Makes layer number `layer` of the embedding module that the options name.
std::unique_ptr<EmbeddingLayer> make_embedding_layer(const TgnOptions& options,
                                                     const TgnInputs& inputs, std::size_t layer);

/// Makes the network that the options name (TgnOptions::embeds_pairs()).
std::unique_ptr<PairNetwork> make_pair_network(const TgnOptions& options, const TgnInputs& inputs);

}  // namespace frugal::tgn
