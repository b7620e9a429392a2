#include "tools/robe-compress/data/column_look.h"

#include <cmath>
#include <string>
#include <unordered_set>
#include <vector>

#include "libcore/base/text.h"
#include "tools/robe-compress/data/column_declarations.h"

namespace frugal {
namespace {

constexpr std::size_t kLooks = 1000;  ///< records

}  // namespace

ColumnLook look_at_column(std::string_view text, DelimitedStyle style, std::size_t index) {
  RecordParser parser(style);
  std::vector<std::string_view> fields;
  std::unordered_set<std::string> values;
  ColumnLook look;
  for (std::size_t n = 0; n < kLooks && text.find('\n') != std::string_view::npos; ++n) {
    text.remove_prefix(parser.parse(text, fields));
    const std::string_view value = index < fields.size() ? trim(fields[index]) : "";
    if (is_missing_number(value)) continue;
    values.emplace(value);
    const auto number = parse_number<double>(value);
    look.are_numbers &= number.has_value();
    look.are_whole &= number && std::floor(*number) == *number;
    look.has_decimal |= value.find('.') != std::string_view::npos;
  }
  look.values = values.size();
  return look;
}

}  // namespace frugal
