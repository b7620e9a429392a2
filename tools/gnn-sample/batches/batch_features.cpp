#include "tools/gnn-sample/batches/batch_features.h"

#include <cstring>
#include <limits>

#include "libcore/base/error.h"
#include "tools/gnn-sample/data/graph_file.h"

namespace frugal::gnn {
namespace {

void set(Tensor& tensor, std::size_t at, std::uint64_t value) {
  if (tensor.dtype == Dtype::i64) {
    tensor.as<std::int64_t>()[at] = static_cast<std::int64_t>(value);
  } else {
    tensor.as<std::int32_t>()[at] = static_cast<std::int32_t>(value);
  }
}

}  // namespace

BatchFeatures::BatchFeatures(const NodeSet& nodes, std::string prefix, Form form)
    : view_(*nodes.features),
      slicer_(view_),
      type_(nodes.type),
      prefix_(std::move(prefix)),
      form_(form),
      sparse_(view_.sparse() && !form.dense) {}

void BatchFeatures::add(std::span<const NodeId> nodes, std::byte* to, Document& document) const {
  if (sparse_) return add_sparse(nodes, document);
  slicer_.slice(nodes, to);
  document.tensors.push_back({prefix_ + "features",
                              slicer_.dtype(),
                              {nodes.size(), slicer_.dim()},
                              {},
                              {to, room(nodes.size())}});
}

Tensor BatchFeatures::integers(const char* name, std::uint64_t size) const {
  return Tensor::make(prefix_ + name, form_.wide_ids ? Dtype::i64 : Dtype::i32, {size});
}

void BatchFeatures::add_sparse(std::span<const NodeId> nodes, Document& document) const {
  std::uint64_t size = 0;
  for (const NodeId v : nodes) size += view_.row_size(v);
  if (!form_.wide_ids && size > std::numeric_limits<std::int32_t>::max()) {
    fail(ExitStatus::unavailable, "a mini-batch has ", size,
         " features that are not 0, more than numbers of 32 bits count: --wide-ids");
  }
  const std::size_t item = item_size(view_.dtype);
  Tensor offsets = integers("features.offsets", nodes.size() + 1);
  Tensor columns = integers("features.columns", size);
  Tensor values =
      Tensor::make(prefix_ + "features.values", view_.dtype, {view_.data == nullptr ? 0 : size});
  std::size_t at = 0;
  set(offsets, 0, 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto row = view_.row_columns(nodes[i]);
    if (view_.data != nullptr && !row.empty()) {
      std::memcpy(values.bytes.data() + at * item, view_.data + view_.offsets[nodes[i]] * item,
                  row.size() * item);
    }
    for (const std::uint32_t column : row) set(columns, at++, column);
    set(offsets, i + 1, at);
  }
  document.metadata[typed_key(kFeaturesKey, type_)] = std::to_string(view_.dim);
  document.tensors.push_back(std::move(offsets));
  document.tensors.push_back(std::move(columns));
  if (view_.data != nullptr) document.tensors.push_back(std::move(values));
}

}  // namespace frugal::gnn
