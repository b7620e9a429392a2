#include "tools/sparse-train/data/number_columns.h"

#include <algorithm>

#include "libcore/base/log.h"

namespace frugal::sparse {

std::vector<ColumnSpec> number_columns(std::span<const std::size_t> columns,
                                       std::span<const ColumnProfile> profiles,
                                       const ColumnNames& names, const FeatureOptions& options) {
  if (!options.for_text.empty() || options.tokenizer != FeatureOptions().tokenizer) return {};
  std::vector<ColumnSpec> specs;
  bool some_filled = false;
  for (const std::size_t c : columns) {
    const ColumnProfile& profile = profiles[c];
    if (!profile.is_numeric()) return {};
    specs.push_back({names[c], ColumnType::number, {}, c, /*is_named=*/false});
    if (profile.filled == 0) continue;
    some_filled = true;
    if (profile.wholes < profile.filled) continue;
    specs.push_back({names[c], ColumnType::category, {}, c, /*is_named=*/false});
  }
  return some_filled ? specs : std::vector<ColumnSpec>{};
}

void say_numbers(std::span<const ColumnSpec> columns, const std::string& name) {
  if (columns.empty()) return;
  const bool some_whole = std::any_of(columns.begin(), columns.end(), [](const ColumnSpec& spec) {
    return spec.type == ColumnType::category;
  });
  log_info(name, ": its columns hold numbers, which are read as such",
           some_whole ? ", whole ones as categories, too" : "",
           " (--columns says what a column holds, --text-columns '*' reads words)");
}

}  // namespace frugal::sparse
