#include "libcore/embedding/table_set.h"

#include <algorithm>
#include <utility>

namespace frugal {

TableSet::TableSet(std::vector<TableShape> tables, std::size_t dim)
    : tables_(std::move(tables)), dim_(dim) {
  std::uint64_t behind = 0, all = 0;
  first_rows_.clear();
  for (const TableShape& table : tables_) {
    first_rows_.push_back(table.first.value_or(behind));
    behind = first_rows_.back() + table.rows;
    all = std::max(all, behind);
  }
  first_rows_.push_back(all);
}

bool same_tables(const TableSet& a, const TableSet& b) {
  if (a.size() != b.size() || a.dim() != b.dim()) return false;
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (a.table(t).name != b.table(t).name || a.table(t).rows != b.table(t).rows ||
        a.first_row(t) != b.first_row(t)) {
      return false;
    }
  }
  return true;
}

}  // namespace frugal
