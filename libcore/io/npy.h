#pragma once
#include <string>

#include "libcore/io/tensor_file.h"
#include "libcore/system/output_file.h"

namespace frugal {

/// Files of numpy, for import and export. Every dtype but BF16 and F8 has a counterpart there;
/// names, where numpy has them, are kept as they are and never used as paths. Reading needs a
/// regular file. Errors: cannot_open (66); bad_input (65): damaged, truncated, big endian, records,
/// compressed members; unavailable (69): more than limits.max_memory; on writing usage (2): a
/// tensor that numpy cannot hold.

/// One array, any order of dimensions (the result is in C order). Its name is "".
Tensor read_npy(const std::string& path, const TensorLimits& limits = {});
void write_npy(const std::string& path, const Tensor& tensor,
               const OutputFile::Options& options = {});

/// A zip archive of arrays, all of them stored. Each member's name without ".npy" is the tensor's
/// name.
Document read_npz(const std::string& path, const TensorLimits& limits = {});
/// Metadata is not written: the format has no place for it. Identical input gives identical bytes.
void write_npz(const std::string& path, const Document& document,
               const OutputFile::Options& options = {});

}  // namespace frugal
