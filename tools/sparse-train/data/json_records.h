#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/table_head.h"

namespace frugal::sparse {

/// Stands between the values of a list in a field of JSON Lines.
inline constexpr std::string_view kListSeparator = "\x1f";

/// The values that a JSON object has under the names of a header, as texts: "" for null and for
/// what is not there, lists with kListSeparator between their values. Fails (bad_input), without
/// place, where the record is no object.
void split_json(std::string_view record, const std::vector<std::string>& header, TableRow& fields);

/// The first records of JSON Lines as a table: a row of all their names, in the order of first
/// occurrence, then the values. Lines that are no objects are left out.
std::vector<TableRow> first_json_rows(std::string_view head);

}  // namespace frugal::sparse
