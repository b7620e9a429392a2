#include "tools/tgn-train/memory/state_nodes.h"

#include <algorithm>
#include <string>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/tgn-train/history/partner_rings.h"

namespace frugal::tgn {
namespace {

/// What nodes without events have, byte by byte: no event, or zeros.
std::byte without_events(const std::string& tensor) {
  const bool events = tensor.starts_with("past.") || tensor == "pairs.walks_updated";
  return std::byte{events ? std::uint8_t{0xff} : std::uint8_t{0}};
}

Tensor move_rows(const Tensor& from, const NodeMove& move, const std::string& path) {
  const std::span<const std::byte> rows = from.content();
  if (from.shape.empty() || rows.size() % move.nodes_before != 0) {
    fail(ExitStatus::bad_input, path, ": tensor '", printable(from.name), "' is ",
         shape_text(from.shape), ", expected rows for ", move.nodes_before, " nodes");
  }
  const std::size_t row_bytes = rows.size() / move.nodes_before;
  Shape shape = from.shape;
  // Tensors of bytes have no axis of nodes.
  shape[0] = shape[0] / move.nodes_before * move.nodes;
  Tensor to = Tensor::make(from.name, from.dtype, shape);
  std::fill(to.bytes.begin(), to.bytes.end(), without_events(from.name));
  for (NodeId v = 0; v < move.nodes_before; ++v) {
    if (!move.has(v)) continue;
    const auto row = rows.subspan(v * row_bytes, row_bytes);
    std::copy(row.begin(), row.end(),
              to.bytes.begin() + static_cast<std::ptrdiff_t>(move.of(v) * row_bytes));
  }
  return to;
}

void move_partners(const NodeMove& move, Tensor& partners) {
  auto* const begin = reinterpret_cast<PartnerRings::Partner*>(partners.bytes.data());
  for (PartnerRings::Partner& partner :
       std::span(begin, partners.bytes.size() / sizeof(PartnerRings::Partner))) {
    partner.node = static_cast<NodeId>(move.of(partner.node));
  }
}

}  // namespace

Document move_nodes(const Document& state, const NodeMove& move, const std::string& path) {
  Document moved;
  moved.metadata = state.metadata;
  for (const Tensor& tensor : state.tensors) {
    if (tensor.name == "pairs.now") {
      moved.tensors.push_back(tensor.clone());
      continue;
    }
    moved.tensors.push_back(move_rows(tensor, move, path));
    if (tensor.name == "pairs.partners") move_partners(move, moved.tensors.back());
  }
  return moved;
}

}  // namespace frugal::tgn
