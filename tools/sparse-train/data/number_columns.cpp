#include "tools/sparse-train/data/number_columns.h"

#include <algorithm>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/field_number.h"

namespace frugal::sparse {

std::vector<ColumnSpec> number_columns(std::span<const std::size_t> columns,
                                       std::span<const TableRow> rows, char separator,
                                       const ColumnNames& names) {
  std::vector<ColumnSpec> specs;
  bool some_filled = false;
  for (const std::size_t c : columns) {
    std::size_t filled = 0, wholes = 0;
    for (const TableRow& row : rows) {
      if (c >= row.size() || is_missing_number(row[c])) continue;
      if (!parse_number_between<double>(trim(row[c]), separator)) return {};
      ++filled;
      wholes += parse_whole(row[c]) ? 1 : 0;
    }
    specs.push_back({names[c], ColumnType::number, {}, c, /*is_named=*/false});
    some_filled = some_filled || filled > 0;
    if (filled == 0 || wholes < filled) continue;
    specs.push_back({names[c], ColumnType::category, {}, c, /*is_named=*/false});
  }
  return some_filled ? specs : std::vector<ColumnSpec>{};
}

void say_numbers(std::span<const ColumnSpec> columns, const std::string& name) {
  if (columns.empty()) return;
  const bool some_whole = std::any_of(columns.begin(), columns.end(), [](const ColumnSpec& spec) {
    return spec.type == ColumnType::category;
  });
  log_info(name, ": its columns hold numbers, which are read as such",
           some_whole ? ", whole ones as categories, too" : "",
           " (--columns says what a column holds, --text-columns '*' reads words)");
}

}  // namespace frugal::sparse
