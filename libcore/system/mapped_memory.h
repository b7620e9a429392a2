#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace frugal {

/// A file's bytes in the address space, shared with the page cache: more of them than there is
/// memory are read when they are touched, and given back when others need the room. Touching a page
/// that the file lost meanwhile ends the process with a message and status io_error (74).
class MappedMemory {
 public:
  /// Bytes [0, size) of an open file, which may be closed afterwards. Writes go to the file. Fails
  /// (unavailable) with `name` where the system refuses.
  MappedMemory(int descriptor, std::size_t size, bool writable, const std::string& name);
  /// A whole regular file, to read. Errors: cannot_open; bad_input for pipes and folders.
  explicit MappedMemory(const std::string& path);
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool is_writable() const { return writable_; }
  /// Bytes [begin, begin + size) will be read here and there: their neighbours are not read ahead.
  void expect_random_reads(std::size_t begin, std::size_t size) const;
  /// Bytes [begin, begin + size) will be read soon: begins to read them, and returns.
  void prefetch(std::size_t begin, std::size_t size) const;

 private:
  void map(int descriptor, const std::string& name);
  void advise(std::size_t begin, std::size_t size, int advice) const;

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool writable_ = false;
};

}  // namespace frugal
