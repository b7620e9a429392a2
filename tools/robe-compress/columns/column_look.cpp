#include "tools/robe-compress/columns/column_look.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

#include "libcore/base/text.h"
#include "libcore/tables/field_number.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kLooks = 1000;  ///< records

std::optional<double> parse_field(std::string_view text, char separator) {
  const auto number = parse_number<double>(text);
  return number ? number : parse_number_between<double>(text, separator);
}

/// A number as people write it: "1,030", "$1.03" or "5 %", but not the list "3,17".
bool is_written_number(std::string_view text) {
  std::string bare(text);
  for (const std::string_view sign : {"$", "%", "\xe2\x82\xac", "\xc2\xa3"}) {
    if (const std::size_t at = bare.find(sign); at != std::string::npos) {
      bare.erase(at, sign.size());
    }
  }
  const auto groups = split(bare, ',');
  for (std::size_t i = 1; i < groups.size(); ++i) {
    if (groups[i].substr(0, groups[i].find('.')).size() != 3) return false;
  }
  std::erase(bare, ',');
  return parse_finite<double>(trim(bare)).has_value();
}

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
      const auto number = parse_field(value, style.separator);
      ColumnLook& look = looks[c];
      look.are_numbers &= number.has_value();
      look.are_whole &= parse_whole(value).has_value();
      look.has_fraction |= number && std::floor(*number) != *number;
      look.has_negative |= number && *number < 0;
      look.are_written &= number.has_value() || is_written_number(value);
      look.are_classes &= number && (*number == 0 || *number == 1 || *number == -1);
      if (!number || !std::isfinite(*number)) continue;
      if (values[c].size() == 1) look.first = *number;
      look.largest = std::max(look.largest, std::abs(*number));
    }
  }
  for (std::size_t c = 0; c < columns; ++c) {
    looks[c].values = values[c].size();
    looks[c].are_whole &= std::none_of(values[c].begin(), values[c].end(), [&](const auto& text) {
      return text.starts_with('0') && text.find_first_not_of("0123456789") == std::string::npos &&
             text.size() > 1 && values[c].contains(std::to_string(*parse_whole(text)));
    });
  }
  return looks;
}

}  // namespace frugal::robe
