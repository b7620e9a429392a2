#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/io/regular_file.h"
#include "libcore/io/tensor_file.h"
#include "libcore/system/output_file.h"

namespace frugal {

/// Zip archives (PKWARE APPNOTE 6.3) of stored members only, with zip64 where sizes need it.

struct ZipMember {
  std::string name;
  std::uint64_t begin = 0;  ///< first byte of the content in the file
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
};

/// The members in the order of their contents. Every range lies in the file and none overlap, names
/// are different UTF-8 of 1 to limits.max_name bytes, at most limits.max_tensors. Fails (bad_input)
/// on compressed or encrypted members with a way out.
std::vector<ZipMember> read_zip_directory(const RegularFile& file, const TensorLimits& limits);

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
