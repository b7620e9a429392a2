#pragma once
#include <map>
#include <string>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Writes tensors that need not fit into memory in the format of the path's suffix: .npy (one
/// tensor), .npz, else as a TensorWriter with one document. `fill` may be asked for the same tensor
/// again: .npz needs its checksum first. Errors are those of TensorWriter, write_npy() and
/// write_npz().
void write_pieces(const std::string& path, const DocumentInfo& info, const ByteFiller& fill,
                  const TensorWriteOptions& options);
inline void write_rows(const std::string& path, const DocumentInfo& info, RowFiller fill,
                       const TensorWriteOptions& options) {
  write_pieces(path, info, bytes_of_rows(std::move(fill)), options);
}

/// Of tensors by name.
using RowFillers = std::map<std::string, RowFiller>;
/// Writes a document of which these tensors, whose bytes are not looked at, are made meanwhile.
void write_rows(const std::string& path, const Document& document, const RowFillers& fillers,
                const TensorWriteOptions& options);

}  // namespace frugal
