#include "tools/gnn-sample/data/field_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "libcore/base/text.h"
#include "libcore/tables/moment.h"

namespace frugal::gnn {

bool resembles_number(std::string_view field) {
  if (field.starts_with('+') || field.starts_with('-')) field.remove_prefix(1);
  if (field.empty() || field.front() == '-') return false;
  const bool hexadecimal = field.starts_with("0x") || field.starts_with("0X");
  const std::string text(field);
  const char* const begin = text.c_str() + (hexadecimal ? 2 : 0);
  char* end = nullptr;
  if (hexadecimal) {
    std::strtoull(begin, &end, 16);
  } else if (std::isnan(std::strtod(begin, &end))) {
    return false;
  }
  return end != begin && end == text.c_str() + text.size();
}

bool resembles_date(std::string_view field) {
  // The order of a date's parts does not matter here: 2023-02-30, 30.2.2023, 2/30/2023.
  const std::string_view date = field.substr(0, field.find_first_of("T "));
  const std::size_t first = date.find_first_of("-/.");
  if (first == std::string_view::npos) return false;
  const std::vector<std::string_view> parts = split(date, date[first]);
  const auto is_part = [](std::string_view part) {
    return !part.empty() && part.size() <= 4 && std::all_of(part.begin(), part.end(), is_digit);
  };
  return parts.size() == 3 && std::all_of(parts.begin(), parts.end(), is_part);
}

namespace {

std::optional<double> seconds_of(const std::optional<Moment>& moment) {
  if (!moment) return std::nullopt;
  return static_cast<double>(moment->seconds) + moment->nanoseconds * 1e-9;
}

}  // namespace

std::optional<double> parse_date(std::string_view text) {
  return seconds_of(parse_calendar_moment(text));
}

std::optional<double> parse_date_or_number(std::string_view text) {
  return seconds_of(parse_moment(text));
}

float parse_feature(std::string_view field, char separator) {
  if (const auto value = parse_number_between<float>(field, separator)) return *value;
  fail(ExitStatus::bad_input, "found '", printable(field, 40), "', expected a finite number",
       is_missing_number(field) ? " (--columns *:number takes missing values)"
                                : " (--columns NAME:TYPE takes words, categories and dates)");
}

}  // namespace frugal::gnn
