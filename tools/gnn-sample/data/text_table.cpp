#include "tools/gnn-sample/data/text_table.h"

#include <algorithm>

#include "libcore/base/hash.h"
#include "libcore/base/text.h"
#include "libcore/tables/table_columns.h"

namespace frugal::gnn {

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
  if (!column.empty()) return ColumnNames(fields, fields.size(), place).find(column);
  const auto found = std::find(fields.begin(), fields.end(), standard);
  if (found == fields.end() || !header) return std::nullopt;
  return static_cast<std::size_t>(found - fields.begin());
}

void find_ids(RowNodes* rows, std::optional<std::size_t> read, TableColumns& columns) {
  if (rows == nullptr || columns.whole_lines) return;
  columns.id = rows->find(columns.shape, columns.has_header, read);
  if (!read || columns.id || !rows->suspicious()) return;
  for (std::size_t c = 0; c < columns.shape.first_fields.size(); ++c) {
    if (c != *read) columns.unread.push_back(c);
  }
}

IdSuspicion::IdSuspicion(const RowNodes* rows, const TableColumns& columns)
    : rows_(rows), columns_(columns) {
  for (std::size_t c = 0; c < columns.unread.size(); ++c) seen_.emplace_back(std::in_place);
}

void IdSuspicion::add(const std::vector<std::string_view>& fields) {
  const std::size_t width = seen_.size();
  if (width == 0) return;
  for (std::size_t c = 0; c < width; ++c) {
    for (std::size_t i = c; seen_[c] && i < fields.size(); i += width) {
      const std::uint32_t known = seen_[c]->size();
      const bool is_new =
          rows_->may_be_id(fields[i]) && seen_[c]->insert(hash_bytes(fields[i])) == known;
      if (!is_new) seen_[c].reset();
    }
  }
  num_rows_ += fields.size() / width;
}

void IdSuspicion::finish() const {
  if (num_rows_ < kFewestSuspicious) return;
  for (std::size_t c = 0; c < seen_.size(); ++c) {
    if (!seen_[c]) continue;
    const std::string number = std::to_string(columns_.unread[c] + 1);
    const bool named = columns_.has_header;
    const std::string name = named ? columns_.shape.first_fields[columns_.unread[c]] : number;
    rows_->refuse((named ? "column '" + printable(name) + "'" : "column " + number) +
                      ", which is different in all rows,",
                  name);
  }
}

}  // namespace frugal::gnn
