#include "tools/gnn-sample/batches/row_slicer.h"

#include <algorithm>
#include <cstring>

namespace frugal {
namespace {

constexpr std::size_t kRowsAhead = 8;
constexpr std::size_t kLineBytes = 64;

void ask_for(const std::byte* row, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(row + at);
}

}  // namespace

void RowSlicer::slice(std::span<const NodeId> nodes, std::byte* to) const {
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

}  // namespace frugal
