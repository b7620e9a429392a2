#pragma once
#include <cstddef>
#include <memory>

#include "tools/tgn-train/network/embedding_layer.h"

namespace frugal::tgn {

/// Makes layer number `layer` of the embedding module that the options name.
std::unique_ptr<EmbeddingLayer> make_embedding_layer(const TgnOptions& options,
                                                     const TgnInputs& inputs, std::size_t layer);

}  // namespace frugal::tgn
