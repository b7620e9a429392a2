#include "tools/gnn-sample/data/field_numbers.h"

#include <algorithm>
#include <string>

#include "libcore/base/text.h"
#include "libcore/tables/moment.h"

namespace frugal::gnn {

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

std::optional<double> parse_date(std::string_view text) {
  const std::optional<Moment> moment = parse_calendar_moment(text);
  if (!moment) return std::nullopt;
  return static_cast<double>(moment->seconds) + moment->nanoseconds * 1e-9;
}

}  // namespace frugal::gnn
