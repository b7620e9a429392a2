#include "tools/robe-compress/columns/click_layout.h"

#include <algorithm>
#include <span>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tables/header_guess.h"
#include "libcore/tables/json_head.h"
#include "libcore/tables/json_rows.h"
#include "libcore/tables/table_head.h"
#include "tools/robe-compress/columns/column_names.h"
#include "tools/robe-compress/columns/libfm_pairs.h"

namespace frugal::robe {
namespace {

using Fields = std::vector<std::string_view>;

template <class Body>
void for_each_column(ClickSchema& schema, const Body& body) {
  for (ClickColumn& column : schema.numbers) body(column);
  for (ClickColumn& column : schema.categories) body(column);
}

/// Without the ".weekday" that tells two fields of one column apart.
std::string column_name(const ClickColumn& column) {
  const std::size_t suffix = std::string_view(".weekday").size();
  return column.type == ClickColumnType::weekday
             ? column.name.substr(0, column.name.size() - suffix)
             : column.name;
}

/// Whether the first record has names of columns: most of those that the schema has, or what the
/// rows tell.
bool is_header(const ClickSchema& schema, const ClickOptions& options, const Fields& fields,
               std::string_view head, DelimitedStyle style) {
  if (options.header == "yes") return true;
  if (options.header == "no") return false;
  const std::vector<std::string> names = header_names(fields);
  std::size_t wanted = 0, found = 0;
  const auto look_for = [&](const ClickColumn& column) {
    const std::string name = column_name(column);
    if (parse_number<double>(name)) return;
    ++wanted;
    found += std::find(names.begin(), names.end(), name) != names.end() ? 1 : 0;
  };
  for (const ClickColumn& column : schema.numbers) look_for(column);
  for (const ClickColumn& column : schema.categories) look_for(column);
  // A file of a format without a header may have got one, with all names of the model.
  if (!click_formats().by_name(schema.format).may_have_header) return found > 0 && found == wanted;
  if (found > 0 && 2 * found >= wanted) return true;
  const HeaderGuess guess = guess_header(record_head(head, style, /*is_whole=*/false).rows);
  return guess.is_header && (guess.is_sure || found > 0);
}

void place_by_name(const Fields& fields, const std::string& name, ClickLayout& layout) {
  const ColumnNames names(header_names(fields), fields.size(), name + ":1");
  ClickColumn& label = layout.schema.label;
  std::vector<std::string> needed;
  if (layout.reads_labels) needed.push_back(label.name);
  for_each_column(layout.schema,
                  [&](const ClickColumn& column) { needed.push_back(column_name(column)); });
  if (layout.reads_labels) label.index = names.find_needed(label.name, needed);
  for_each_column(layout.schema, [&](ClickColumn& column) {
    column.index = names.find_needed(column_name(column), needed);
  });
  if (layout.days) layout.day_column = names.find(layout.days->column);
}

/// Names that the first objects do not have become columns of missing values, unless they have none
/// of the model's.
void add_missing_names(const ClickLayout& layout, const std::string& input,
                       std::vector<std::string>& names) {
  const auto is_there = [&](const ClickColumn& column) {
    return std::find(names.begin(), names.end(), column_name(column)) != names.end();
  };
  const ClickSchema& schema = layout.schema;
  if (std::none_of(schema.numbers.begin(), schema.numbers.end(), is_there) &&
      std::none_of(schema.categories.begin(), schema.categories.end(), is_there)) {
    return;
  }
  std::vector<std::string> lacking;
  for (const auto* columns : {&schema.numbers, &schema.categories}) {
    for (const ClickColumn& column : *columns) {
      if (!is_there(column)) lacking.push_back(column_name(column));
    }
  }
  warn_of_missing_columns(input, lacking, names);
  names.insert(names.end(), lacking.begin(), lacking.end());
}

/// The columns that a layout has a use for.
std::vector<std::size_t> used_columns(const ClickLayout& layout) {
  std::vector<std::size_t> used;
  if (layout.reads_labels) used.push_back(layout.schema.label.index);
  for (const ClickColumn& column : layout.schema.numbers) used.push_back(column.index);
  for (const ClickColumn& column : layout.schema.categories) used.push_back(column.index);
  if (layout.days) used.push_back(layout.day_column);
  return used;
}

/// The columns behind the label stand one to the left where it is missing.
void leave_out_label(ClickLayout& layout) {
  layout.has_labels = false;
  for_each_column(layout.schema, [&](ClickColumn& column) {
    column.index -= column.index > layout.schema.label.index ? 1 : 0;
  });
}

void check_number(std::size_t num_columns, const std::string& name, const ClickLayout& layout) {
  const std::size_t expected = layout.schema.num_columns - (layout.has_labels ? 0 : 1);
  if (num_columns == expected) return;
  fail(ExitStatus::bad_input, name, ":1: found ", format_count(num_columns, "column"),
       ", expected ", expected,
       layout.schema.has_header ? "; a header names those that there are, in any order" : "");
}

void place_by_number(std::size_t num_columns, const std::string& name, ClickLayout& layout) {
  if (!layout.reads_labels && num_columns + 1 == layout.schema.num_columns) {
    leave_out_label(layout);
  }
  check_number(num_columns, name, layout);
  if (!layout.days) return;
  std::vector<std::string> names(num_columns);
  if (layout.has_labels) names[layout.schema.label.index] = layout.schema.label.name;
  for_each_column(layout.schema,
                  [&](ClickColumn& column) { names[column.index] = column_name(column); });
  layout.day_column = ColumnNames(names, num_columns, "--days").find(layout.days->column);
}

void place_pairs(const Fields& fields, const std::string& name, ClickLayout& layout) {
  if (layout.days) fail(ExitStatus::usage, "--days needs columns, which libfm has none of");
  if (!layout.reads_labels && !fields.empty() && fields[0].find(':') != std::string_view::npos) {
    leave_out_label(layout);
  }
  check_number(fields.size(), name, layout);
}

/// rows: the first rows, without a header.
void check_columns(const std::string& name, std::span<const TableRow> rows, ClickLayout& layout) {
  layout.decimal_marks = DecimalMarks(layout.form.style.separator, rows, layout.form.header);
  for (const ClickColumn& column : layout.schema.categories) {
    if (column.type == ClickColumnType::category) continue;
    warn_of_first_day(name, column_name(column), column.index, rows);
  }
}

void lay_out_json(const std::string& name, std::string_view head, ClickLayout& layout) {
  const ClickSchema& schema = layout.schema;
  TableHead rows = json_head(head, name);
  if (rows.empty()) refuse_no_objects(name, head);
  std::vector<std::string> names = std::move(rows.rows[0]);
  const bool has_names =
      schema.has_header || !click_formats().by_name(schema.format).columns.empty();
  if (has_names) add_missing_names(layout, name, names);
  const Fields fields(names.begin(), names.end());
  if (has_names) {
    place_by_name(fields, name, layout);
  } else {
    place_by_number(fields.size(), name, layout);
  }
  check_columns(name, std::span(rows.rows).subspan(1), layout);
  auto columns = std::make_shared<JsonColumns>(std::move(names));
  columns->read_only(used_columns(layout));
  layout.form = json_form(std::move(columns));
}

}  // namespace

const ClickFormat& find_format(const ClickSchema& schema, const ClickOptions& options,
                               std::string_view head) {
  if (options.format != "auto" || options.separator != "auto") {
    return choose_format(options, {"", head});
  }
  const ClickFormat& known = click_formats().by_name(schema.format);
  const FormatSample sample("", head);
  const ClickFormat& json = click_formats().by_name("jsonl");
  if (!known.pairs && json.recognises(sample)) return json;
  if (!known.has_any_columns() || known.recognises(sample)) return known;
  for (const ClickFormat& format : click_formats()) {
    if (format.has_any_columns() && format.recognises(sample)) return format;
  }
  return known;
}

ClickLayout find_layout(const ClickSchema& schema, const ClickOptions& options,
                        const std::string& name, std::string_view head, Labels labels) {
  if (head.empty()) fail(ExitStatus::bad_input, name, ": is empty, expected samples");
  if (head.starts_with('\n') || head.starts_with("\r\n")) {
    fail(ExitStatus::bad_input, name, ":1: the first line is empty, expected a record");
  }
  const ClickFormat& format = find_format(schema, options, head);
  refuse_other_texts(format, options, name, head);
  if (format.pairs && options.header != "auto") {
    fail(ExitStatus::usage, name, ": the format is ", format.name,
         ", but --header goes with columns");
  }
  if (schema.ids != IdKind::count && options.unknown != "rare") {
    fail(ExitStatus::usage, "--unknown ", options.unknown,
         " goes with categories that are counted, found --ids ", id_kind_name(schema.ids));
  }
  if (format.pairs != click_formats().by_name(schema.format).pairs) {
    fail(ExitStatus::usage, "--format is ", format.name, ", but the model was trained on ",
         schema.format);
  }
  ClickLayout layout;
  layout.form.style = input_style(format, options, head);
  layout.pairs = format.pairs;
  layout.schema = schema;
  layout.reads_labels = labels == Labels::required;
  if (!options.days.empty()) layout.days.emplace(options.days);
  if (format.json) {
    lay_out_json(name, head, layout);
    return layout;
  }
  Fields fields;
  if (format.pairs) {
    split_words(head.substr(0, head.find('\n')), fields);
    place_pairs(fields, name, layout);
  } else {
    RecordParser parser(layout.form.style);  // owns fields with doubled quotes
    parser.parse(head, fields);
    const bool has_header = is_header(schema, options, fields, head, layout.form.style);
    layout.form.header_line = has_header ? 1 : 0;
    if (has_header) layout.form.header.assign(fields.begin(), fields.end());
    if (has_header && (schema.has_header || !format.has_any_columns())) {
      place_by_name(fields, name, layout);
    } else {
      place_by_number(fields.size(), name, layout);
    }
    const TableHead first = record_head(head, layout.form.style, /*is_whole=*/false);
    check_columns(name, std::span(first.rows).subspan(has_header ? 1 : 0), layout);
  }
  layout.form.num_columns = fields.size();
  return layout;
}

}  // namespace frugal::robe
