#include "libcore/streams/line_reader.h"

#include <cstring>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/byte_source.h"
#include "libcore/streams/file_kind.h"

namespace frugal {
namespace {

constexpr std::size_t kLeastRoom = std::size_t{1} << 12, kRoom = std::size_t{1} << 18;

}  // namespace

struct LineReader::State {
  State(const std::string& path, std::size_t longest) : source(path), max_line(longest) {}

  ByteSource source;
  std::size_t max_line;
  std::vector<char> buffer = std::vector<char>(kLeastRoom);  ///< small texts take little
  std::size_t begin = 0, end = 0;                            ///< unread bytes of buffer
  std::uint64_t line_number = 0;

  bool fill();
  void check_length(std::size_t length) const;
  std::string_view take(std::size_t length, std::size_t with_end);
};

void LineReader::State::check_length(std::size_t length) const {
  if (length <= max_line) return;
  fail(ExitStatus::bad_input, source.name(), ":", line_number + 1, ": line is longer than ",
       format_bytes(max_line), ": is this a text file?");
}

/// Appends the bytes that the source has ready; false at its end. An incomplete line is moved to
/// the front, or the buffer grows, only if there is no room left: each byte moves once or twice at
/// most.
bool LineReader::State::fill() {
  check_length(end - begin);
  if (const std::size_t half = buffer.size() / 2; buffer.size() - end < half) {
    std::memmove(buffer.data(), buffer.data() + begin, end - begin);
    end -= begin;
    begin = 0;
    if (buffer.size() < kRoom || buffer.size() - end < half) buffer.resize(2 * buffer.size());
  }
  const std::size_t got = source.read(buffer.data() + end, buffer.size() - end);
  if (line_number == 0 && end == 0) refuse_foreign({buffer.data(), got}, source.name());
  end += got;
  return got != 0;
}

std::string_view LineReader::State::take(std::size_t length, std::size_t with_end) {
  check_length(length);
  std::string_view line(buffer.data() + begin, length);
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++line_number;
  begin += with_end;
  return line;
}

LineReader::LineReader(const std::string& path, std::size_t max_line)
    : state_(std::make_unique<State>(path, max_line)) {}
LineReader::~LineReader() = default;

bool LineReader::next(std::string_view& line) {
  State& s = *state_;
  for (std::size_t searched = 0;;) {
    const char* first = s.buffer.data() + s.begin;
    const std::size_t size = s.end - s.begin;
    const void* newline = std::memchr(first + searched, '\n', size - searched);
    if (newline != nullptr) {
      const auto length = static_cast<std::size_t>(static_cast<const char*>(newline) - first);
      line = s.take(length, length + 1);
      return true;
    }
    searched = size;
    if (!s.fill()) break;
  }
  if (s.begin == s.end) return false;
  if (s.line_number == 0) refuse_cr_lines({s.buffer.data() + s.begin, s.end - s.begin}, path());
  line = s.take(s.end - s.begin, s.end - s.begin);
  return true;
}

std::uint64_t LineReader::line_number() const { return state_->line_number; }
const std::string& LineReader::path() const { return state_->source.name(); }
std::string LineReader::place() const { return path() + ":" + std::to_string(state_->line_number); }

}  // namespace frugal
