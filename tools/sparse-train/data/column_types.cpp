#include "tools/sparse-train/data/column_types.h"

#include <algorithm>
#include <array>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"

namespace frugal::sparse {
namespace {

constexpr std::array<ColumnTypeRow, 6> kRows{{{.name = "text"},
                                              {.name = "category", .splits = true, .shared = true},
                                              {.name = "number", .shared = true},
                                              {.name = "date"},
                                              {.name = "label", .once = true, .splits = true},
                                              {.name = "ignore"}}};
constexpr ColumnTypes<ColumnType> kTypes{kRows};

}  // namespace

const ColumnTypes<ColumnType>& column_types() { return kTypes; }

std::vector<ColumnSpec> parse_columns(std::string_view text) {
  std::vector<ColumnSpec> columns = kTypes.parse(text);
  const bool has_features = std::any_of(columns.begin(), columns.end(), [](const ColumnSpec& c) {
    return c.type != ColumnType::label && c.type != ColumnType::ignore;
  });
  if (!columns.empty() && !has_features) {
    fail(ExitStatus::usage,
         "--columns: no column has features, expected one of type text, category, number or date");
  }
  return columns;
}

std::uint64_t column_salt(std::string_view name) { return hash_bytes(name, 0x636f6c756d6eU); }

}  // namespace frugal::sparse
