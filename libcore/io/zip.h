#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/io/regular_file.h"
#include "libcore/io/tensor_file.h"
#include "libcore/system/output_file.h"

namespace frugal {

/// Zip archives (PKWARE APPNOTE 6.3) with zip64 where sizes need it. Members are read stored or
/// deflated, and written stored.

struct ZipMember {
  std::string name;
  std::uint64_t begin = 0;  ///< first byte of the content in the file
  std::uint64_t size = 0;   ///< of the content
  std::uint32_t crc = 0;
  std::uint64_t stored_size = 0;  ///< bytes in the file, `size` unless deflated
  bool deflated = false;
};

/// The members in the order of their contents. Every range lies in the file and none overlap, names
/// are different UTF-8 of 1 to limits.max_name bytes, at most limits.max_tensors. Fails (bad_input)
/// on members that are encrypted or compressed by other methods.
std::vector<ZipMember> read_zip_directory(const RegularFile& file, const TensorLimits& limits);

/// The content of a deflated member, in memory. Fails (bad_input) where it is damaged,
/// (unavailable) beyond max_memory bytes.
class InflatedMember : public RandomBytes {
 public:
  InflatedMember(const RegularFile& file, const ZipMember& member, std::uint64_t max_memory);
  void read_at(std::uint64_t offset, void* to, std::uint64_t count) const override;

 private:
  Array<std::byte> bytes_;
};

/// Appends stored members, then the directory. Times are fixed: identical input gives identical
/// bytes.
class ZipWriter {
 public:
  explicit ZipWriter(OutputFile& out) : out_(out) {}
  /// Begins a member; exactly `size` bytes whose CRC-32 is `crc` follow by out.write().
  void begin_member(const std::string& name, std::uint64_t size, std::uint32_t crc);
  void finish();

 private:
  OutputFile& out_;
  std::vector<ZipMember> members_;  ///< begin is that of the local header
};

}  // namespace frugal
