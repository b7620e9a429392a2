#pragma once
#include <map>
#include <string>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Writes tensors that need not fit into memory, in the format of the path's suffix: .npy (one
/// tensor), .npz, else as a TensorWriter with one document. `fill` may be called twice for the same
/// tensor: .npz needs its checksum first. Errors are those of TensorWriter, write_npy() and
/// write_npz().
void write_pieces(const std::string& path, const DocumentInfo& info, const ByteFiller& fill,
                  const TensorWriteOptions& options = {});
inline void write_rows(const std::string& path, const DocumentInfo& info, RowFiller fill,
                       const TensorWriteOptions& options = {}) {
  write_pieces(path, info, bytes_of_rows(std::move(fill)), options);
}

/// Writes a document in the format of the path's suffix, as write_pieces() does.
void write_arrays(const std::string& path, const Document& document);

/// Fillers of tensors, by name.
using RowFillers = std::map<std::string, RowFiller>;
/// Writes a document. The tensors that `fillers` names are made while writing; their bytes in the
/// document are ignored.
void write_rows(const std::string& path, const Document& document, const RowFillers& fillers,
                const TensorWriteOptions& options = {});

}  // namespace frugal
