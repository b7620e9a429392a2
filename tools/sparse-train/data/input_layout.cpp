#include "tools/sparse-train/data/input_layout.h"

#include <algorithm>
#include <array>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/svmlight.h"

namespace frugal::sparse {
namespace {

constexpr std::array<std::string_view, 6> kLabelNames{"label",  "labels",   "class",
                                                      "target", "category", "sentiment"};
constexpr std::array<std::string_view, 4> kTextNames{"text", "title", "description", "review"};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

template <class Names>
bool is_one_of(std::string_view text, const Names& names) {
  return std::find(names.begin(), names.end(), lower(trim(text))) != names.end();
}

bool is_name(std::string_view column) {
  return !column.empty() && !parse_number<std::uint32_t>(column);
}

/// "auto": a column is asked for by name, or a field of the first record is a usual name of a
/// column.
bool first_record_is_header(const FeatureOptions& options,
                            const std::vector<std::string_view>& fields) {
  if (options.header == "yes") return true;
  if (options.header == "no") return false;
  if (options.header != "auto") {
    fail(ExitStatus::usage, "--header is '", printable(options.header),
         "', expected auto, yes or no");
  }
  if (is_name(options.label_column)) return true;
  for (const ColumnSpec& column : parse_columns(options.columns)) {
    if (is_name(column.name) && column.name != kOtherColumns) return true;
  }
  for (const std::string_view column : split(options.text_columns, ',')) {
    if (is_name(column)) return true;
  }
  return std::any_of(fields.begin(), fields.end(), [](std::string_view field) {
    return is_one_of(field, kLabelNames) || is_one_of(field, kTextNames);
  });
}

void add_column(InputLayout& layout, const ColumnSpec& spec) {
  std::size_t number = 0;
  if (!layout.columns.empty()) {
    const InputColumn& last = layout.columns.back();
    number = last.number + (last.type == ColumnType::number ? 1 : 0);
  }
  layout.columns.push_back(
      {spec.index, spec.type, spec.name, spec.separator, column_salt(spec.name), number});
}

void find_label_column(const FeatureOptions& options, const ColumnNames& names,
                       InputLayout& layout) {
  layout.label_separator = options.label_separator;
  if (!options.label_column.empty()) {
    layout.label_column = names.find(options.label_column);
    return;
  }
  const auto found =
      std::find_if(layout.header.begin(), layout.header.end(),
                   [](const std::string& column) { return is_one_of(column, kLabelNames); });
  if (found != layout.header.end()) {
    layout.label_column = static_cast<std::size_t>(found - layout.header.begin());
  }
}

/// --columns: what is not named is ignored.
void find_declared_columns(const std::vector<ColumnSpec>& declared, const FeatureOptions& options,
                           const ColumnNames& names, InputLayout& layout) {
  if (!options.text_columns.empty()) {
    fail(ExitStatus::usage, "--columns and --text-columns are given, expected one of them");
  }
  const std::vector<ColumnSpec> placed = column_types().place(declared, names);
  const auto label = std::find_if(placed.begin(), placed.end(), [](const ColumnSpec& spec) {
    return spec.type == ColumnType::label;
  });
  if (label == placed.end()) {
    find_label_column(options, names, layout);
  } else if (!options.label_column.empty()) {
    fail(ExitStatus::usage, "--columns and --label-column name a label, expected one of them");
  } else {
    layout.label_column = label->index;
    layout.label_separator = label->separator;
  }
  for (const ColumnSpec& spec : placed) {
    if (spec.type == ColumnType::label || spec.type == ColumnType::ignore) continue;
    if (spec.index != layout.label_column) {
      add_column(layout, spec);
    } else if (spec.is_named) {
      fail(ExitStatus::usage, "column '", printable(spec.name),
           "' has features and the label, expected another one of type label");
    }
  }
}

void find_columns(const FeatureOptions& options, const ColumnNames& names, InputLayout& layout) {
  const std::vector<ColumnSpec> declared = parse_columns(options.columns);
  if (!declared.empty()) return find_declared_columns(declared, options, names, layout);
  find_label_column(options, names, layout);
  std::vector<ColumnSpec> texts;
  for (const std::string_view part : split(options.text_columns, ',')) {
    texts.push_back({std::string(trim(part)), ColumnType::text});
  }
  if (!options.text_columns.empty()) {
    for (const ColumnSpec& spec : column_types().place(texts, names)) add_column(layout, spec);
    return;
  }
  for (std::size_t i = 0; i < layout.num_columns; ++i) {
    if (i != layout.label_column) add_column(layout, {std::to_string(i + 1), {}, {}, i});
  }
}

void lay_out_columns(const FeatureOptions& options, const std::string& name, std::string_view head,
                     InputLayout& layout) {
  RecordParser parser(layout.format->style);
  std::vector<std::string_view> fields;
  parser.parse(head, fields);
  check_num_columns(fields.size(), name);
  layout.num_columns = fields.size();
  if (layout.num_columns < 2) {
    const char separator = layout.format->style.separator;
    fail(ExitStatus::bad_input, name,
         ":1: found one column, expected a label and features separated by ",
         separator == '\t' ? "tabs" : "'" + std::string(1, separator) + "'");
  }
  layout.has_header = first_record_is_header(options, fields);
  if (layout.has_header) layout.header.assign(fields.begin(), fields.end());
  find_columns(options, {layout.header, layout.num_columns, name + ":1"}, layout);
}

constexpr std::uint64_t kAnyId = std::numeric_limits<std::uint32_t>::max();

/// Of features and labels; points may be more.
void check_counts(const std::string& name, std::string_view line) {
  const auto words = split(trim(line), ' ');
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool digits = words[i].find_first_not_of("0123456789") == std::string_view::npos;
    if (words[i].empty() || !digits || parse_number<std::uint32_t>(words[i])) continue;
    fail(ExitStatus::bad_input, name, ":1: ", printable(words[i], 40),
         " is too large for the header 'points features labels', expected at most ", kAnyId);
  }
}

void lay_out_counts(const std::string& name, std::string_view head, InputLayout& layout) {
  const std::string_view line = head.substr(0, head.find('\n'));
  const auto header = parse_xmc_header(line);
  if (!header) check_counts(name, line);
  if (!header) {
    fail(ExitStatus::bad_input, name, ":1: found '", printable(line),
         "', expected the header 'points features labels'");
  }
  layout.has_header = true;
  layout.num_points = header->points;
  layout.feature_limit = header->features;
  layout.label_limit = header->labels;
}

}  // namespace

bool InputLayout::has_text() const {
  if (!format->columns) return format->has_text();
  return std::any_of(columns.begin(), columns.end(),
                     [](const InputColumn& c) { return c.type == ColumnType::text; });
}

std::size_t InputLayout::num_number_columns() const {
  const auto is_number = [](const InputColumn& c) { return c.type == ColumnType::number; };
  return static_cast<std::size_t>(std::count_if(columns.begin(), columns.end(), is_number));
}

void InputLayout::allow_any_id() {
  feature_limit = kAnyId;
  label_limit = kAnyId;
}

InputLayout find_layout(const FeatureOptions& options, const std::string& name,
                        std::string_view head) {
  InputLayout layout;
  if (trim(head).empty()) fail(ExitStatus::bad_input, name, ": is empty, expected examples");
  layout.format = options.format == "auto" ? &example_formats().detect({name, head})
                                           : &example_formats().by_name(options.format);
  layout.label_separator = layout.format->label_separator;
  if (layout.format->columns) lay_out_columns(options, name, head, layout);
  if (layout.format->feature_ids) layout.feature_limit = kAnyId;
  if (layout.format->counts) lay_out_counts(name, head, layout);
  return layout;
}

void check_format_options(const FeatureOptions& options, const ExampleFormat& format,
                          const std::string& name) {
  const FeatureOptions usual;
  const std::string columns = format_names(has_columns, "and");
  const auto check = [&](const std::string& option, bool given, bool applies,
                         const std::string& formats) {
    if (!given || applies) return;
    fail(ExitStatus::usage, name, ": the format is ", format.name, ", but ", option, " goes with ",
         formats);
  };
  check("--columns", !options.columns.empty(), format.columns, columns);
  check("--text-columns", !options.text_columns.empty(), format.columns, columns);
  check("--label-column", !options.label_column.empty(), format.columns, columns);
  check("--label-separator", !options.label_separator.empty(), format.columns, columns);
  check("--header", options.header == "yes", format.columns, columns);
  check("--label-prefix", options.label_prefix != usual.label_prefix, format.label_words,
        format_names(has_label_words, "and"));
  check("--tokenizer", options.tokenizer != usual.tokenizer, format.has_text(), "text");
  check("--encoding", options.encoding != usual.encoding, format.has_text(), "text");
  for (const std::string& option : options.for_text) check(option, true, format.has_text(), "text");
}

InputLayout layout_of_format(const ExampleFormat& format) {
  InputLayout layout;
  layout.format = &format;
  layout.allow_any_id();
  layout.label_separator = format.label_separator;
  if (format.columns) {
    layout.num_columns = 2;
    layout.columns = {{1, ColumnType::text, "2", "", column_salt("2"), 0}};
  }
  return layout;
}

}  // namespace frugal::sparse
