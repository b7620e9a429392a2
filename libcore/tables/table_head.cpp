#include "libcore/tables/table_head.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::string_view kSeparators = ",;\t|";
constexpr std::size_t kLinesForSeparator = 50;

struct Lines {
  std::vector<std::string_view> lines;
  std::string_view comment;  ///< the last one before the first line
  std::uint64_t comment_line = 0;
  std::uint64_t first = 0;  ///< number of the first line
};

/// A line without blanks around it; tabs stay, since there may be empty fields between them.
std::string_view without_blanks(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  return line.substr(begin, line.find_last_not_of(" \r") + 1 - begin);
}

/// The first lines that are neither empty nor comments.
Lines first_lines(std::string_view head, bool comments, std::size_t most) {
  Lines out;
  for (std::uint64_t number = 1; !head.empty() && out.lines.size() < most; ++number) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = head.substr(0, end), trimmed = trim(line);
    head.remove_prefix(std::min(end + 1, head.size()));
    if (trimmed.empty()) continue;
    if (comments && is_comment(trimmed)) {
      if (out.lines.empty()) out.comment = trimmed, out.comment_line = number;
      continue;
    }
    if (out.lines.empty()) out.first = number;
    out.lines.push_back(without_blanks(line));
  }
  return out;
}

/// Splits a line at the separator, with quotes as in CSV.
std::vector<std::string_view> fields_of(FieldSplitter& splitter, std::string_view line) {
  std::vector<std::string_view> fields;
  try {
    splitter.split(line, fields);
  } catch (const Error&) {
    fields.clear();
  }
  return fields;
}

/// Number of fields that all lines have; 1 if they differ.
std::size_t fields_everywhere(const std::vector<std::string_view>& lines, char separator) {
  FieldSplitter splitter(separator);
  std::size_t count = 0;
  for (const std::string_view line : lines) {
    const std::size_t found = fields_of(splitter, line).size();
    if (found < 2 || (count != 0 && found != count)) return 1;
    count = found;
  }
  return std::max<std::size_t>(count, 1);
}

bool is_decimal_comma(std::string_view field) {
  const std::size_t comma = field.find(',');
  if (comma == std::string_view::npos) return false;
  std::string number(field);
  number[comma] = '.';
  return parse_finite<double>(number).has_value();
}

/// Whether fields between semicolons contain numbers with a decimal comma.
bool has_decimal_commas(const std::vector<std::string_view>& lines) {
  FieldSplitter splitter(';');
  const auto fields = fields_of(splitter, lines.back());
  return std::any_of(fields.begin(), fields.end(), is_decimal_comma);
}

char separator_of(const std::vector<std::string_view>& lines) {
  char best = ' ';
  std::size_t most = 1;
  for (const char c : kSeparators) {
    const std::size_t fields = fields_everywhere(lines, c);
    if (fields > most || (c == ';' && fields > 1 && has_decimal_commas(lines))) {
      best = c, most = fields;
    }
  }
  if (best != ' ' || lines.empty()) return best;
  for (const char c : kSeparators) {
    FieldSplitter splitter(c);
    const std::size_t fields = fields_of(splitter, trim(lines.front())).size();
    if (fields > most) best = c, most = fields;
  }
  return best;
}

/// True if tabs divide all lines into the same number of fields, of which some are empty. Tabs at
/// the beginning or the end of every line are indents or ends.
bool has_empty_fields(const std::vector<std::string_view>& lines) {
  FieldSplitter splitter('\t');
  std::vector<std::size_t> num_empty;
  for (const std::string_view line : lines) {
    const auto fields = fields_of(splitter, line);
    if (num_empty.empty()) num_empty.resize(fields.size());
    if (fields.size() < 2 || fields.size() != num_empty.size()) return false;
    for (std::size_t c = 0; c < fields.size(); ++c) num_empty[c] += fields[c].empty() ? 1 : 0;
  }
  for (std::size_t c = 0; c < num_empty.size(); ++c) {
    const bool is_edge = c == 0 || c + 1 == num_empty.size();
    if (num_empty[c] != 0 && !(is_edge && num_empty[c] == lines.size())) return true;
  }
  return false;
}

TableRow to_row(const std::vector<std::string_view>& fields) {
  return {fields.begin(), fields.end()};
}

/// Names in a comment line, if there are as many as fields in the first row.
TableRow names_in_comment(std::string_view comment, char separator, std::size_t expected) {
  comment = trim(comment.substr(std::min(comment.find_first_not_of("#%"), comment.size())));
  FieldSplitter splitter(separator);
  TableRow names = to_row(fields_of(splitter, comment));
  const bool fits = names.size() == expected &&
                    std::none_of(names.begin(), names.end(),
                                 [](const auto& n) { return parse_number<double>(n).has_value(); });
  return fits ? names : TableRow{};
}

/// How lines are divided into fields; without a separator it is guessed.
struct LineStyle {
  bool strict_tabs = false;
  std::optional<char> separator;
};

char separator_of(const std::vector<std::string_view>& lines, const LineStyle& style) {
  if (style.separator) return *style.separator;
  std::vector<std::string_view> sample = lines;
  sample.resize(std::min(sample.size(), kLinesForSeparator));
  const char found = separator_of(sample);
  const bool is_blank = found == '\t' && !style.strict_tabs && !has_empty_fields(lines);
  return is_blank ? ' ' : found;
}

TableHead head_of_lines(std::string_view head, const LineStyle& style, const std::string& name) {
  TableHead out;
  const Lines found = first_lines(head, true, TableHead::kMostRows);
  if (found.lines.empty()) return out;
  out.line = found.first;
  out.separator = separator_of(found.lines, style);
  if (found.lines.front().find('\0') != std::string_view::npos) {
    fail(ExitStatus::bad_input, name, ":", out.line, ": has a byte 0, expected text");
  }
  FieldSplitter splitter(out.separator);
  std::vector<std::string_view> fields;
  try {
    splitter.split(found.lines.front(), fields);
  } catch (const Error& error) {
    fail(error.status(), name, ":", out.line, ": ", error.what());
  }
  out.rows.push_back(to_row(fields));
  for (std::size_t i = 1; i < found.lines.size(); ++i) {
    out.rows.push_back(to_row(fields_of(splitter, found.lines[i])));
  }
  out.comment_line = found.comment_line;
  out.comment_names = names_in_comment(found.comment, out.separator, out.first().size());
  return out;
}

}  // namespace

char find_separator(std::string_view head, bool comments) {
  return separator_of(first_lines(head, comments, kLinesForSeparator).lines);
}

char given_separator(const std::string& option) {
  if (option == "tab" || option == "\\t") return '\t';
  if (option.size() == 1 && option != "\"" && option != "\n" && option != "\r") return option[0];
  fail(ExitStatus::usage, "--separator is '", printable(option),
       "', expected auto, tab or one character like ; or |");
}

TableHead line_head(PieceReader& reader, bool strict_tabs, std::optional<char> separator) {
  const LineStyle style = {strict_tabs, separator};
  for (std::string_view head = reader.head();;) {
    // The last line may be incomplete.
    TableHead rows = head_of_lines(head.substr(0, head.rfind('\n') + 1), style, reader.name());
    if (!rows.empty()) return rows;
    const std::size_t before = head.size();
    head = reader.longer_head();
    if (head.size() == before) return head_of_lines(head, style, reader.name());
  }
}

TextShape head_shape(const TableHead& head) {
  TextShape shape;
  if (head.empty()) return shape;
  shape.separator = head.separator;
  shape.first_fields = head.first();
  shape.empty = false;
  shape.line = head.line;
  return shape;
}

TableHead record_head(std::string_view head, DelimitedStyle style, bool is_whole) {
  TableHead out;
  out.separator = style.separator;
  out.line = 1;
  RecordScanner scanner(style);
  const std::size_t whole = is_whole ? head.size() : scanner.scan(head);
  // A first record that is longer than the head is cut: its first fields are there.
  head = head.substr(0, whole == 0 ? head.size() : whole);
  RecordParser parser(style);
  std::vector<std::string_view> fields;
  while (!head.empty() && out.rows.size() < TableHead::kMostRows) {
    const bool is_empty = head.starts_with('\n') || head.starts_with("\r\n");
    const std::size_t length = parser.parse(head, fields);
    if (!is_empty) out.rows.push_back(to_row(fields));
    if (out.rows.empty()) ++out.line;
    head.remove_prefix(std::min(std::max<std::size_t>(length, 1), head.size()));
  }
  return out;
}

}  // namespace frugal
