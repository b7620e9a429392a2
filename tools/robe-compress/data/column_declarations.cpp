#include "tools/robe-compress/data/column_declarations.h"

#include <algorithm>
#include <array>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::robe {
namespace {

constexpr std::array<std::string_view, 7> kNames{"label",  "category", "hour",  "weekday",
                                                 "number", "log",      "ignore"};

std::optional<ClickColumnType> type_of(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<ClickColumnType>(found - kNames.begin());
}

bool is_time(ClickColumnType type) {
  return type == ClickColumnType::hour || type == ClickColumnType::weekday;
}

void check(const std::vector<ClickColumn>& columns) {
  std::size_t labels = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ClickColumnType type = columns[i].type;
    labels += type == ClickColumnType::label ? 1 : 0;
    for (std::size_t j = 0; j < i; ++j) {
      const bool both_of_a_time =
          is_time(type) && is_time(columns[j].type) && type != columns[j].type;
      if (columns[i].name != columns[j].name || both_of_a_time) continue;
      fail(ExitStatus::usage, "--columns: '", printable(columns[i].name),
           "' is declared twice, expected it once (or as hour and as weekday)");
    }
  }
  if (labels > 1) {
    fail(ExitStatus::usage, "--columns: ", labels, " columns are labels, expected one");
  }
}

}  // namespace

std::string_view column_type_name(ClickColumnType type) {
  return kNames[static_cast<std::size_t>(type)];
}

ClickColumnType column_type(std::string_view name) {
  const auto type = type_of(name);
  if (!type) {
    fail(ExitStatus::bad_input, "found a column of type '", printable(name),
         "', expected a known type");
  }
  return *type;
}

std::vector<ClickColumn> parse_columns(std::string_view text) {
  std::vector<ClickColumn> columns;
  if (text.empty()) return columns;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t colon = part.rfind(':');
    const std::string_view name = trim(part.substr(0, colon));
    const std::string_view type_name =
        colon == std::string_view::npos ? "" : trim(part.substr(colon + 1));
    const auto type = type_of(type_name);
    if (name.empty() || !type) {
      const std::vector<std::string> names(kNames.begin(), kNames.end());
      fail(ExitStatus::usage, "--columns: found '", printable(part),
           "', expected NAME:TYPE with one of label, category, hour, weekday, number, log, ignore",
           did_you_mean(type_name, names));
    }
    columns.push_back({std::string(name), 0, *type});
  }
  check(columns);
  return columns;
}

}  // namespace frugal::robe
