#pragma once
#include <string>

#include "libcore/io/tensor_file.h"

namespace frugal {

/// Writes tensors that need not fit into memory in the format of the path's suffix: .npy (one
/// tensor), .npz, else as a TensorWriter with one document. `fill` may be asked for the same rows
/// again: .npz needs their checksum first. Errors are those of TensorWriter, write_npy() and
/// write_npz().
void write_rows(const std::string& path, const DocumentInfo& info, const RowFiller& fill,
                const TensorWriteOptions& options);

}  // namespace frugal
