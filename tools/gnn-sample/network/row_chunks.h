#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>

#include "libcore/nn/row_store.h"

namespace frugal::gnn {

/// Rows that are worked on at a time: inputs, outputs and weights of 256 of them stay in a
/// second-level cache of 2 MB.
inline constexpr std::size_t kChunkRows = 256;

/// Calls body(begin, end) for the chunks of rows [0, n), on all threads in any order.
void for_each_chunk(std::size_t n, const std::function<void(std::size_t, std::size_t)>& body);

/// Calls body(group, begin, end) for the chunks of rows [0, n), which are split into at most
/// Weights::kGroups groups: one thread takes the chunks of a group, in order. Groups depend on n
/// alone.
void for_each_grouped_chunk(std::size_t n,
                            const std::function<void(std::size_t, std::size_t, std::size_t)>& body);

}  // namespace frugal::gnn
