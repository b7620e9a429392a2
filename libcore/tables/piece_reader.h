#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/streams/byte_source.h"
#include "libcore/tables/delimited.h"

namespace frugal {

/// A part of a text that consists of whole records.
struct TextPiece {
  std::size_t index = 0;         ///< 0, 1, 2 ... from the start of the text
  std::uint64_t first_line = 1;  ///< line number of its first line in the whole text
  std::vector<char> memory;      ///< the text, and unused memory after it
  std::size_t size = 0;
  std::string_view text() const { return {memory.data(), size}; }
};

/// When a piece is returned. steady: when it is full; its end depends on the text alone. prompt: as
/// soon as a pipe has a whole record.
enum class Pace { steady, prompt };

/// Divides a text (path or "-", plain, zstd or gzip; a UTF-8 byte order mark is dropped) into
/// pieces of whole records. At a steady pace, results of the pieces joined in order are the same on
/// any number of threads. Errors: those of ByteSource; bad_input, with the line where it begins,
/// for a binary file (file_kind.h), a record longer than max_record, or an unclosed quote.
class PieceReader {
 public:
  explicit PieceReader(const std::string& path, std::size_t piece_size = std::size_t{1} << 20,
                       std::size_t max_record = std::size_t{64} << 20);

  /// Sets the pace; call it first. The default is steady.
  void set_pace(Pace pace);
  /// Beginning of the text, for inspection before next(): one piece, or all of a shorter text. It
  /// has at least two whole lines, one at a prompt pace, unless the text ends or max_record is
  /// reached before.
  std::string_view head();
  /// A longer beginning: twice as much, or up to the text's end. At a prompt pace, the next line
  /// and everything else that the pipe has ready. The first piece includes it. Fails (bad_input)
  /// beyond max_record.
  std::string_view longer_head();
  /// Sets how the text is divided into records; call it before the first next(). The default is
  /// lines.
  void set_style(DelimitedStyle style);
  /// Fills `piece`, reusing its memory. False at the end; at a prompt pace also if it may not wait
  /// and the pipe has no whole record.
  bool next(TextPiece& piece, bool may_wait = true);
  bool at_end() const { return source_ended_ && rest_.empty(); }
  /// Waits for a pipe at most `seconds`, or until a signal comes. True if bytes are ready.
  bool wait(double seconds) const { return source_.wait(seconds); }
  const std::string& name() const { return source_.name(); }
  /// Bytes read so far, and the size of the (compressed) input, 0 if unknown: for progress bars.
  std::uint64_t bytes_read() const { return source_.bytes_read(); }
  std::uint64_t bytes_total() const { return source_.bytes_total(); }

 private:
  void check_head() const;
  bool has_whole_lines() const;
  void read_lines(std::size_t& filled);
  bool fill(std::vector<char>& memory, std::size_t& filled, std::size_t size,
            RecordScanner& scanner, bool may_wait);
  std::size_t read_whole_records(TextPiece& piece, std::size_t& filled, bool may_wait);

  ByteSource source_;
  DelimitedStyle style_ = DelimitedStyle::lines();
  std::size_t piece_size_;
  std::size_t max_record_;
  Pace pace_ = Pace::steady;
  std::vector<char> rest_;  ///< bytes read but not yet returned
  bool started_ = false;
  bool source_ended_ = false;
  std::uint64_t next_line_ = 1;
  std::size_t next_index_ = 0;
};

/// Number of line ends in a text.
std::uint64_t count_lines(std::string_view text);

}  // namespace frugal
