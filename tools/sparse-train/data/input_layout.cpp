#include "tools/sparse-train/data/input_layout.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/tables/json_rows.h"

namespace frugal::sparse {
namespace {

/// The columns of JSON Lines, of which those that have a use are read.
std::shared_ptr<const JsonColumns> json_columns(const InputLayout& layout) {
  std::vector<std::size_t> used;
  for (const InputColumn& column : layout.columns) used.push_back(column.index);
  for (const std::size_t column : {layout.label_column, layout.weight_column}) {
    if (column != kNoColumn) used.push_back(column);
  }
  auto columns = std::make_shared<JsonColumns>(layout.header, /*allows_lists=*/true);
  columns->read_only(used);
  return columns;
}

}  // namespace

bool InputLayout::has_text() const {
  if (!format->columns) return format->has_text();
  return std::any_of(columns.begin(), columns.end(),
                     [](const InputColumn& c) { return c.type == ColumnType::text; });
}

bool InputLayout::has_categories() const {
  return std::any_of(columns.begin(), columns.end(),
                     [](const InputColumn& c) { return c.type == ColumnType::category; });
}

std::size_t InputLayout::num_number_columns() const {
  const auto is_number = [](const InputColumn& c) { return c.type == ColumnType::number; };
  return static_cast<std::size_t>(std::count_if(columns.begin(), columns.end(), is_number));
}

TableForm InputLayout::form() const {
  TableForm form;
  if (format->json) form = json_form(json_columns(*this));
  form.style = style;
  form.lines = format->feature_ids && !format->counts;  // comments of svmlight are lines
  form.empty_rows = keeps_blank;
  form.header_line = has_header ? header_line : 0;
  if (has_header && !format->json) form.header = header;
  form.num_columns = num_columns;
  return form;
}

std::string InputLayout::column_text(std::size_t column) const {
  if (column < header.size()) return "column '" + printable(header[column]) + "'";
  return "column " + std::to_string(column + 1);
}

void InputLayout::allow_any_id() {
  feature_limit = kAnyId;
  label_limit = kAnyId;
}

void InputLayout::look_at_values(std::span<const TableRow> rows, const std::string& name,
                                 bool quiet) {
  decimal_marks = DecimalMarks(style.separator, rows, header);
  for (const InputColumn& column : columns) {
    if (quiet || column.type != ColumnType::date) continue;
    warn_of_first_day(name, column.name, column.index, rows);
  }
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
