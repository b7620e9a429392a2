#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace frugal {

/// A file mapped into the address space and shared with the page cache. It may be larger than
/// memory: pages are read when they are touched, and dropped when others need the room. Touching a
/// page that the file has lost meanwhile ends the process with a message and status io_error (74).
class MappedMemory {
 public:
  /// Maps bytes [0, size) of an open file, which may be closed afterwards. Writes go to the file.
  /// Fails (unavailable) with `name` if the system refuses.
  MappedMemory(int descriptor, std::size_t size, bool writable, const std::string& name);
  /// Maps a whole regular file for reading. Errors: cannot_open; bad_input for pipes and folders.
  explicit MappedMemory(const std::string& path);
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool is_writable() const { return writable_; }
  /// Advises that reads of bytes [begin, begin + size) are scattered: no neighbours are read ahead.
  void expect_random_reads(std::size_t begin, std::size_t size) const;
  /// Advises that bytes [begin, begin + size) are read in order: much is read ahead, and what was
  /// read is dropped first.
  void expect_reads_in_order(std::size_t begin, std::size_t size) const;
  /// Starts reading bytes [begin, begin + size) and returns at once.
  void prefetch(std::size_t begin, std::size_t size) const;

 private:
  void map(int descriptor, const std::string& name);
  void advise(std::size_t begin, std::size_t size, int advice) const;

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool writable_ = false;
};

/// True if the page at `data`, of mapped memory, can be read without waiting for the disk, or if
/// the system does not tell: Linux does not for files that the user neither owns nor may write.
bool is_resident(const std::byte* data);
/// MappedMemory::prefetch() where only addresses in mapped memory are known.
void start_reading(const std::byte* begin, const std::byte* end);

}  // namespace frugal
