#include "libcore/tables/table_columns.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

/// Length of a quoted name at the start of a text, quotes included; 0 if there is none.
std::size_t quoted_length(std::string_view text) {
  if (!text.starts_with('"')) return 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '"') continue;
    if (text.substr(i + 1).starts_with('"')) {
      ++i;
    } else {
      return i + 1;
    }
  }
  return 0;
}

/// A name without its quotes; doubled quotes inside become single.
std::string name_of(std::string_view text) {
  text = trim(text);
  if (text.size() < 2 || quoted_length(text) != text.size()) return std::string(text);
  std::string name;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    name += text[i];
    if (text[i] == '"') ++i;
  }
  return name;
}

/// Length of the first "name:type(separator)" of a list. A comma in quotes or parentheses does not
/// end it.
std::size_t part_length(std::string_view list) {
  bool inside = false;
  const std::size_t first = std::min(list.find_first_not_of(' '), list.size());
  for (std::size_t i = first + quoted_length(list.substr(first)); i < list.size(); ++i) {
    if (list[i] == '(') inside = true;
    if (list[i] == ')') inside = false;
    if (list[i] == ',' && !inside) return i;
  }
  return list.size();
}

/// Reads declarations of columns with these types.
class DeclarationParser {
 public:
  explicit DeclarationParser(std::span<const ColumnTypeRow> types) : types_(types) {
    for (const ColumnTypeRow& type : types) names_.emplace_back(type.name);
  }

  ColumnDeclaration parse(std::string_view part) const {
    const std::size_t paren =
        part.ends_with(')') ? part.find('(', quoted_length(part)) : std::string_view::npos;
    const std::string_view declared = part.substr(0, paren);
    const std::size_t colon = declared.rfind(':');
    if (colon == std::string_view::npos) refuse(part, "has no type", turned(part));
    const std::string_view type_name = trim(declared.substr(colon + 1));
    const auto type = std::find(names_.begin(), names_.end(), type_name);
    ColumnDeclaration column;
    column.name = name_of(declared.substr(0, colon));
    if (column.name.empty()) refuse(part, "has no name");
    if (type == names_.end()) {
      refuse(part, "has the type '" + printable(type_name) + "'", did_you_mean(type_name, names_));
    }
    column.type = static_cast<std::size_t>(type - names_.begin());
    if (column.name == kOtherColumns && types_[column.type].once) {
      refuse(part, "would be several columns, of which one may be of this type");
    }
    if (paren == std::string_view::npos) return column;
    column.separator = part.substr(paren + 1, part.size() - paren - 2);
    if (!types_[column.type].splits) refuse(part, "cannot be split");
    if (column.separator.empty()) refuse(part, "has an empty separator");
    return column;
  }

  void check(const std::vector<ColumnDeclaration>& columns) const {
    std::vector<std::size_t> counts(types_.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const ColumnTypeRow& type = types_[columns[i].type];
      for (std::size_t j = 0; j < i; ++j) check_pair(columns[i], columns[j]);
      if (++counts[columns[i].type] == 1 || !type.once) continue;
      fail(ExitStatus::usage, "--columns: '", printable(columns[i].name),
           "' is a second column of type ", type.name, ", expected one",
           type.splits ? "; " + std::string(type.name) + "(;) splits a field at ';'" : "");
    }
  }

 private:
  template <class... Hints>
  [[noreturn]] void refuse(std::string_view part, const std::string& what,
                           const Hints&... hints) const {
    std::vector<std::string> splitting;
    for (const ColumnTypeRow& type : types_) {
      if (type.splits) splitting.push_back(std::string(type.name) + "(;)");
    }
    fail(ExitStatus::usage, "--columns: '", printable(part), "' ", what,
         ", expected NAME:TYPE with one of ", joined(names_),
         splitting.empty() ? "" : "; " + joined(splitting, "and") + " split a field at ';'",
         hints...);
  }

  /// Suggests "name:type" for a part written as "type=name"; "" if it is not.
  std::string turned(std::string_view part) const {
    const std::size_t equal = part.find('=');
    if (equal == std::string_view::npos) return "";
    const std::string_view type = nearest_name(trim(part.substr(0, equal)), names_);
    if (type.empty()) return "";
    return "; did you mean '" + printable(trim(part.substr(equal + 1))) + ":" + std::string(type) +
           "'?";
  }

  void check_pair(const ColumnDeclaration& a, const ColumnDeclaration& b) const {
    if (a.name != b.name || may_share_column(types_, a.type, b.type)) return;
    fail(ExitStatus::usage, "--columns: '", printable(a.name),
         "' is declared twice, expected it once");
  }

  std::span<const ColumnTypeRow> types_;
  std::vector<std::string> names_;
};

}  // namespace

std::size_t ColumnNames::find(std::string_view name) const {
  if (std::count(header_.begin(), header_.end(), name) > 1) {
    fail(ExitStatus::bad_input, place_, ": the header has the column '", printable(name),
         "' twice, expected it once, or its number");
  }
  const auto index = static_cast<std::size_t>(std::ranges::find(header_, name) - header_.begin());
  if (index < std::min(size_, header_.size())) return index;
  if (index < header_.size()) {
    fail(ExitStatus::bad_input, place_, ": '", printable(name), "' is column ", index + 1,
         " of the header, but lines have ", format_count(size_, "column"));
  }
  const auto number = parse_number<std::uint32_t>(name);
  if (number && *number >= 1 && *number <= size_) return *number - 1;
  fail(ExitStatus::usage, place_, ": no column '", printable(name), "', expected ",
       header_.empty() ? "" : joined(header_) + " or ", "a number from 1 to ", size_,
       did_you_mean(name, header_));
}

std::size_t ColumnNames::find_needed(std::string_view name,
                                     std::span<const std::string> needed) const {
  if (has(name) || header_.empty()) return find(name);
  fail(ExitStatus::bad_input, place_, ": has no column '", printable(name), "'; the model needs ",
       joined(needed), ", the data have ", joined(header_));
}

bool may_share_column(std::span<const ColumnTypeRow> types, std::size_t a, std::size_t b) {
  return types[a].shared && types[b].shared && a != b;
}

void fail_same_column(std::string_view name, std::string_view other) {
  fail(ExitStatus::usage, "column '", printable(name), "' is column '", printable(other),
       "' again, expected each column once");
}

void fail_unknown_type(std::string_view name) {
  fail(ExitStatus::bad_input, "type of column '", printable(name), "' is not known");
}

std::vector<ColumnDeclaration> parse_columns(std::string_view text,
                                             std::span<const ColumnTypeRow> types) {
  const DeclarationParser parser(types);
  std::vector<ColumnDeclaration> columns;
  while (!text.empty()) {
    const std::size_t length = part_length(text);
    columns.push_back(parser.parse(trim(text.substr(0, length))));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  parser.check(columns);
  return columns;
}

}  // namespace frugal
