#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/streams/regular_file.h"
#include "libcore/system/output_file.h"
#include "libcore/tensors/tensor_file.h"

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

/// The content of a member, stored or deflated, in constant memory: it is read forwards, and from
/// its beginning again where bytes are asked for that are behind. Fails (bad_input) where it is
/// damaged. For one thread.
class MemberBytes : public RandomBytes {
 public:
  /// Borrows the file.
  MemberBytes(const RegularFile& file, ZipMember member);
  ~MemberBytes() override;
  const ZipMember& member() const { return member_; }
  void read_at(std::uint64_t offset, void* to, std::uint64_t count) const override;
  /// Fails unless the content ends where its size says: after the last byte was read.
  void check_end() const;
  /// Reads all of it and fails unless its checksum is the member's.
  void verify() const;

 private:
  struct Inflation;
  [[noreturn]] void damaged(const char* finding) const;

  const RegularFile& file_;
  ZipMember member_;
  std::unique_ptr<Inflation> inflation_;  ///< of a deflated member
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
