#include "tools/robe-compress/data/unknown_values.h"

#include <algorithm>
#include <numeric>

#include "libcore/base/log.h"
#include "libcore/base/text.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kMostColumnsNamed = 4;  ///< columns, beside the worst
constexpr std::uint64_t kFewestToWarn = 20;   ///< samples: fewer are no reason to warn

}  // namespace

std::vector<UnknownValues> unknown_values(const ClickEncoder& encoder,
                                          const UnknownCounts& counts) {
  std::vector<UnknownValues> columns;
  for (std::size_t f = 0; f < counts.by_field.size(); ++f) {
    if (counts.by_field[f] == 0) continue;
    columns.push_back({encoder.field_name(f), counts.by_field[f], counts.samples});
  }
  return columns;
}

std::vector<UnknownValues> rare_values(const ClickEncoder& encoder) {
  UnknownCounts counts;
  for (std::size_t f = 0; f < encoder.num_fields(); ++f) {
    const auto of_rows = encoder.counts(f);
    counts.by_field.push_back(of_rows.empty() ? 0 : of_rows[0]);
    counts.samples = std::accumulate(of_rows.begin(), of_rows.end(), std::uint64_t{0});
  }
  return unknown_values(encoder, counts);
}

void say_unknown(std::vector<UnknownValues> columns, const std::string& input) {
  if (columns.empty()) return;
  std::ranges::stable_sort(columns, std::greater(), &UnknownValues::unknown);
  const UnknownValues& worst = columns.front();
  std::string others;
  for (std::size_t i = 1; i < columns.size() && i <= kMostColumnsNamed; ++i) {
    others += (i == 1 ? "; " : ", ") + printable(columns[i].column) + " " +
              std::to_string(columns[i].unknown);
  }
  if (columns.size() > 1 + kMostColumnsNamed) {
    others += " and " + std::to_string(columns.size() - 1 - kMostColumnsNamed) + " more columns";
  }
  const bool is_bad = worst.samples >= kFewestToWarn && 2 * worst.unknown >= worst.samples;
  log_info(is_bad ? "warning: " : "", input, ": column '", printable(worst.column),
           "': ", worst.unknown, " of ", worst.samples, " values are unknown to the model", others);
}

}  // namespace frugal::robe
