#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace frugal {

/// Roles of columns, recognised by common names.
enum class ColumnRole { label, text, time, source, destination, weight, row_id };

/// Whether a column of that name usually has the role. Case, blanks, '_', '-' and '.' are ignored:
/// "User ID" is "user_id". A name may have several roles: "target" is a label in a table of
/// examples and a destination in a table of edges.
bool is_usual_name(ColumnRole role, std::string_view name);
/// Whether a column of that name usually has any of the roles.
bool is_usual_name(std::string_view name);

/// Index of the column of a header with the role; nothing if there is none. Among several, the name
/// that indicates the role most clearly wins.
std::optional<std::size_t> find_role(ColumnRole role, std::span<const std::string> header);

}  // namespace frugal
