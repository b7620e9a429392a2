#include "tools/robe-compress/data/unknown_values.h"

#include <numeric>

namespace frugal::robe {
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

}  // namespace frugal::robe
