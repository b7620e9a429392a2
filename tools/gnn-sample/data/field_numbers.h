#pragma once
#include <optional>
#include <string_view>

#include "libcore/tables/field_number.h"

namespace frugal::gnn {

/// True for text that reads as a number which may not be finite or decimal: inf, -1e999, 0x10.
bool resembles_number(std::string_view field);
/// True for three numbers with one of - / . between them, and maybe a time.
bool resembles_date(std::string_view field);
/// A date in seconds since 1970, as times of edges are kept; nothing where the text is none.
std::optional<double> parse_date(std::string_view text);
/// A date, or a number that parse_moment() takes as one, in seconds since 1970.
std::optional<double> parse_date_or_number(std::string_view text);

/// A field of a feature; where semicolons separate, a comma may be the decimal point. Fails
/// (bad_input), without a place, if it is no finite number.
float parse_feature(std::string_view field, char separator);

}  // namespace frugal::gnn
