#include "tools/gnn-sample/data/reorder_nodes.h"

#include <cstring>

#include "libcore/threading/parallel.h"

namespace frugal::gnn {
namespace {

void move_rows(std::span<const NodeId> new_ids, std::size_t row_bytes, const void* from, void* to) {
  const auto* const source = static_cast<const std::byte*>(from);
  auto* const target = static_cast<std::byte*>(to);
  parallel_for(new_ids.size(), 1024, [&](std::size_t v) {
    std::memcpy(target + new_ids[v] * row_bytes, source + v * row_bytes, row_bytes);
  });
}

template <class T>
void reorder_vector(std::span<const NodeId> new_ids, std::vector<T>& values) {
  if (values.empty()) return;
  std::vector<T> moved(values.size());
  const std::size_t width = values.size() / new_ids.size();
  move_rows(new_ids, width * sizeof(T), values.data(), moved.data());
  values = std::move(moved);
}

}  // namespace

void reorder_nodes(std::span<const NodeId> new_ids, NodeData& data) {
  if (data.sparse.dim != 0) {
    std::vector<NodeId> old(new_ids.size());
    for (std::size_t v = 0; v < new_ids.size(); ++v) old[new_ids[v]] = static_cast<NodeId>(v);
    SparseRows moved;
    moved.assign(data.sparse.view(), old);
    data.sparse = std::move(moved);
  } else if (data.has_features()) {
    Tensor moved = Tensor::make("features", data.features.dtype, data.features.shape);
    move_rows(new_ids, moved.bytes.size() / new_ids.size(), data.features.content().data(),
              moved.bytes.data());
    data.features = std::move(moved);
  }
  if (!data.scales.empty()) {
    Array<float> moved(data.scales.size(), uninitialized);
    move_rows(new_ids, sizeof(float), data.scales.data(), moved.data());
    data.scales = std::move(moved);
  }
  reorder_vector(new_ids, data.labels.classes);
  reorder_vector(new_ids, data.labels.matrix);
  for (auto& split : data.splits) reorder_vector(new_ids, split);
}

std::vector<std::uint64_t> old_ids(std::span<const NodeId> new_ids) {
  std::vector<std::uint64_t> old(new_ids.size());
  for (std::size_t v = 0; v < new_ids.size(); ++v) old[new_ids[v]] = v;
  return old;
}

NodeNames reorder_names(std::span<const NodeId> new_ids, const NodeNames& names) {
  NodeNames moved;
  for (const std::uint64_t v : old_ids(new_ids)) moved.number(names.name(static_cast<NodeId>(v)));
  return moved;
}

}  // namespace frugal::gnn
