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

/// Files of numpy, for import and export. Every dtype except BF16 and F8 has a counterpart in
/// numpy. Names of arrays are kept unchanged and never used as paths. Byte strings of fixed width
/// ("|S3") are read as U8 with one more dimension. Reading needs a regular file.
///
/// Errors: cannot_open (66); bad_input (65): damaged, truncated, big endian, records, Python
/// objects; unavailable (69): more than limits.max_memory; on writing usage (2): a tensor that
/// numpy cannot hold.

/// Reads one array; its name is "". Fortran order is converted to C order.
Tensor read_npy(const std::string& path, const TensorLimits& limits = {});
/// Bytes of each text, if the array has type "|S3" and the like; else 0. Reads only the header.
std::uint64_t npy_text_width(const std::string& path, const TensorLimits& limits = {});
void write_npy(const std::string& path, const Tensor& tensor,
               const OutputFile::Options& options = {});

/// Reads the arrays of a zip archive one by one, stored or deflated. Other members may hold Python
/// objects, which only Python can read.
class NpzReader {
 public:
  explicit NpzReader(const std::string& path, const TensorLimits& limits = {});
  ~NpzReader();
  /// Names of the arrays, in the order of the archive.
  const std::vector<std::string>& names() const { return names_; }
  bool has(std::string_view name) const;
  std::uint64_t file_size() const { return file_.size(); }
  /// Reads an array and verifies its checksum. Fails (bad_input) and lists the existing names if
  /// there is none of that name.
  Tensor read(std::string_view name);
  /// Type and shape of an array, and the range [begin, end) of its elements. Reads only its header.
  TensorInfo info(std::string_view name);
  /// Reads rows [begin, end) of an array and keeps only these in memory, unless the array is in
  /// Fortran order. The first call verifies the checksum of the whole array. Ascending ranges read
  /// the member once more; any other order reads it again and again.
  Tensor read_rows(std::string_view name, std::uint64_t begin, std::uint64_t end);
  /// Reads elements [begin, end) in C order, as a tensor of rank 1.
  Tensor read_elements(std::string_view name, std::uint64_t begin, std::uint64_t end);

 private:
  struct Open;
  const ZipMember& member_of(std::string_view name) const;
  Open& open(std::string_view name);

  RegularFile file_;
  TensorLimits limits_;
  std::uint64_t memory_;  ///< bytes that arrays may still take
  std::vector<ZipMember> members_;
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::unique_ptr<Open> open_;  ///< array whose rows were read last
};

/// Name of a tensor in an archive that we write. "%2F", "%5C" and "%2E%2E" replace "/", "\" and
/// "..", so that no unpacker can take it for a path.
std::string npz_name(std::string_view tensor);
/// Fails (usage) with the reason if an archive cannot hold these arrays.
void check_npz_can_hold(const DocumentInfo& info, const std::string& path);
/// Writes an archive whose members are called npz_name(). Metadata is lost: the format has no place
/// for it. The same input gives the same bytes.
void write_npz(const std::string& path, const Document& document,
               const OutputFile::Options& options = {});

}  // namespace frugal
