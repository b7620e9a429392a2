#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace frugal {

/// A source of a known number of bytes that can be read at any offset.
class RandomBytes {
 public:
  virtual ~RandomBytes() = default;
  /// Reads exactly `count` bytes from `offset`; the caller has checked that they exist.
  virtual void read_at(std::uint64_t offset, void* to, std::uint64_t count) const = 0;
};

/// An input file of known size that can be read at any offset. Fails: cannot_open (66) if it does
/// not exist, bad_input (65) if it is a pipe or folder, io_error (74) if reading fails.
class RegularFile : public RandomBytes {
 public:
  explicit RegularFile(const std::string& path);
  /// Uses a duplicate of an open descriptor, which its owner may close. `path` is for messages
  /// only: it may name another file by now.
  RegularFile(int descriptor, const std::string& path);
  ~RegularFile() override;
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  int descriptor() const { return descriptor_; }
  /// Reads exactly `count` bytes from `offset`; the caller has compared both with size().
  void read_at(std::uint64_t offset, void* to, std::uint64_t count) const override;

 private:
  void find_size();

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Bytes of an input, - being stdin; nothing where it is no regular file, or is missing.
std::optional<std::uint64_t> size_of_input(const std::string& path);

/// Whether an input has few records, or gives them one by one, as a pipe does. A program should
/// answer its first record at once, even if the last one comes later for it.
bool has_few_records(const std::string& path);

}  // namespace frugal
