#include "libcore/tables/column_checks.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/field_number.h"
#include "libcore/tables/moment.h"

namespace frugal {

DecimalMarks::DecimalMarks(char separator, std::span<const TableRow> rows,
                           std::span<const std::string> header) {
  if (separator != ';') return;
  for (const TableRow& row : rows) {
    if (marks_.size() < row.size()) marks_.resize(row.size());
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string_view field = trim(row[c]);
      const bool has_comma = field.find(',') != std::string_view::npos;
      const bool has_point = field.find('.') != std::string_view::npos;
      const char refused = has_comma ? '.' : ',';
      Mark& mark = marks_[c];
      if (has_comma == has_point || mark.refused == '.' || mark.refused == refused) continue;
      if (!parse_number_between<double>(field, separator)) continue;
      mark = {refused, std::string(field), c < header.size() ? header[c] : std::to_string(c + 1)};
    }
  }
}

void DecimalMarks::check(const Mark& mark, std::string_view number) {
  if (number.find(mark.refused) == std::string_view::npos) return;
  const bool has_point = mark.refused == '.';
  fail(ExitStatus::bad_input, "column '", printable(mark.name), "' has '",
       printable(trim(number), 30), "' with a ", has_point ? "point" : "comma", " and '",
       printable(mark.example, 30), "' with a ", has_point ? "comma" : "point",
       ", expected one decimal mark, and none between thousands");
}

namespace {

/// The number of a field that is not written as a date but read as a time of 1970-01-01.
std::optional<double> time_of_first_day(std::string_view field) {
  constexpr double kSecondsADay = 86400;
  const auto number = parse_finite<double>(field);
  const bool is_early = number && *number >= 0 && *number < kSecondsADay;
  return is_early && !parse_digit_date(field) ? number : std::nullopt;
}

}  // namespace

void warn_of_first_day(const std::string& input, std::string_view name, std::size_t column,
                       std::span<const TableRow> rows) {
  std::string example;
  for (const TableRow& row : rows) {
    if (column >= row.size() || is_missing_number(row[column])) continue;
    const std::string_view field = trim(row[column]);
    const auto number = time_of_first_day(field);
    if (!number) return;
    if (example.empty() && *number != 0) example = field;  // 0 may mean that there is none
  }
  if (example.empty()) return;
  log_warning(input, ": column '", printable(name),
              "' has the type of dates, but its numbers, such as ", printable(example, 30),
              ", are Unix times of 1970-01-01; years and days of spreadsheets are written as dates "
              "like 2024-02-29, or have another type (--columns)");
}

}  // namespace frugal
