#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace frugal {

/// Lines of a text from a path or "-", in constant memory; plain, or zstd or gzip by their magic. A
/// last line without "\n" counts; "\r\n" is a line end. Errors, with path and line: cannot_open
/// (66), io_error (74), bad_input (65: a line longer than max_line, damaged or truncated
/// compression).
class LineReader {
 public:
  explicit LineReader(const std::string& path, std::size_t max_line = std::size_t{64} << 20);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its end; valid until the next call. False at the end.
  bool next(std::string_view& line);
  std::uint64_t line_number() const;  ///< of the line that next() returned, from 1
  const std::string& path() const;
  /// "data.csv:17" for messages.
  std::string place() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frugal
