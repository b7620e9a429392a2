#include "libcore/tables/piece_reader.h"

#include <algorithm>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/file_kind.h"

namespace frugal {

std::uint64_t count_lines(std::string_view text) {
  // Sums of at most 255 fit into bytes; compilers vectorise this to 16 or more bytes a step.
  std::uint64_t total = 0;
  for (std::size_t begin = 0; begin < text.size(); begin += 255) {
    unsigned char sum = 0;
    for (const char c : text.substr(begin, 255))
      sum = static_cast<unsigned char>(sum + (c == '\n'));
    total += sum;
  }
  return total;
}

PieceReader::PieceReader(const std::string& path, std::size_t piece_size, std::size_t max_record)
    : source_(path), piece_size_(piece_size), max_record_(max_record) {}

void PieceReader::set_pace(Pace pace) { pace_ = pace; }
void PieceReader::set_style(DelimitedStyle style) { style_ = style; }

/// Reads until `memory` holds `size` bytes or, at a prompt pace, a whole record. False if the
/// source ends earlier, or has nothing ready and may_wait is false.
bool PieceReader::fill(std::vector<char>& memory, std::size_t& filled, std::size_t size,
                       RecordScanner& scanner, bool may_wait) {
  constexpr std::size_t kLeastRoom = std::size_t{1} << 12;  // small texts take little memory
  while (filled < size) {
    if (memory.size() == filled) memory.resize(std::min(size, std::max(kLeastRoom, 2 * filled)));
    if (pace_ == Pace::prompt) {
      if (scanner.scan({memory.data(), filled}) > 0) return true;
      if (!may_wait && !source_.is_ready()) return false;
    }
    const std::size_t got =
        source_.read(memory.data() + filled, std::min(memory.size(), size) - filled);
    source_ended_ = got == 0;
    if (source_ended_) return false;
    filled += got;
  }
  return true;
}

/// True if the bytes that were read have a header and a row, or, at a prompt pace, a line.
bool PieceReader::has_whole_lines() const {
  const std::string_view text(rest_.data(), rest_.size());
  const std::size_t first = text.find('\n');
  const bool is_one_enough = pace_ == Pace::prompt;
  return first != text.npos && (is_one_enough || text.find('\n', first + 1) != text.npos);
}

std::string_view PieceReader::head() {
  if (!started_ || pace_ == Pace::prompt) {
    RecordScanner scanner(style_);
    std::size_t filled = rest_.size();
    fill(rest_, filled, piece_size_, scanner, true);
    rest_.resize(filled);
  }
  static constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (!started_ && std::string_view(rest_.data(), rest_.size()).starts_with(kByteOrderMark)) {
    rest_.erase(rest_.begin(), rest_.begin() + kByteOrderMark.size());
  }
  if (!started_) {
    refuse_foreign({rest_.data(), rest_.size()}, name());
    refuse_cr_lines({rest_.data(), rest_.size()}, name());
  }
  while (!started_ && !source_ended_ && !has_whole_lines() && rest_.size() < max_record_) {
    longer_head();
  }
  started_ = true;
  return {rest_.data(), rest_.size()};
}

void PieceReader::check_head() const {
  if (rest_.size() < max_record_) return;
  const std::string_view head(rest_.data(), rest_.size());
  if (head.find('\n') == std::string_view::npos) {
    fail(ExitStatus::bad_input, source_.name(), ":1: record is longer than ",
         format_bytes(max_record_), ", expected a line end: is this a text file?");
  }
  fail(ExitStatus::bad_input, source_.name(), ": begins with more than ", format_bytes(max_record_),
       " of comments and empty lines: is this a text file?");
}

/// Reads at least one line, and then all that the pipe has ready. A long line is so inspected once,
/// not after each part of it that the pipe delivers.
void PieceReader::read_lines(std::size_t& filled) {
  for (bool has_line = false; filled < rest_.size();) {
    if (has_line && !source_.is_ready()) return;
    const std::size_t got = source_.read(rest_.data() + filled, rest_.size() - filled);
    source_ended_ = got == 0;
    if (source_ended_) return;
    has_line = has_line || std::memchr(rest_.data() + filled, '\n', got) != nullptr;
    filled += got;
  }
}

std::string_view PieceReader::longer_head() {
  check_head();
  std::size_t filled = rest_.size();
  const std::size_t longer = std::max(piece_size_, 2 * filled);
  if (pace_ == Pace::prompt) {
    rest_.resize(longer);
    read_lines(filled);
  } else {
    RecordScanner scanner(style_);
    fill(rest_, filled, longer, scanner, true);
  }
  rest_.resize(filled);
  return {rest_.data(), rest_.size()};
}

/// Enlarges the piece until a record ends in it. Returns the length of its whole records, or 0 if
/// it may not wait for one; `filled` becomes the number of bytes read.
std::size_t PieceReader::read_whole_records(TextPiece& piece, std::size_t& filled, bool may_wait) {
  RecordScanner scanner(style_);
  for (std::size_t size = piece_size_;; size *= 2) {
    const bool is_full = fill(piece.memory, filled, size, scanner, may_wait);
    if (!is_full && !source_ended_) return 0;
    const std::string_view text(piece.memory.data(), filled);
    const std::size_t whole = scanner.scan(text);
    const std::uint64_t quote_line =
        scanner.in_quotes() ? next_line_ + count_lines(text.substr(0, scanner.quote_begin())) : 0;
    if (!is_full && scanner.in_quotes()) {
      fail(ExitStatus::bad_input, source_.name(), ":", quote_line,
           ": a quote is opened here and never closed (the file ends in line ",
           next_line_ + count_lines(text) - (text.ends_with('\n') ? 1 : 0), ")");
    }
    if (!is_full) return filled;
    if (whole > 0) return whole;
    if (filled > max_record_) {
      fail(ExitStatus::bad_input, source_.name(), ":", next_line_, ": record is longer than ",
           format_bytes(max_record_),
           scanner.in_quotes()
               ? ", expected the end of the quote opened in line " + std::to_string(quote_line)
               : std::string(", expected a line end: is this a text file?"));
    }
  }
}

bool PieceReader::next(TextPiece& piece, bool may_wait) {
  if (!started_) head();
  if (piece.memory.size() < rest_.size()) piece.memory.resize(rest_.size());
  std::copy(rest_.begin(), rest_.end(), piece.memory.begin());
  std::size_t filled = rest_.size();
  piece.first_line = next_line_;
  piece.index = next_index_;
  piece.size = read_whole_records(piece, filled, may_wait);
  rest_.assign(piece.memory.data() + piece.size, piece.memory.data() + filled);
  if (piece.size == 0) return false;
  ++next_index_;
  next_line_ += count_lines(piece.text());
  return true;
}

}  // namespace frugal
