#include "tools/gnn-sample/batches/row_slicer.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "libcore/base/text.h"
#include "libcore/embedding/embedding.h"
#include "libcore/system/limits.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kRowsAhead = 8;
constexpr std::size_t kLineBytes = 64;
/// Rows that are there whatever memory is left: it is not asked for them.
constexpr std::size_t kSmallBytes = std::size_t{1} << 26;

void ask_for(const std::byte* row, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(row + at);
}

/// Copies numbers of T, or 1 where there are none, to their columns.
template <class T>
void spread(std::span<const std::uint32_t> columns, const std::byte* from, T* to) {
  const T* const values = reinterpret_cast<const T*>(from);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if constexpr (std::is_same_v<T, float>) {
      to[columns[i]] = values == nullptr ? 1 : values[i];
    } else {
      to[columns[i]] = values[i];
    }
  }
}

}  // namespace

void RowSlicer::slice_sparse(std::span<const NodeId> nodes, std::byte* to) const {
  const FeatureView& f = features_;
  const std::size_t item = item_size(f.dtype);
  const std::size_t ahead = std::min(kRowsAhead, nodes.size());
  const auto ask = [&](NodeId v) {
    const std::span<const std::uint32_t> columns = f.row_columns(v);
    ask_for(reinterpret_cast<const std::byte*>(columns.data()), columns.size_bytes());
    if (f.data != nullptr) ask_for(f.data + f.offsets[v] * item, columns.size() * item);
  };
  for (std::size_t i = 0; i < ahead; ++i) ask(nodes[i]);
  std::memset(to, 0, nodes.size() * row_bytes());
  for (std::size_t i = 0; i < nodes.size(); ++i, to += row_bytes()) {
    if (i + kRowsAhead < nodes.size()) ask(nodes[i + kRowsAhead]);
    const std::span<const std::uint32_t> columns = f.row_columns(nodes[i]);
    const std::byte* from = f.data == nullptr ? nullptr : f.data + f.offsets[nodes[i]] * item;
    if (f.dtype == Dtype::f32) {
      spread(columns, from, reinterpret_cast<float*>(to));
    } else {
      spread(columns, from, reinterpret_cast<std::uint16_t*>(to));
    }
  }
}

void RowSlicer::check_room(std::size_t n) const {
  if (n * row_bytes() < kSmallBytes) return;
  check_memory("features of " + format_count(n, "node") + ", " + std::to_string(dim()) + " each,",
               n * row_bytes());
}

FeatureView RowSlicer::make_room(std::size_t n, Array<std::byte>& room) const {
  const std::size_t bytes = n * row_bytes();
  if (room.size() < bytes) {
    check_room(n);
    room = Array<std::byte>(std::max(bytes, 2 * room.size()), uninitialized);
  }
  return {dtype(), room.data(), n, dim(), {}};
}

void RowSlicer::slice(std::span<const NodeId> nodes, std::byte* to) const {
  if (nodes.empty()) return;
  if (features_.sparse()) return slice_sparse(nodes, to);
  features_.read_ahead(nodes);
  if (features_.array != nullptr) {
    return features_.array->lookup_table(0, nodes.data(), nodes.size(),
                                         {reinterpret_cast<float*>(to), nodes.size(), dim()});
  }
  const std::size_t stored = features_.row_bytes();
  const std::size_t ahead = std::min(kRowsAhead, nodes.size());
  for (std::size_t i = 0; i < ahead; ++i) ask_for(features_.row(nodes[i]), stored);
  for (std::size_t i = 0; i < nodes.size(); ++i, to += row_bytes()) {
    if (i + kRowsAhead < nodes.size()) ask_for(features_.row(nodes[i + kRowsAhead]), stored);
    if (features_.dtype != Dtype::i8) {
      std::memcpy(to, features_.row(nodes[i]), stored);
      continue;
    }
    const auto* from = reinterpret_cast<const std::int8_t*>(features_.row(nodes[i]));
    const float scale = features_.scales[nodes[i]];
    auto* values = reinterpret_cast<float*>(to);
    for (std::size_t j = 0; j < features_.dim; ++j) values[j] = scale * static_cast<float>(from[j]);
  }
}

}  // namespace frugal::gnn
