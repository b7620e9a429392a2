#include "tools/robe-compress/embedding/table_set.h"

#include <utility>

namespace frugal {

TableSet::TableSet(std::vector<TableShape> tables, std::size_t dim)
    : tables_(std::move(tables)), dim_(dim) {
  for (const TableShape& table : tables_) first_rows_.push_back(first_rows_.back() + table.rows);
}

}  // namespace frugal
