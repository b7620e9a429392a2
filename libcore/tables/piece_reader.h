#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/streams/byte_source.h"
#include "libcore/tables/delimited.h"

namespace frugal {

/// A part of a text that holds whole records.
struct TextPiece {
  std::size_t index = 0;         ///< 0, 1, 2 ... from the start of the text
  std::uint64_t first_line = 1;  ///< line number of its first line in the whole text
  std::vector<char> memory;      ///< the text and room behind it
  std::size_t size = 0;
  std::string_view text() const { return {memory.data(), size}; }
};

/// When a piece is given out. Steady: once it is full; where it ends depends on the text alone.
/// Prompt: as soon as a pipe has a whole record.
enum class Pace { steady, prompt };

/// Cuts a text (path or "-", plain, zstd or gzip; a UTF-8 byte order mark is dropped) into pieces
/// of whole records. At a steady pace work done piece by piece and joined in order gives the same
/// result on any number of threads. Errors: as ByteSource; bad_input for a binary file
/// (file_kind.h), a record longer than max_record or a quote that is never closed, with the line
/// where it begins.
class PieceReader {
 public:
  explicit PieceReader(const std::string& path, std::size_t piece_size = std::size_t{1} << 20,
                       std::size_t max_record = std::size_t{64} << 20);

  /// Steady, unless said before all else.
  void set_pace(Pace pace);
  /// The beginning of the text (all of it where it is shorter than a piece; when prompt, at least a
  /// record), to look at before next().
  std::string_view head();
  /// A longer beginning, twice as much where the text is that long (when prompt, the next line
  /// and what a pipe has behind it); the first piece has it all. Fails (bad_input) beyond
  /// max_record.
  std::string_view longer_head();
  /// What a record is; lines, unless said before the first next().
  void set_style(DelimitedStyle style);
  /// Fills `piece`, reusing its memory; false at the end and, when prompt, where it may not wait
  /// for a pipe that has no whole record.
  bool next(TextPiece& piece, bool may_wait = true);
  bool at_end() const { return source_ended_ && rest_.empty(); }
  /// Waits for a pipe so long at most, less where a signal comes; true where it has something.
  bool wait(double seconds) const { return source_.wait(seconds); }
  const std::string& name() const { return source_.name(); }
  /// Bytes read so far and size of the (compressed) input, 0 when unknown: for progress.
  std::uint64_t bytes_read() const { return source_.bytes_read(); }
  std::uint64_t bytes_total() const { return source_.bytes_total(); }

 private:
  void check_head() const;
  void read_lines(std::size_t& filled);
  bool fill(std::vector<char>& memory, std::size_t& filled, std::size_t size,
            RecordScanner& scanner, bool may_wait);
  std::size_t read_whole_records(TextPiece& piece, std::size_t& filled, bool may_wait);

  ByteSource source_;
  DelimitedStyle style_ = DelimitedStyle::lines();
  std::size_t piece_size_;
  std::size_t max_record_;
  Pace pace_ = Pace::steady;
  std::vector<char> rest_;  ///< read, but not given out
  bool started_ = false;
  bool source_ended_ = false;
  std::uint64_t next_line_ = 1;
  std::size_t next_index_ = 0;
};

/// Number of line ends in a text.
std::uint64_t count_lines(std::string_view text);

}  // namespace frugal
