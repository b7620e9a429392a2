#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "libcore/streams/line_reader.h"
#include "libcore/tables/delimited.h"

namespace frugal {

/// Records of a text, each returned as soon as its last line has arrived (for pipes). A record is a
/// line, or lines joined by "\n" if a quoted field spans them. Errors: those of LineReader;
/// bad_input for an unclosed quote, with the line where the record begins.
class RecordReader {
 public:
  RecordReader(const std::string& path, DelimitedStyle style,
               std::size_t max_record = std::size_t{64} << 20);

  /// The next record without its line end; valid until the next call. False at the end.
  bool next(std::string_view& record);
  /// Number of the record's first line, from 1.
  std::uint64_t line_number() const { return first_line_; }
  /// "data.csv:17" for messages.
  std::string place() const;
  const LineReader& lines() const { return lines_; }

 private:
  LineReader lines_;
  DelimitedStyle style_;
  std::size_t max_record_;
  std::string joined_;
  std::uint64_t first_line_ = 0;
};

}  // namespace frugal
