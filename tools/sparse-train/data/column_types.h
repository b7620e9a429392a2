#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frugal::sparse {

/// What a column of CSV or TSV means.
enum class ColumnType { text, category, number, date, label, ignore };
std::string_view column_type_name(ColumnType type);
/// Fails (bad_input) for an unknown name.
ColumnType column_type(std::string_view name);

/// A column as the user declares it.
struct ColumnSpec {
  std::string name;  ///< in the header, or a number from 1
  ColumnType type = ColumnType::text;
  std::string separator =
      "";  ///< category, label: between several values of a field; "" = one value

  bool operator==(const ColumnSpec&) const = default;
};

/// Parses "title:text,price:number,tags:category(;),topics:label(|)". Fails (usage) naming
/// --columns and the part that is wrong: no name, an unknown type, a column declared twice, a
/// separator where there can be none, two labels, nothing to learn from.
std::vector<ColumnSpec> parse_columns(std::string_view text);

/// The features of a column with that name are told from those of other columns by this.
std::uint64_t column_salt(std::string_view name);

}  // namespace frugal::sparse
