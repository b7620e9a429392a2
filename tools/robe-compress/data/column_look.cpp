#include "tools/robe-compress/data/column_look.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>
#include <vector>

#include "libcore/base/text.h"
#include "tools/robe-compress/data/column_declarations.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kLooks = 1000;  ///< records

}  // namespace

std::vector<ColumnLook> look_at_columns(std::string_view text, DelimitedStyle style,
                                        std::size_t columns) {
  RecordParser parser(style);
  std::vector<std::string_view> fields;
  std::vector<std::unordered_set<std::string>> values(columns);
  std::vector<ColumnLook> looks(columns);
  for (std::size_t n = 0; n < kLooks && text.find('\n') != std::string_view::npos; ++n) {
    text.remove_prefix(parser.parse(text, fields));
    for (std::size_t c = 0; c < std::min(columns, fields.size()); ++c) {
      const std::string_view value = trim(fields[c]);
      if (is_missing_number(value)) continue;
      values[c].emplace(value);
      const auto number = parse_number<double>(value);
      ColumnLook& look = looks[c];
      look.are_numbers &= number.has_value();
      look.are_whole &= number && std::floor(*number) == *number;
      look.has_decimal |= value.find('.') != std::string_view::npos;
    }
  }
  for (std::size_t c = 0; c < columns; ++c) looks[c].values = values[c].size();
  return looks;
}

}  // namespace frugal::robe
