#pragma once
#include "libcore/kernels/kernels.h"

namespace frugal::bench {

/// Vectors, optimiser steps and conversions in the first-level cache and beyond.
void vector_cases(const Kernels& kernels);
/// Embedding bags over a table larger than the caches.
void row_cases(const Kernels& kernels);
/// Sweeps over the examples of a node of a label tree, with weights in the caches.
void dual_cases(const Kernels& kernels);
/// Dots of all pairs of a sample's embeddings.
void pair_cases(const Kernels& kernels);
/// What temporal graph networks are made of beside products.
void temporal_cases(const Kernels& kernels);
/// Products at the shapes that training meets; `kernels` is the level in use.
void product_cases(const Kernels& kernels);

}  // namespace frugal::bench
