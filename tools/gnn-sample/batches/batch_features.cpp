#include "tools/gnn-sample/batches/batch_features.h"

#include <cstring>
#include <limits>

#include "libcore/base/error.h"
#include "tools/gnn-sample/data/graph_file.h"

namespace frugal::gnn {
namespace {

/// Numbers of one of two types.
struct Integers {
  std::byte* data;
  bool wide;

  void set(std::size_t at, std::uint64_t value) const {
    if (wide) {
      reinterpret_cast<std::int64_t*>(data)[at] = static_cast<std::int64_t>(value);
    } else {
      reinterpret_cast<std::int32_t*>(data)[at] = static_cast<std::int32_t>(value);
    }
  }
};

}  // namespace

BatchFeatures::BatchFeatures(const NodeSet& nodes, std::string prefix, Form form)
    : view_(*nodes.features),
      slicer_(view_),
      type_(nodes.type),
      prefix_(std::move(prefix)),
      form_(form),
      sparse_(view_.sparse() && !form.dense) {}

void BatchFeatures::add(std::span<const NodeId> nodes, DocumentArena& to) const {
  if (sparse_) return add_sparse(nodes, to);
  if (!to.has_room(nodes.size() * slicer_.row_bytes())) slicer_.check_room(nodes.size());
  Tensor& rows = to.add(prefix_ + "features", slicer_.dtype(), {nodes.size(), slicer_.dim()});
  slicer_.slice(nodes, rows.bytes.data());
}

void BatchFeatures::add_sparse(std::span<const NodeId> nodes, DocumentArena& to) const {
  std::uint64_t size = 0;
  for (const NodeId v : nodes) size += view_.row_size(v);
  if (!form_.wide_ids && size > std::numeric_limits<std::int32_t>::max()) {
    fail(ExitStatus::unavailable, "a mini-batch has ", size,
         " features that are not 0, more than numbers of 32 bits count: --wide-ids");
  }
  const std::size_t item = item_size(view_.dtype);
  const auto add_integers = [&](const char* name, std::uint64_t count) {
    const Dtype dtype = form_.wide_ids ? Dtype::i64 : Dtype::i32;
    return Integers{to.add(prefix_ + name, dtype, {count}).bytes.data(), form_.wide_ids};
  };
  const Integers offsets = add_integers("features.offsets", nodes.size() + 1);
  const Integers columns = add_integers("features.columns", size);
  std::byte* values = nullptr;
  if (view_.data != nullptr) {
    values = to.add(prefix_ + "features.values", view_.dtype, {size}).bytes.data();
  }
  std::size_t at = 0;
  offsets.set(0, 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto row = view_.row_columns(nodes[i]);
    if (values != nullptr && !row.empty()) {
      std::memcpy(values + at * item, view_.data + view_.offsets[nodes[i]] * item,
                  row.size() * item);
    }
    for (const std::uint32_t column : row) columns.set(at++, column);
    offsets.set(i + 1, at);
  }
  to.document().metadata[typed_key(kFeaturesKey, type_)] = std::to_string(view_.dim);
}

}  // namespace frugal::gnn
