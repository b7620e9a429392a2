#include "libcore/tables/table_rows.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/tables/json_rows.h"

namespace frugal {

std::string_view unquoted(std::string_view field) {
  const bool quoted =
      field.size() > 1 && field.front() == '"' && field.find('"', 1) == field.size() - 1;
  return quoted ? field.substr(1, field.size() - 2) : field;
}

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// The end of the quoted field that begins there, or `begin` if none does.
std::size_t quoted_end(std::string_view line, std::size_t begin) {
  if (line[begin] != '"') return begin;
  const std::size_t end = line.find('"', begin + 1);
  const bool closed = end != std::string_view::npos;
  return closed && (end + 1 == line.size() || is_blank(line[end + 1])) ? end + 1 : begin;
}

void split_at_blanks(std::string_view line, std::vector<std::string_view>& fields) {
  std::size_t at = 0;
  for (;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return;
    const std::size_t begin = at;
    at = quoted_end(line, begin);
    while (at < line.size() && !is_blank(line[at])) ++at;
    fields.push_back(unquoted(line.substr(begin, at - begin)));
  }
}

/// Most fields have nothing to trim, as their ends say at once.
bool may_trim(std::string_view text) {
  return !text.empty() && (text.front() <= ' ' || text.back() <= ' ');
}

/// Splits a line at the separator into at most kMostColumns + 1 fields; the rest is omitted.
void split_at(std::string_view line, char separator, bool trims,
              std::vector<std::string_view>& fields) {
  for (std::size_t at = 0; fields.size() <= kMostColumns;) {
    const std::size_t end = std::min(line.find(separator, at), line.size());
    const std::string_view field = line.substr(at, end - at);
    fields.push_back(trims && may_trim(field) ? trim(field) : field);
    if (end == line.size()) return;
    at = end + 1;
  }
}

std::string_view without_line_end(std::string_view row) {
  if (row.ends_with('\n')) row.remove_suffix(1);
  if (row.ends_with('\r')) row.remove_suffix(1);
  return row;
}

}  // namespace

void FieldSplitter::split(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  if (separator_ == ' ') return split_at_blanks(line, fields);
  if (line.find('"') == std::string_view::npos) return split_at(line, separator_, true, fields);
  records_.parse(line, fields);
  if (!records_.problem().empty()) fail(ExitStatus::bad_input, records_.problem());
}

bool is_comment(std::string_view line) {
  constexpr std::string_view kMissing = "#N/A";
  return line.starts_with('%') || (line.starts_with('#') && !line.starts_with(kMissing));
}

namespace {

TextShape shape_of(std::string_view head, bool strict_tabs, const std::string& name) {
  TextShape shape;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = trim(head.substr(0, end));
    head.remove_prefix(std::min(end + 1, head.size()));
    ++shape.line;
    if (line.empty() || is_comment(line)) continue;
    for (const char c : {',', ';', '\t'}) {
      if (c == '\t' && !strict_tabs) continue;
      if (line.find(c) != std::string_view::npos && shape.separator == ' ') shape.separator = c;
    }
    shape.first = line;
    std::vector<std::string_view> fields;
    FieldSplitter splitter(shape.separator);
    try {
      splitter.split(line, fields);
    } catch (const Error& error) {
      fail(error.status(), name, ":", shape.line, ": ", error.what());
    }
    shape.first_fields.assign(fields.begin(), fields.end());
    shape.empty = false;
    break;
  }
  return shape;
}

/// Binary files may look like a line of names.
TextShape checked(TextShape shape, const std::string& name) {
  if (shape.first.find('\0') == std::string::npos) return shape;
  fail(ExitStatus::bad_input, name, ":", shape.line, ": has a byte 0, expected text");
}

}  // namespace

TextShape text_shape(PieceReader& reader, bool strict_tabs) {
  for (std::string_view head = reader.head();;) {
    // The last line may be incomplete.
    TextShape shape = shape_of(head.substr(0, head.rfind('\n') + 1), strict_tabs, reader.name());
    if (!shape.empty) return checked(std::move(shape), reader.name());
    const std::size_t before = head.size();
    head = reader.longer_head();
    if (head.size() == before)
      return checked(shape_of(head, strict_tabs, reader.name()), reader.name());
  }
}

void TableForm::check(std::size_t found, std::string_view hint) const {
  if (found == num_columns) return;
  fail(ExitStatus::bad_input, "found ", format_count(found, "column"), ", expected ", num_columns,
       model_line != 0 ? " as in line " + std::to_string(model_line) : "", hint);
}

std::string_view TableForm::tab_hint(std::string_view row) const {
  const bool is_divided_at_blanks = !json && style.separator == ' ';
  if (!is_divided_at_blanks ||
      (row.find("\t\t") == std::string_view::npos && !row.ends_with('\t'))) {
    return "";
  }
  return "; tabs separate like blanks here, so that an empty field is none: "
         "sed 's/\\t/,/g' FILE > OUT keeps it";
}

void TableRows::check_width() const {
  if (fields_.size() != form_.num_columns) form_.check(fields_.size(), form_.tab_hint(row_));
}

TableForm json_form(std::shared_ptr<const JsonColumns> columns) {
  TableForm form;
  form.style = DelimitedStyle::lines();
  form.num_columns = columns->size();
  form.json = std::move(columns);
  return form;
}

TableForm line_form(const TextShape& shape, bool is_header) {
  TableForm form;
  form.style = {shape.separator, shape.separator != ' '};
  form.lines = true;
  form.header_line = is_header ? shape.line : 0;
  if (is_header) form.header = shape.first_fields;
  form.num_columns = shape.first_fields.size();
  form.model_line = shape.line;
  return form;
}

void TableRows::start(std::string_view text, std::uint64_t first_line) {
  text_ = text;
  begin_ = end_ = counted_ = 0;
  num_empty_ = 0;
  line_ = first_line;
  const auto pass_lines = [&](std::uint64_t end) {
    for (std::uint64_t line = first_line; line < end && end_ < text_.size(); ++line) {
      end_ = std::min(text_.find('\n', end_), text_.size() - 1) + 1;
    }
  };
  if (form_.lines || form_.header_line < first_line) return pass_lines(form_.header_line + 1);
  // The header may have line ends in quotes. Lines above it are comments, and so may this one be.
  pass_lines(form_.header_line);
  if (is_comment(text_.substr(end_))) {
    end_ = std::min(text_.find('\n', end_), text_.size() - 1) + 1;
  } else {
    pass();
  }
  num_empty_ = 0;
}

void TableRows::start_at(const TextPiece& piece, std::size_t offset) {
  start(piece.text(), ~std::uint64_t{0});
  begin_ = end_ = offset;
  line_ = piece.first_line;
}

bool TableRows::pass() {
  is_split_ = false;
  if (form_.lines) return pass_line();
  while (end_ < text_.size()) {
    begin_ = end_;
    end_ = std::min(text_.find('\n', begin_), text_.size() - 1) + 1;
    row_ = text_.substr(begin_, end_ - begin_);
    if (form_.style.quotes && row_.find('"') != std::string_view::npos) {
      end_ = begin_ + quoted_.parse(text_.substr(begin_), fields_);
      row_ = text_.substr(begin_, end_ - begin_);
      is_split_ = true;
    }
    row_ = without_line_end(row_);
    if (form_.json && may_trim(row_)) row_ = trim(row_);
    if (!row_.empty() || form_.empty_rows) return true;
    ++num_empty_;
  }
  return false;
}

bool TableRows::pass_line() {
  while (end_ < text_.size()) {
    begin_ = end_;
    const std::size_t end = std::min(text_.find('\n', begin_), text_.size());
    row_ = text_.substr(begin_, end - begin_);
    end_ = std::min(end + 1, text_.size());
    if (row_.ends_with('\r')) row_.remove_suffix(1);
    if (is_comment(row_)) continue;
    const bool is_empty = row_.empty() || (may_trim(row_) && trim(row_).empty());
    if (!is_empty || form_.empty_rows) return true;
  }
  return false;
}

void TableRows::split_fields() {
  const DelimitedStyle style = form_.style;
  if (form_.json && !row_.empty()) return form_.json->split(row_, members_, fields_);
  if (!is_split_) {
    fields_.clear();
    if (style.separator == ' ') return split_at_blanks(row_, fields_);
    const bool is_quoted = form_.lines && style.quotes && row_.find('"') != std::string_view::npos;
    if (!is_quoted) return split_at(row_, style.separator, form_.lines, fields_);
    quoted_.parse(row_, fields_);
    is_split_ = true;
  }
  if (!quoted_.problem().empty()) fail(ExitStatus::bad_input, quoted_.problem());
}

void TableRows::refuse_header() const {
  if (!std::equal(fields_.begin(), fields_.end(), form_.header.begin())) return;
  fail(ExitStatus::bad_input, "repeats the header of line ", form_.header_line,
       ", expected a row; awk 'NR == ", form_.header_line,
       " {h = $0; print} $0 != h' FILE leaves the repeats out");
}

void TableRows::take(std::string_view row) {
  row_ = without_line_end(row);
  is_split_ = form_.style.quotes && row_.find('"') != std::string_view::npos;
  if (is_split_) quoted_.parse(row_, fields_);
}

std::uint64_t TableRows::line() {
  if (begin_ < counted_) return line_;
  line_ += count_lines(text_.substr(counted_, begin_ - counted_));
  counted_ = begin_;
  return line_;
}

}  // namespace frugal
