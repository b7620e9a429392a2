#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "libcore/base/array.h"

namespace frugal {

/// Bytes of a file, a pipe or "-" (stdin), read in order with short reads and interrupted calls
/// handled. Large reads go straight to the caller's memory. Errors: cannot_open (66), io_error
/// (74), naming the path.
class InputStream {
 public:
  explicit InputStream(std::string path);
  ~InputStream();
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;

  /// Up to `size` bytes; fewer only at the end of the input.
  std::size_t read(void* to, std::size_t size);
  /// Skips up to n bytes, without reading them in a regular file; fewer only at the end.
  std::uint64_t skip(std::uint64_t n);
  /// Returns at least `at_least` unread bytes without consuming them; fewer only at the end.
  std::span<const std::byte> peek(std::size_t at_least = 1);
  /// Consumes n of the bytes that peek() returned.
  void consume(std::size_t n);
  /// Moves to a byte offset of a regular file.
  void seek(std::uint64_t position);

  const std::string& path() const { return path_; }
  std::uint64_t position() const { return position_; }
  /// Regular files only; 0 for pipes.
  std::uint64_t size() const { return size_; }
  bool is_regular() const { return regular_; }
  int descriptor() const { return descriptor_; }

 private:
  std::size_t read_some(void* to, std::size_t size);

  std::string path_;
  int descriptor_ = -1;
  bool regular_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;  ///< offset of the next byte that the caller reads
  Array<std::byte> buffer_;
  std::size_t begin_ = 0;  ///< unread bytes of the buffer are [begin_, end_)
  std::size_t end_ = 0;
};

/// Reads all bytes of a file, a pipe or "-". Fails (bad_input) if there are more than `most`.
std::string read_whole(const std::string& path,
                       std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

}  // namespace frugal
