#include "tools/sparse-train/data/column_types.h"

#include <algorithm>
#include <array>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/text.h"

namespace frugal::sparse {
namespace {

constexpr std::array<std::string_view, 6> kColumnTypeNames{"text", "category", "number",
                                                           "date", "label",    "ignore"};

std::optional<ColumnType> type_from_name(std::string_view name) {
  const auto found = std::find(kColumnTypeNames.begin(), kColumnTypeNames.end(), name);
  if (found == kColumnTypeNames.end()) return std::nullopt;
  return static_cast<ColumnType>(found - kColumnTypeNames.begin());
}

/// Length of the first "name:type(separator)" of a list; a comma in parentheses separates nothing.
std::size_t part_length(std::string_view list) {
  bool inside = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '(') inside = true;
    if (list[i] == ')') inside = false;
    if (list[i] == ',' && !inside) return i;
  }
  return list.size();
}

ColumnSpec parse_column(std::string_view part) {
  const auto refuse = [&](const auto&... what) {
    fail(ExitStatus::usage, "--columns: '", printable(part), "' ", what...,
         ", expected NAME:TYPE with one of text, category, number, date, label, ignore; "
         "category(;) and label(;) split a field at ';'");
  };
  const std::size_t paren = part.ends_with(')') ? part.find('(') : std::string_view::npos;
  const std::string_view declared = part.substr(0, paren);
  const std::size_t colon = declared.rfind(':');
  if (colon == std::string_view::npos) refuse("has no type");
  ColumnSpec spec;
  spec.name = trim(declared.substr(0, colon));
  const std::string_view type_name = trim(declared.substr(colon + 1));
  const auto type = type_from_name(type_name);
  if (spec.name.empty()) refuse("has no name");
  if (!type) {
    const std::vector<std::string> names(kColumnTypeNames.begin(), kColumnTypeNames.end());
    refuse("has the type '", printable(type_name), "'", did_you_mean(type_name, names));
  }
  spec.type = *type;
  if (paren == std::string_view::npos) return spec;
  spec.separator = part.substr(paren + 1, part.size() - paren - 2);
  const bool may_split = spec.type == ColumnType::category || spec.type == ColumnType::label;
  if (!may_split) refuse("cannot be split");
  if (spec.separator.empty()) refuse("has an empty separator");
  return spec;
}

void check_columns(const std::vector<ColumnSpec>& columns) {
  std::size_t labels = 0, features = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnType type = columns[i].type;
    labels += type == ColumnType::label ? 1 : 0;
    features += type != ColumnType::label && type != ColumnType::ignore ? 1 : 0;
    for (std::size_t j = 0; j < i; ++j) {
      if (columns[i].name != columns[j].name) continue;
      fail(ExitStatus::usage, "--columns: '", printable(columns[i].name),
           "' is declared twice, expected it once");
    }
  }
  if (labels > 1) {
    fail(ExitStatus::usage, "--columns: ", labels,
         " columns are labels, expected one; label(;) splits it into several labels");
  }
  if (features == 0) {
    fail(ExitStatus::usage,
         "--columns: no column has features, expected one of type text, category, number or date");
  }
}

}  // namespace

std::string_view column_type_name(ColumnType type) {
  return kColumnTypeNames[static_cast<std::size_t>(type)];
}

ColumnType column_type(std::string_view name) {
  const auto type = type_from_name(name);
  if (!type) fail(ExitStatus::bad_input, "type of column '", printable(name), "' is not known");
  return *type;
}

std::vector<ColumnSpec> parse_columns(std::string_view text) {
  std::vector<ColumnSpec> columns;
  while (!text.empty()) {
    const std::size_t length = part_length(text);
    columns.push_back(parse_column(trim(text.substr(0, length))));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  if (!columns.empty()) check_columns(columns);
  return columns;
}

std::uint64_t column_salt(std::string_view name) { return hash_bytes(name, 0x636f6c756d6eU); }

}  // namespace frugal::sparse
