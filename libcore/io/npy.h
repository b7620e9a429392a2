#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "libcore/io/tensor_file.h"
#include "libcore/io/zip.h"
#include "libcore/system/output_file.h"

namespace frugal {

/// Files of numpy, for import and export. Every dtype but BF16 and F8 has a counterpart there;
/// names, where numpy has them, are kept as they are and never used as paths. Bytes of fixed width
/// ("|S3") are read as U8 with a dimension more. Reading needs a regular file. Errors: cannot_open (66); bad_input (65): damaged, truncated, big endian, records,
/// objects of Python; unavailable (69): more than limits.max_memory; on writing usage (2): a
/// tensor that numpy cannot hold.

/// One array, any order of dimensions (the result is in C order). Its name is "".
Tensor read_npy(const std::string& path, const TensorLimits& limits = {});
void write_npy(const std::string& path, const Tensor& tensor,
               const OutputFile::Options& options = {});

/// A zip archive of arrays, stored or deflated, which are read one by one: others may be objects of
/// Python, which only it reads.
class NpzReader {
 public:
  explicit NpzReader(const std::string& path, const TensorLimits& limits = {});
  /// Of the arrays, in the order of the archive.
  const std::vector<std::string>& names() const { return names_; }
  bool has(std::string_view name) const;
  /// Fails (bad_input) naming those there are; the checksum is verified.
  Tensor read(std::string_view name);

 private:
  RegularFile file_;
  TensorLimits limits_;
  std::uint64_t memory_;  ///< that arrays may still take
  std::vector<ZipMember> members_;
  std::vector<std::string> names_;
};

/// All of a zip archive of arrays. Each member's name without ".npy" is the tensor's
/// name.
Document read_npz(const std::string& path, const TensorLimits& limits = {});
/// Metadata is not written: the format has no place for it. Identical input gives identical bytes.
void write_npz(const std::string& path, const Document& document,
               const OutputFile::Options& options = {});

}  // namespace frugal
