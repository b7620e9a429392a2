#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcore/io/json_text.h"
#include "libcore/tables/table_head.h"

namespace frugal {

/// Columns of JSON Lines: each line is an object, whose names are columns in any order.
class JsonColumns {
 public:
  /// All columns are read, unless read_only() says otherwise.
  explicit JsonColumns(std::vector<std::string> names, bool allows_lists = false);
  JsonColumns(const JsonColumns&) = delete;
  JsonColumns& operator=(const JsonColumns&) = delete;

  std::size_t size() const { return is_read_.size(); }
  /// Fields of all other columns are empty from now on.
  void read_only(std::span<const std::size_t> columns);
  /// Makes fields of an object, one a column: empty where it lacks the name or has null. They are
  /// views of `members`. Names that are no columns are passed over. Fails (bad_input), without a
  /// place, where the row is no object, or a field that is read holds an object or a list; lists of
  /// plain values are fields where allows_lists says so (JsonMembers::text()).
  void split(std::string_view row, JsonMembers& members,
             std::vector<std::string_view>& fields) const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, std::size_t> columns_;  ///< views of names_
  std::vector<bool> is_read_;
  bool allows_lists_;
};

/// The first objects of JSON Lines as a table: a row of all their names, in the order of first
/// occurrence, then the values of each. Lines that are no objects are left out. No rows where there
/// are no names. Fails (bad_input) where there are more than kMostColumns names.
TableHead json_head(std::string_view head, const std::string& name);
/// The same of a reader's text, of which it reads on until there is an object. Fails (bad_input)
/// where there is none within the reader's max_record.
TableHead json_head(PieceReader& reader);
/// Fails (bad_input): `head` has no object with names.
[[noreturn]] void refuse_no_objects(const std::string& name, std::string_view head);
/// A table as CSV between commas, with quotes where they must be.
std::string csv_text(std::span<const TableRow> rows);

/// Warns that no object of json_head(), which has `names`, has those that a model needs. Their
/// fields are missing values, unless a later object has them. Nothing where `lacking` is empty.
void warn_of_missing_columns(const std::string& input, std::span<const std::string> lacking,
                             std::span<const std::string> names);
/// Fails (usage) where --header or --separator is given, which JSON Lines have no use for.
void check_json_options(const std::string& header, const std::string& separator,
                        const std::string& input);

}  // namespace frugal
