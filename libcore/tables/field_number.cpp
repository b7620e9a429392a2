#include "libcore/tables/field_number.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "libcore/base/text.h"

namespace frugal {

template <class T>
std::optional<T> parse_number_between(std::string_view field, char separator) {
  const auto number = parse_finite<T>(field);
  if (number || separator != ';' || std::count(field.begin(), field.end(), ',') != 1) return number;
  std::string text(field);
  std::replace(text.begin(), text.end(), ',', '.');
  return parse_finite<T>(text);
}
template std::optional<float> parse_number_between<float>(std::string_view, char);
template std::optional<double> parse_number_between<double>(std::string_view, char);

std::string_view plain_boolean(std::string_view field) {
  if (field == "True" || field == "TRUE") return "true";
  if (field == "False" || field == "FALSE") return "false";
  return field;
}

double exact_number(std::string_view field, char separator, float stored) {
  // Floats store whole numbers of up to seven digits exactly.
  constexpr std::size_t kExactDigits = 7;
  const bool exact =
      field.size() <= kExactDigits && stored == std::floor(stored) && std::abs(stored) < 0x1p24F;
  return exact ? stored : parse_number_between<double>(field, separator).value_or(stored);
}

void add_field(std::string_view field, char separator, float stored, FloatLoss& loss) {
  if (!loss.is_settled()) loss.add(exact_number(field, separator, stored), stored);
}

TableHead with_decimal_points(TableHead head) {
  if (head.separator != ';') return head;
  for (TableRow& row : head.rows) {
    for (std::string& field : row) {
      const bool has_comma = field.find(',') != std::string::npos;
      const auto number = parse_number_between<double>(field, head.separator);
      if (has_comma && number) field = format_number(*number);
    }
  }
  return head;
}

}  // namespace frugal
