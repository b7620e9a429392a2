#include "libcore/io/piece_reader.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

/// Reads until `size` bytes stand in `memory` or the source ends; returns how many there are then.
std::size_t fill(ByteSource& source, std::vector<char>& memory, std::size_t filled,
                 std::size_t size) {
  if (memory.size() < size) memory.resize(size);
  while (filled < size) {
    const std::size_t got = source.read(memory.data() + filled, size - filled);
    if (got == 0) break;
    filled += got;
  }
  return filled;
}

}  // namespace

std::uint64_t count_lines(std::string_view text) {
  // Sums of at most 255 in bytes: compilers make this 16 or more bytes a step.
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

std::string_view PieceReader::head() {
  if (!started_) {
    started_ = true;
    rest_.resize(fill(source_, rest_, 0, piece_size_));
    static constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (std::string_view(rest_.data(), rest_.size()).starts_with(byte_order_mark)) {
      rest_.erase(rest_.begin(), rest_.begin() + byte_order_mark.size());
    }
  }
  return {rest_.data(), rest_.size()};
}

void PieceReader::set_style(DelimitedStyle style) { style_ = style; }

/// Grows the piece until a record ends in it. Returns the length of its whole records and, in
/// `filled`, the bytes read.
std::size_t PieceReader::read_whole_records(TextPiece& piece, std::size_t& filled) {
  RecordScanner scanner(style_);
  for (std::size_t size = piece_size_;; size *= 2) {
    filled = fill(source_, piece.memory, filled, size);
    const std::string_view text(piece.memory.data(), filled);
    const std::size_t whole = scanner.scan(text);
    const bool at_end = filled < size;
    const std::uint64_t quote_line =
        scanner.in_quotes() ? next_line_ + count_lines(text.substr(0, scanner.quote_begin())) : 0;
    if (at_end && scanner.in_quotes()) {
      fail(ExitStatus::bad_input, source_.name(), ":", quote_line,
           ": a quote is opened here and never closed (the file ends in line ",
           next_line_ + count_lines(text) - (text.ends_with('\n') ? 1 : 0), ")");
    }
    if (at_end) return filled;
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

bool PieceReader::next(TextPiece& piece) {
  head();
  if (piece.memory.size() < rest_.size()) piece.memory.resize(rest_.size());
  std::copy(rest_.begin(), rest_.end(), piece.memory.begin());
  std::size_t filled = rest_.size();
  piece.first_line = next_line_;
  piece.index = next_index_++;
  piece.size = read_whole_records(piece, filled);
  rest_.assign(piece.memory.data() + piece.size, piece.memory.data() + filled);
  next_line_ += count_lines(piece.text());
  return piece.size > 0;
}

}  // namespace frugal
