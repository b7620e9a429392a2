#pragma once
#include <memory>

#include "libcore/embedding/embedding.h"

namespace frugal::robe {

/// Whether tables that are kept so can get more rows: rows of their own, or blocks of one array.
bool can_grow(const Embedding& embedding);

/// The embedding with tables that have more rows behind those of all. Rows that there were stay as
/// they are. New ones share the array, or begin as row 0 of their table, which answers for unknown
/// categories. can_grow().
std::unique_ptr<Embedding> grow_tables(std::unique_ptr<Embedding> embedding,
                                       const TableSet& tables);

}  // namespace frugal::robe
