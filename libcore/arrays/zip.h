#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/streams/regular_file.h"
#include "libcore/system/output_file.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Zip archives (PKWARE APPNOTE 6.3), with zip64 if sizes need it. Reads stored and deflated
/// members, writes stored ones.

struct ZipMember {
  std::string name;
  std::uint64_t begin = 0;  ///< first byte of the content in the file
  std::uint64_t size = 0;   ///< of the content
  std::uint32_t crc = 0;
  std::uint64_t stored_size = 0;  ///< bytes in the file; equal to `size` unless deflated
  bool deflated = false;
};

/// Reads the directory: members in the order of their contents. Their ranges lie in the file and do
/// not overlap. Names are distinct UTF-8 texts of 1 to limits.max_name bytes, at most
/// limits.max_tensors of them. Fails (bad_input) on members that are encrypted or use other
/// compression methods.
std::vector<ZipMember> read_zip_directory(const RegularFile& file, const TensorLimits& limits);

/// Content of a member, stored or deflated, in constant memory. A deflated member is decompressed
/// forwards; a read before the current position starts again at its beginning. Fails (bad_input) if
/// it is damaged. For one thread.
class MemberBytes : public RandomBytes {
 public:
  /// Borrows the file.
  MemberBytes(const RegularFile& file, ZipMember member);
  ~MemberBytes() override;
  const ZipMember& member() const { return member_; }
  void read_at(std::uint64_t offset, void* to, std::uint64_t count) const override;
  /// Fails unless the content ends exactly at its declared size. Call it after the last byte was
  /// read.
  void check_end() const;
  /// Reads the whole content and fails unless its checksum is right.
  void verify() const;

 private:
  struct Inflation;
  [[noreturn]] void damaged(const char* finding) const;

  const RegularFile& file_;
  ZipMember member_;
  std::unique_ptr<Inflation> inflation_;  ///< of a deflated member
};

/// Appends stored members, then the directory. Time stamps are fixed, so that the same input gives
/// the same bytes.
class ZipWriter {
 public:
  explicit ZipWriter(OutputFile& out) : out_(out) {}
  /// Begins a member. The caller then writes exactly `size` bytes with checksum `crc` by
  /// out.write().
  void begin_member(const std::string& name, std::uint64_t size, std::uint32_t crc);
  void finish();

 private:
  OutputFile& out_;
  std::vector<ZipMember> members_;  ///< begin is the offset of the local header
};

}  // namespace frugal
