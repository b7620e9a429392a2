#include "tools/sparse-train/data/input_layout.h"

#include <algorithm>
#include <array>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/formats.h"
#include "libcore/io/svmlight.h"

namespace frugal {
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
  for (const std::string_view column : split(options.text_columns, ',')) {
    if (is_name(column)) return true;
  }
  return std::any_of(fields.begin(), fields.end(), [](std::string_view field) {
    return is_one_of(field, kLabelNames) || is_one_of(field, kTextNames);
  });
}

void find_columns(const FeatureOptions& options, const std::string& name, InputLayout& layout) {
  if (!options.label_column.empty()) {
    layout.label_column =
        find_column(layout.header, layout.num_columns, options.label_column, name);
  } else {
    const auto found =
        std::find_if(layout.header.begin(), layout.header.end(),
                     [](const std::string& column) { return is_one_of(column, kLabelNames); });
    if (found != layout.header.end()) {
      layout.label_column = static_cast<std::size_t>(found - layout.header.begin());
    }
  }
  if (options.text_columns.empty()) {
    for (std::size_t i = 0; i < layout.num_columns; ++i) {
      if (i != layout.label_column) layout.text_columns.push_back(i);
    }
  } else {
    for (const std::string_view column : split(options.text_columns, ',')) {
      layout.text_columns.push_back(
          find_column(layout.header, layout.num_columns, trim(column), name));
    }
  }
}

void lay_out_columns(const FeatureOptions& options, const std::string& name, std::string_view head,
                     InputLayout& layout) {
  RecordParser parser(layout.style());
  std::vector<std::string_view> fields;
  parser.parse(head, fields);
  layout.num_columns = fields.size();
  if (layout.num_columns < 2) {
    fail(ExitStatus::bad_input, name,
         ":1: found one column, expected a label and text separated by ",
         layout.format == "csv" ? "','" : "tabs");
  }
  layout.has_header = first_record_is_header(options, fields);
  if (layout.has_header) layout.header.assign(fields.begin(), fields.end());
  find_columns(options, name, layout);
}

void lay_out_xmc(const std::string& name, std::string_view head, InputLayout& layout) {
  const std::string_view line = head.substr(0, head.find('\n'));
  const auto header = parse_xmc_header(line);
  if (!header) {
    fail(ExitStatus::bad_input, name, ":1: found '", printable(line),
         "', expected the header 'points features labels'");
  }
  layout.has_header = true;
  layout.num_points = header->points;
  layout.feature_limit = header->features;
  layout.label_limit = header->labels;
}

constexpr std::uint64_t kAnyId = std::numeric_limits<std::uint32_t>::max();

}  // namespace

DelimitedStyle InputLayout::style() const {
  if (format == "csv") return DelimitedStyle::csv();
  if (format == "tsv") return DelimitedStyle::tsv();
  return DelimitedStyle::lines();
}

void InputLayout::allow_any_id() {
  feature_limit = kAnyId;
  label_limit = kAnyId;
}

InputLayout find_layout(const FeatureOptions& options, const std::string& name,
                        std::string_view head) {
  InputLayout layout;
  if (trim(head).empty()) fail(ExitStatus::bad_input, name, ": is empty, expected examples");
  if (options.format == "text") {
    layout.format = options.format;
  } else if (options.format != "auto") {
    layout.format = text_format(options.format).name;
  } else {
    layout.format = detect_text_format(name, head).name;
  }
  if (layout.is_delimited()) lay_out_columns(options, name, head, layout);
  if (layout.format == "xmc") lay_out_xmc(name, head, layout);
  if (layout.format == "svmlight") layout.feature_limit = kAnyId;
  return layout;
}

InputLayout layout_of_format(const std::string& format) {
  InputLayout layout;
  layout.format = format;
  layout.allow_any_id();
  if (layout.is_delimited()) {
    layout.num_columns = 2;
    layout.text_columns = {1};
  }
  return layout;
}

}  // namespace frugal
