#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libcore/system/mapped_memory.h"

namespace frugal {

/// Folder for temporary files: TMPDIR, else /var/tmp, which unlike /tmp is on a disk everywhere.
std::string temporary_folder();

/// True if files in this folder take memory (tmpfs, ramfs). False if that cannot be found out.
bool is_in_memory(const std::string& folder);

/// A file without a name, for data that do not fit into memory. It vanishes with the process,
/// however that ends. Errors: cannot_create (73), io_error (74: disk full), with the folder's name.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string folder);
  /// Creates a file at that path and removes its name at once. Fails (cannot_create) if the path is
  /// taken; errors name it.
  static std::unique_ptr<TemporaryFile> at(const std::string& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  /// Appends bytes; small pieces are buffered.
  void write(const void* data, std::size_t size);
  /// Fills an empty file with `size` zeros and allocates its blocks now, so that writing to its
  /// map() cannot fail later. Fails (io_error) if the disk is too full, (unavailable) if the file
  /// system cannot allocate in advance.
  void reserve(std::uint64_t size);
  /// Bytes written so far.
  std::uint64_t size() const { return size_; }
  /// Reads exactly `size` bytes from `offset` on, which must have been written.
  void read(std::uint64_t offset, void* to, std::size_t size);
  /// Writes bytes [offset, offset + size) of a reserved file. Threads may write and read different
  /// bytes at a time.
  void write_at(std::uint64_t offset, const void* data, std::size_t size);
  /// Maps the whole file, writable in place. Nothing may be appended afterwards.
  std::shared_ptr<MappedMemory> map();

 private:
  TemporaryFile(std::string name, int descriptor)
      : folder_(std::move(name)), descriptor_(descriptor) {}
  void flush();
  void write_out(const void* data, std::size_t size);

  std::string folder_;  ///< or path: what errors name
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::vector<char> buffer_;
};

}  // namespace frugal
