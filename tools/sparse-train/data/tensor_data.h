#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/data/dataset.h"

namespace frugal::sparse {

/// Data in tensor files: one document with the tensors
///
///   features.indptr [n + 1], features.indices [nnz], features.values [nnz] (absent: all 1), or
///   features [n, d], dense, whose zeros are left out
///   labels.indptr [n + 1], labels.indices [nnz], or
///   labels [n], one label an example, -1 = none; where there are but -1 and 1, these are classes
///
/// indptr, indices and labels are I32, I64, U32 or U64, values F32, F64, F16 or BF16. Optional: the
/// metadata data.features and data.labels (numbers of ids, else one more than the highest), the
/// names of the labels (labels.names, U8, one behind the other, and labels.name_ends), and all that
/// Featurizer::save() stores: then a model of this data takes text.

/// True where the format says so or, "auto", the name does (*.safetensors, *.safetensors.zst,
/// *.tzs), or the first bytes of a file.
bool is_tensor_input(const std::string& format, const std::string& path);

struct TensorData {
  Dataset data;
  Document rest;  ///< the metadata and the tensors that are not data
};

/// Reads and checks a tensor file. What was written by write_tensor_data() and lies uncompressed in
/// a regular file is mapped; else arrays above max_memory bytes in all go to temporary files in
/// `folder`. Fails (bad_input) naming tensor and place.
TensorData read_tensor_data(const std::string& path, std::uint64_t max_memory,
                            const std::string& folder);

/// Writes the data uncompressed, so that it can be mapped, with the metadata and tensors of `rest`.
void write_tensor_data(const std::string& path, const Dataset& data, const Document& rest);

}  // namespace frugal::sparse
