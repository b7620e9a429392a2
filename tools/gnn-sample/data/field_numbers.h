#pragma once
#include <optional>
#include <string_view>

namespace frugal::gnn {

/// A finite number, float or double, in a field between separators; where these are semicolons, a
/// comma may be the decimal point.
template <class T>
std::optional<T> parse_number_between(std::string_view field, char separator);
/// A date in seconds since 1970, as times of edges are kept; nothing where the text is none.
std::optional<double> parse_date(std::string_view text);

}  // namespace frugal::gnn
