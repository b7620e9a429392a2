#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcore/streams/json_text.h"

namespace frugal {

/// Columns of JSON Lines: each line is an object whose names are columns, in any order.
class JsonColumns {
 public:
  /// Reads all columns unless read_only() restricts them.
  explicit JsonColumns(std::vector<std::string> names, bool allows_lists = false);
  JsonColumns(const JsonColumns&) = delete;
  JsonColumns& operator=(const JsonColumns&) = delete;

  std::size_t size() const { return is_read_.size(); }
  /// Restricts reading to these columns; fields of all others are empty from now on.
  void read_only(std::span<const std::size_t> columns);
  /// Splits an object into fields, one per column; a field is empty if the name is missing or null.
  /// Fields are views of `members`. Names that are not columns are ignored. Fails (bad_input),
  /// without a place, if the row is not an object, or if a field to be read is an object or a list.
  /// allows_lists: lists of plain values are fields (JsonMembers::text()).
  void split(std::string_view row, JsonMembers& members,
             std::vector<std::string_view>& fields) const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, std::size_t> columns_;  ///< views of names_
  std::vector<bool> is_read_;
  bool allows_lists_;
};

}  // namespace frugal
