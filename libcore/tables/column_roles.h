#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace frugal {

/// Roles that columns of tables have by their usual names.
enum class ColumnRole { label, text, time, source, destination, weight, row_id };

/// Whether a column of that name usually has the role. Case, blanks, '_', '-' and '.' make no
/// difference: "User ID" is "user_id". A name may have several roles: "target" is a label in a
/// table of examples and a destination in a table of edges.
bool is_usual_name(ColumnRole role, std::string_view name);
/// Whether it has any of them.
bool is_usual_name(std::string_view name);

/// The column of a header with the role: the one whose name comes first in the list of usual names,
/// from the most to the least telling; nothing if there is none.
std::optional<std::size_t> find_role(ColumnRole role, std::span<const std::string> header);

}  // namespace frugal
