#include "libcore/embedding/table_set.h"

#include <utility>

namespace frugal {

TableSet::TableSet(std::vector<TableShape> tables, std::size_t dim)
    : tables_(std::move(tables)), dim_(dim) {
  for (const TableShape& table : tables_) first_rows_.push_back(first_rows_.back() + table.rows);
}

bool same_tables(const TableSet& a, const TableSet& b) {
  if (a.size() != b.size() || a.dim() != b.dim()) return false;
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (a.table(t).name != b.table(t).name || a.table(t).rows != b.table(t).rows) return false;
  }
  return true;
}

}  // namespace frugal
