#include "tools/sparse-train/data/input_layout.h"

#include <algorithm>

#include "libcore/base/text.h"

namespace frugal::sparse {
bool InputLayout::has_text() const {
  if (!format->columns) return format->has_text();
  return std::any_of(columns.begin(), columns.end(),
                     [](const InputColumn& c) { return c.type == ColumnType::text; });
}

std::size_t InputLayout::num_number_columns() const {
  const auto is_number = [](const InputColumn& c) { return c.type == ColumnType::number; };
  return static_cast<std::size_t>(std::count_if(columns.begin(), columns.end(), is_number));
}

std::string InputLayout::column_text(std::size_t column) const {
  if (column < header.size()) return "column '" + printable(header[column]) + "'";
  return "column " + std::to_string(column + 1);
}

void InputLayout::allow_any_id() {
  feature_limit = kAnyId;
  label_limit = kAnyId;
}

InputLayout layout_of_format(const ExampleFormat& format) {
  InputLayout layout;
  layout.format = &format;
  layout.style = format.style;
  layout.may_lack_label = layout.keeps_blank = true;
  layout.allow_any_id();
  layout.label_separator = format.label_separator;
  if (format.columns) {
    layout.num_columns = 2;
    layout.columns = {{1, ColumnType::text, "2", "", column_salt("2"), 0}};
  }
  return layout;
}

}  // namespace frugal::sparse
