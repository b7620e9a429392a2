#include "tools/sparse-train/data/records.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/system/restarted_calls.h"
#include "libcore/system/temporary_file.h"
#include "libcore/tables/record_reader.h"
#include "tools/sparse-train/data/layout_finder.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kHead = std::size_t{1} << 20;

/// A name as --columns takes any.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

std::string in_brackets(const std::string& separator) {
  return separator.empty() ? "" : "(" + separator + ")";
}

/// --columns of a layout: by number or, as objects of JSON Lines differ in their order, by name.
std::string declared_columns(const InputLayout& layout) {
  const auto name = [&](std::size_t column) {
    return layout.format->json ? quoted(layout.header[column]) : std::to_string(column + 1);
  };
  std::string columns = name(layout.label_column) + ":label" + in_brackets(layout.label_separator);
  for (const InputColumn& column : layout.columns) {
    columns += "," + name(column.index) + ":" + std::string(column_types().name(column.type)) +
               in_brackets(column.separator);
  }
  return columns;
}

/// Moves to the next record that is not blank, as the first of a table is found.
bool next_filled(RecordReader& reader, std::string_view& text) {
  while (reader.next(text)) {
    if (!text.empty()) return true;
  }
  return false;
}

}  // namespace

InputLayout layout_of_file(const std::string& path, FeatureOptions features) {
  features.quiet = true;  // whoever reads the file says what it assumes
  LineReader reader(path);
  std::string head;
  for (std::string_view line; head.size() < kHead && reader.next(line);) (head += line) += '\n';
  if (head.empty()) fail(ExitStatus::bad_input, path, ": is empty, expected examples");
  return find_layout(features, path, head);
}

FeatureOptions options_of_part(FeatureOptions options, const InputLayout& layout) {
  options.format = layout.format->name;
  if (!layout.format->columns) return options;
  if (layout.format->json) {
    if (!options.columns.empty()) return options;
    options.columns = declared_columns(layout);
    options.label_column = options.text_columns = "";
    return options;
  }
  options.header = layout.has_header ? "yes" : "no";
  options.separator = std::string(1, layout.style.separator);
  if (layout.style.separator == '\t') options.format = layout.style.quotes ? "csv" : "tsv";
  if (!options.columns.empty()) return options;
  if (!layout.has_text()) {  // a table of numbers
    options.columns = declared_columns(layout);
    options.label_column = "";
    return options;
  }
  if (options.label_column.empty()) options.label_column = std::to_string(layout.label_column + 1);
  if (!options.text_columns.empty()) return options;
  for (const InputColumn& column : layout.columns) {
    options.text_columns += (options.text_columns.empty() ? "" : ",") + column.name;
  }
  return options;
}

void for_each_record(const std::string& path, const InputLayout& layout,
                     const std::function<void(std::string_view, std::uint64_t)>& record) {
  RecordReader reader(path, layout.style);
  std::string_view text;
  if (layout.has_header) next_filled(reader, text);
  const bool has_comments = layout.form().lines;
  for (std::uint64_t i = 0; reader.next(text);) {
    if (!text.empty() && !(has_comments && is_comment(text))) record(text, i++);
  }
}

std::string first_record(const std::string& path, const InputLayout& layout) {
  RecordReader reader(path, layout.style);
  std::string_view text;
  return next_filled(reader, text) ? std::string(text) : "";
}

bool is_regular_input(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

std::string make_temporary_folder(const std::string& purpose) {
  std::string path = temporary_folder() + "/frugal-" + purpose + "-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    fail(ExitStatus::cannot_create, path, ": cannot create: ", errno_text(errno));
  }
  return path;
}

void open_part(std::ofstream& file, const std::string& path) {
  restarted([&] {
    file.clear();
    file.open(path, std::ios::binary);
    return file ? 0 : -1;
  });
}

}  // namespace frugal::sparse
