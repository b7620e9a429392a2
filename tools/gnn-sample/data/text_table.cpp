#include "tools/gnn-sample/data/text_table.h"

#include <algorithm>

#include "libcore/base/log.h"
#include "libcore/base/text.h"

namespace frugal {

namespace {

void warn_of_ids(const std::vector<std::string>& names, const std::string& place) {
  for (const char* id : {"node", "node_id", "id"}) {
    if (std::find(names.begin(), names.end(), id) == names.end()) continue;
    log_warning(place, ": column '", id, "' is not read, the n-th line is of the n-th node");
  }
}

}  // namespace

bool names_columns(const TextShape& shape, const std::string& column, const std::string& standard) {
  const auto& fields = shape.first_fields;
  const bool numbers = std::any_of(fields.begin(), fields.end(), [](const std::string& f) {
    return parse_number<double>(f).has_value();
  });
  if (numbers || fields.size() != 1) return !numbers;
  return fields[0] == (column.empty() ? standard : column);
}

std::optional<std::size_t> pick_column(const TextShape& shape, const std::string& column,
                                       const std::string& standard, const std::string& place) {
  const auto& fields = shape.first_fields;
  const bool header = names_columns(shape, column, standard);
  if (header) warn_of_ids(fields, place);
  if (!column.empty()) return find_column(fields, fields.size(), column, place);
  const auto found = std::find(fields.begin(), fields.end(), standard);
  if (found == fields.end() || !header) return std::nullopt;
  return static_cast<std::size_t>(found - fields.begin());
}

}  // namespace frugal
