#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libcore/system/mapped_memory.h"

namespace frugal {

/// The folder for temporary files: TMPDIR, else /var/tmp, which unlike /tmp is a disk everywhere.
std::string temporary_folder();

/// A file without a name, for data that do not fit into memory: it is gone with the process,
/// however that ends. Errors: cannot_create (73), io_error (74: disk full), with the folder's name.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string folder);
  /// A new file of that path, which loses its name at once. Fails (cannot_create) where the path is
  /// taken; errors name it.
  static std::unique_ptr<TemporaryFile> at(const std::string& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  /// Appends; small pieces are collected.
  void write(const void* data, std::size_t size);
  /// Makes an empty file `size` zeros whose room on the disk is taken now, so that writing to its
  /// map() cannot fail later. Fails (io_error) where the disk has not that much, (unavailable)
  /// where the file system cannot promise it.
  void reserve(std::uint64_t size);
  /// Bytes written so far.
  std::uint64_t size() const { return size_; }
  /// Exactly `size` bytes from `offset` on; they were written.
  void read(std::uint64_t offset, void* to, std::size_t size);
  /// All of it, writable in place; nothing may be written behind it any more.
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
