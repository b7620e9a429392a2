#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcore/streams/json_text.h"

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

}  // namespace frugal
