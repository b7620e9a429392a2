#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcore/arrays/zip.h"
#include "libcore/system/output_file.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Files of numpy, for import and export. Every dtype but BF16 and F8 has a counterpart there;
/// names, where numpy has them, are kept as they are and never used as paths. Bytes of fixed width
/// ("|S3") are read as U8 with a dimension more. Reading needs a regular file. Errors: cannot_open
/// (66); bad_input (65): damaged, truncated, big endian, records, objects of Python; unavailable
/// (69): more than limits.max_memory; on writing usage (2): a tensor that numpy cannot hold.

/// One array, any order of dimensions (the result is in C order). Its name is "".
Tensor read_npy(const std::string& path, const TensorLimits& limits = {});
void write_npy(const std::string& path, const Tensor& tensor,
               const OutputFile::Options& options = {});

/// A zip archive of arrays, stored or deflated, which are read one by one: others may be objects of
/// Python, which only it reads.
class NpzReader {
 public:
  explicit NpzReader(const std::string& path, const TensorLimits& limits = {});
  ~NpzReader();
  /// Of the arrays, in the order of the archive.
  const std::vector<std::string>& names() const { return names_; }
  bool has(std::string_view name) const;
  /// Fails (bad_input) naming those there are; the checksum is verified.
  Tensor read(std::string_view name);
  /// Its header alone is read: type and shape, as `begin` and `end` the bytes of its elements.
  TensorInfo info(std::string_view name);
  /// Rows [begin, end) of an array, in memory for them alone unless it is in Fortran order. The
  /// checksum of the whole is verified before the first of them. In ascending order they are read
  /// once more, in any other order again and again.
  Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end);
  /// Reads elements [begin, end) in C order, as a tensor of rank 1.
  Tensor read_elements(std::string_view name, std::uint64_t begin, std::uint64_t end);

 private:
  struct Open;
  const ZipMember& member_of(std::string_view name) const;
  Open& open(std::string_view name);

  RegularFile file_;
  TensorLimits limits_;
  std::uint64_t memory_;  ///< that arrays may still take
  std::vector<ZipMember> members_;
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::unique_ptr<Open> open_;  ///< what rows were asked for last
};

/// What a tensor is called in an archive that we write: its name, but "%2F", "%5C" and "%2E%2E" for
/// "/", "\" and "..", which no unpacker may take for a path.
std::string npz_name(std::string_view tensor);
/// Fails (usage) with the reason if an archive has no such arrays.
void check_npz_can_hold(const DocumentInfo& info, const std::string& path);
/// Members are called npz_name(). Metadata is not written: the format has no place for it.
/// Identical input gives identical bytes.
void write_npz(const std::string& path, const Document& document,
               const OutputFile::Options& options = {});

}  // namespace frugal
