#include "libcore/tables/column_profile.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "libcore/base/text.h"
#include "libcore/tables/moment.h"

namespace frugal {
namespace {

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    words += !is_blank && !in_word ? 1 : 0;
    in_word = !is_blank;
  }
  return words;
}

/// Profile of one column while its fields come row by row.
class Profiler {
 public:
  void add(std::string_view field) {
    if (is_missing_number(field)) return;
    ++profile_.filled;
    profile_.words += count_words(field);
    if (values_.insert(field).second) ++profile_.distinct;
    const std::string_view text = trim(field);
    const auto number = parse_finite<double>(text);
    const auto date = parse_calendar_moment(text);
    profile_.numbers += number ? 1 : 0;
    profile_.wholes += parse_whole(text) ? 1 : 0;
    profile_.dates += date ? 1 : 0;
    const std::optional<double> place =
        date ? std::optional(static_cast<double>(date->seconds)) : number;
    profile_.grows = profile_.grows && place && (!last_ || *place >= *last_);
    last_ = place;
  }
  const ColumnProfile& profile() const { return profile_; }

 private:
  ColumnProfile profile_;
  std::unordered_set<std::string_view> values_;
  std::optional<double> last_;
};

}  // namespace

std::vector<ColumnProfile> profile_columns(std::span<const TableRow> rows) {
  std::size_t num_columns = 0;
  for (const TableRow& row : rows) num_columns = std::max(num_columns, row.size());
  std::vector<Profiler> columns(num_columns);
  for (const TableRow& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) columns[c].add(row[c]);
  }
  std::vector<ColumnProfile> profiles;
  for (const Profiler& column : columns) profiles.push_back(column.profile());
  return profiles;
}

}  // namespace frugal
