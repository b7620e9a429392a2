#include "tools/sparse-train/data/label_lists.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/json_text.h"

namespace frugal::sparse {
namespace {

bool is_list(std::string_view field) {
  return field.find(kJsonListSeparator) != std::string_view::npos;
}

bool is_indicator(std::string_view value) {
  const auto number = parse_finite<double>(value);
  return value == "true" || value == "false" || (number && (*number == 0 || *number == 1));
}

/// True if the lists have one length, nothing but indicators, and, as no set has, one value twice.
bool are_indicators(std::span<const TableRow> rows, std::size_t column) {
  std::size_t length = 0;
  bool some_twice = false;
  for (const TableRow& row : rows) {
    if (column >= row.size() || row[column].empty()) continue;
    const std::vector<std::string_view> values = split(row[column], kJsonListSeparator);
    if (length != 0 && values.size() != length) return false;
    length = values.size();
    if (!std::ranges::all_of(values, is_indicator)) return false;
    some_twice |= std::set<std::string_view>(values.begin(), values.end()).size() < length;
  }
  return some_twice;
}

}  // namespace

bool has_lists(std::span<const TableRow> rows, std::size_t column) {
  return std::ranges::any_of(
      rows, [&](const TableRow& row) { return column < row.size() && is_list(row[column]); });
}

void refuse_indicators(std::span<const TableRow> rows, std::size_t column, const std::string& file,
                       const std::string& column_text) {
  if (!are_indicators(rows, column)) return;
  fail(ExitStatus::bad_input, file, ": the lists of ", column_text,
       " have a 0 or 1 for each label, expected the labels of the example; make these with: "
       "jq -c '.[\"NAME\"] |= [to_entries[] | select(.value == 1 or .value == true).key]' "
       "FILE > OUT");
}

}  // namespace frugal::sparse
