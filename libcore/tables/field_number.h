#pragma once
#include <optional>
#include <string_view>

#include "libcore/base/float_loss.h"
#include "libcore/tables/table_head.h"

namespace frugal {

/// A finite number, float or double, in a field between separators; where these are semicolons, a
/// comma may be the decimal point.
template <class T>
std::optional<T> parse_number_between(std::string_view field, char separator);

/// A truth value as JSON writes it, true or false, if the field has it as pandas (True) or R and
/// spreadsheets (TRUE) write it. Other fields as they are.
std::string_view plain_boolean(std::string_view field);

/// The number of a field that parse_number_between<float>() read as `stored`.
double exact_number(std::string_view field, char separator, float stored);
/// Adds the number of a field that parse_number_between<float>() read as `stored`. Does nothing
/// once the loss is settled.
void add_field(std::string_view field, char separator, float stored, FloatLoss& loss);

/// The head with numbers whose decimal point is a comma as the others are written.
TableHead with_decimal_points(TableHead head);

}  // namespace frugal
