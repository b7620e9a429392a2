#pragma once
#include <cstddef>
#include <span>

#include "libcore/tables/table_head.h"

namespace frugal::sparse {

/// Whether the values of two columns stand for each other in all rows, one to one: 0 always beside
/// "negative", 1 always beside "positive". Rows in which one of them is missing do not count.
/// Twenty rows with two values at least are needed, and each value must occur twice on average.
bool are_copies(std::span<const TableRow> rows, std::size_t a, std::size_t b);

}  // namespace frugal::sparse
