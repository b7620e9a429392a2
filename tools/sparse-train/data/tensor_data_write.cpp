#include <algorithm>
#include <vector>

#include "libcore/system/output_file.h"
#include "libcore/tensors/safetensors_header.h"
#include "tools/sparse-train/data/tensor_data.h"

namespace frugal::sparse {
namespace {

/// A tensor whose memory is somebody else's.
struct Part {
  TensorInfo info;
  const void* data = nullptr;
  std::uint64_t size = 0;
};

template <class T>
Part part_of(const std::string& name, const Column<T>& column) {
  return {{name, dtype_of<T>(), {column.size()}}, column.data(), column.size() * sizeof(T)};
}

/// Ones for data without values, so that the file can be mapped.
Column<float> values_of(const Dataset& data) {
  return Column<float>(Column<float>::Vector(data.features.size(), 1.0F));
}

std::vector<Part> parts_of(const Dataset& data, const Column<float>& values, const Document& rest) {
  std::vector<Part> parts = {
      part_of("features.indptr", data.feature_begin), part_of("features.indices", data.features),
      part_of("features.values", values), part_of("labels.indptr", data.label_begin),
      part_of("labels.indices", data.labels)};
  for (const Tensor& tensor : rest.tensors) {
    parts.push_back(
        {{tensor.name, tensor.dtype, tensor.shape}, tensor.bytes.data(), tensor.bytes.size()});
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    const std::size_t left = item_size(a.info.dtype), right = item_size(b.info.dtype);
    return left != right ? left > right : a.info.name < b.info.name;
  });
  return parts;
}

}  // namespace

void write_tensor_data(const std::string& path, const Dataset& data, const Document& rest) {
  const Column<float> ones = data.values.empty() ? values_of(data) : Column<float>();
  std::vector<Part> parts = parts_of(data, data.values.empty() ? ones : data.values, rest);
  DocumentInfo info;
  info.metadata = rest.metadata;
  info.metadata["frugal.version"] = "1";
  info.metadata["frugal.kind"] = "data";
  info.metadata["frugal.tool"] = "sparse-train";
  info.metadata["data.features"] = std::to_string(data.num_features);
  info.metadata["data.labels"] = std::to_string(data.num_labels);
  info.metadata["data.sorted"] = data.sorted ? "true" : "false";
  info.metadata["data.normalized"] = data.normalized ? "true" : "false";
  std::uint64_t at = 0;
  for (Part& part : parts) {
    part.info.begin = at;
    part.info.end = at += part.size;
    info.tensors.push_back(part.info);
  }
  OutputFile output(path);
  const std::string header = format_header(info);
  output.write(header.data(), header.size());
  for (const Part& part : parts) output.write(part.data, part.size);
  output.commit();
}

}  // namespace frugal::sparse
