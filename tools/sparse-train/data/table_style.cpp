#include "tools/sparse-train/data/table_style.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tables/json_head.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kLinesForSeparator = 50;
/// A head that is shorter than what readers look at is all of the text.
constexpr std::size_t kWholeText = std::size_t{64} << 10;
/// Readers of training data look at this much at least.
constexpr std::size_t kTextForQuotes = std::size_t{256} << 10;

/// Whether each of the first lines has the character.
bool every_line_has(std::string_view head, char c) {
  for (std::size_t i = 0; i < kLinesForSeparator && !head.empty(); ++i) {
    const std::string_view line = head.substr(0, head.find('\n'));
    if (!trim(line).empty() && line.find(c) == std::string_view::npos) return false;
    head.remove_prefix(std::min(line.size() + 1, head.size()));
  }
  return true;
}

char separator_of(const FeatureOptions& options, const ExampleFormat& format,
                  std::string_view head) {
  if (options.separator != "auto") return given_separator(options.separator);
  const char usual = format.style.separator;
  if (usual == '\t' && every_line_has(head, '\t')) return '\t';
  const char found = find_separator(first_text(head), false);
  const bool texts_have_it = found == '\t' && every_line_has(head, usual);
  return found == ' ' || texts_have_it ? usual : found;
}

/// Number of lines in a record if all have as many separators as a row has, else 0.
std::size_t lines_like_rows(std::string_view record, char separator, std::size_t separators) {
  if (record.ends_with('\n')) record.remove_suffix(1);
  if (separators == 0 || record.find('\n') == std::string_view::npos) return 0;
  const auto lines = split(record, '\n');
  const bool are_alike = std::all_of(lines.begin(), lines.end(), [&](std::string_view line) {
    return static_cast<std::size_t>(std::count(line.begin(), line.end(), separator)) == separators;
  });
  return are_alike ? lines.size() : 0;
}

bool has_quote_at_field(std::string_view record) {
  return record.starts_with('"') || record.find("\t\"") != std::string_view::npos;
}

/// Whether fields between tabs are quoted: see table_style(). A quoted field that spans lines
/// divides the tabs of one row among them, so that not each of them has as many as a row.
bool has_quoted_fields(std::string_view head) {
  const bool is_cut = head.size() >= kTextForQuotes;
  head = head.substr(0, kTextForQuotes);
  if (head.find('"') == std::string_view::npos) return false;
  const auto first_end =
      head.begin() + static_cast<std::ptrdiff_t>(std::min(head.find('\n'), head.size()));
  const auto tabs = static_cast<std::size_t>(std::count(head.begin(), first_end, '\t'));
  bool some = false;
  RecordParser parser({'\t', true});
  std::vector<std::string_view> fields;
  while (!head.empty()) {
    const std::size_t length = parser.parse(head, fields);
    std::string_view record = head.substr(0, length);
    const bool is_last_of_cut = is_cut && length == head.size();
    if (is_last_of_cut) record = record.substr(0, record.rfind('\n') + 1);
    if (lines_like_rows(record, '\t', tabs) > 1) return false;
    if (!parser.problem().empty()) return is_last_of_cut && some;
    some = some || has_quote_at_field(record);
    head.remove_prefix(length);
  }
  return some;
}

}  // namespace

DelimitedStyle with_quotes_of(DelimitedStyle style, const FeatureOptions& options,
                              const ExampleFormat& format) {
  if (style.separator == '\t' && options.format != "auto") style.quotes = format.style.quotes;
  return style;
}

DelimitedStyle table_style(const FeatureOptions& options, const ExampleFormat& format,
                           std::string_view head) {
  if (format.json) return format.style;
  const char separator = separator_of(options, format, head);
  const bool is_told = separator != '\t' || options.format != "auto";
  return with_quotes_of({separator, is_told || has_quoted_fields(head)}, options, format);
}

TableHead first_rows(std::string_view head, const ExampleFormat& format, DelimitedStyle style,
                     const std::string& name) {
  if (!format.json) return record_head(head, style, head.size() < kWholeText);
  TableHead rows = json_head(head, name);
  if (!rows.empty() || trim(head).empty()) return rows;
  refuse_no_objects(name, head);
}

TableRow header_names(const TableRow& first, const ExampleFormat& format) {
  TableRow names = first;
  if (format.json) return names;  // names are found as they are written
  for (std::string& name : names) name = trim(std::string_view(name));
  return names;
}

std::string joined_rows(std::string_view record, const InputLayout& layout) {
  const char separator = layout.style.separator;
  const std::size_t fewest = separator == '\t' ? 2 : 10;
  if (!layout.style.quotes || record.find('\n') == std::string_view::npos) return "";
  const std::size_t lines = lines_like_rows(record, separator, layout.num_columns - 1);
  if (lines < fewest) return "";
  return "a quoted field spans " + std::to_string(lines) +
         " lines that look like rows, which are read as one row" + advice_on_quotes(layout.style);
}

std::string advice_on_quotes(DelimitedStyle style) {
  return style.quotes && style.separator == '\t' ? " (--format tsv: quotes are text)" : "";
}

std::string advice_on_width(const InputLayout& layout, std::span<const std::string_view> fields) {
  const bool has_quotes = std::any_of(fields.begin(), fields.end(), [](auto field) {
    return field.starts_with('"') || field.ends_with('"');
  });
  if (layout.style.separator == '\t' && !layout.style.quotes && has_quotes) {
    return " (--format csv --separator tab: quotes enclose fields)";
  }
  const bool may_be_text = layout.keeps_blank && !layout.has_header && layout.columns.size() == 1;
  return may_be_text && layout.has_text() ? " (--format text: each line is one text)" : "";
}

bool next_piece(PieceReader& reader, DelimitedStyle style, TextPiece& piece) {
  try {
    return reader.next(piece);
  } catch (const Error& error) {
    if (error.status() != ExitStatus::bad_input) throw;
    fail(error.status(), error.what(), advice_on_quotes(style));
  }
}

}  // namespace frugal::sparse
