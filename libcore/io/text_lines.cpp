#include "libcore/io/text_lines.h"

#include <algorithm>

#include "libcore/base/text.h"

namespace frugal {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

void split_at_blanks(std::string_view line, std::vector<std::string_view>& fields) {
  std::size_t at = 0;
  for (;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return;
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    fields.push_back(line.substr(begin, at - begin));
  }
}

}  // namespace

void FieldSplitter::split(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  if (separator_ == ' ') return split_at_blanks(line, fields);
  if (line.find('"') == std::string_view::npos) {
    for (std::size_t at = 0;;) {
      const std::size_t end = std::min(line.find(separator_, at), line.size());
      fields.push_back(trim(line.substr(at, end - at)));
      if (end == line.size()) return;
      at = end + 1;
    }
  }
  records_.parse(line, fields);
  if (!records_.problem().empty()) fail(ExitStatus::bad_input, records_.problem());
}

bool is_comment(std::string_view line) {
  return !line.empty() && (line.front() == '#' || line.front() == '%');
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
    // The last line may be cut.
    TextShape shape = shape_of(head.substr(0, head.rfind('\n') + 1), strict_tabs, reader.name());
    if (!shape.empty) return checked(std::move(shape), reader.name());
    const std::size_t before = head.size();
    head = reader.longer_head();
    if (head.size() == before)
      return checked(shape_of(head, strict_tabs, reader.name()), reader.name());
  }
}

PieceLines::PieceLines(const TextPiece& piece, const std::string& name, std::uint64_t header_line)
    : piece_(piece), name_(name) {
  for (std::uint64_t line = piece.first_line; line <= header_line; ++line) {
    at_ = std::min(piece.text().find('\n', at_), piece.size - 1) + 1;
    if (at_ == piece.size) break;
  }
}

bool PieceLines::next(std::string_view& line, bool with_empty) {
  const std::string_view text = piece_.text();
  while (at_ < text.size()) {
    line_begin_ = at_;
    const std::size_t end = std::min(text.find('\n', at_), text.size());
    line = text.substr(at_, end - at_);
    at_ = std::min(end + 1, text.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_comment(line) || (!with_empty && trim(line).empty())) continue;
    return true;
  }
  return false;
}

std::string PieceLines::place(std::size_t offset) const {
  const std::string_view before = piece_.text().substr(0, offset);
  return name_ + ":" + std::to_string(piece_.first_line + count_lines(before));
}

}  // namespace frugal
