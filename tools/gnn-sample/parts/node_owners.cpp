#include "tools/gnn-sample/parts/node_owners.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "tools/gnn-sample/data/node_parts.h"

namespace frugal::gnn {
namespace {

/// Nodes in a row of even parts, whose features are read at once.
constexpr std::size_t kBlockNodes = 256;

}  // namespace

std::vector<std::uint32_t> even_owners(std::size_t nodes, std::uint32_t ranks) {
  std::vector<std::uint32_t> owners(nodes);
  for (std::size_t v = 0; v < nodes; ++v) {
    owners[v] = static_cast<std::uint32_t>(v / kBlockNodes % ranks);
  }
  return owners;
}

std::vector<std::uint32_t> read_owners(const std::string& path, const StoredGraph& graph,
                                       std::uint32_t ranks) {
  const NodeParts parts = read_node_parts(path, graph);
  const std::uint64_t count = parts.number;
  if (count == 0 || count % ranks != 0) {
    fail(ExitStatus::usage, path, ": has ", count, " parts, expected as many as ranks, ", ranks,
         ", or a multiple");
  }
  std::vector<std::uint32_t> owners;
  owners.reserve(parts.of.size());
  for (const NodeId part : parts.of) {
    owners.push_back(static_cast<std::uint32_t>(part / (count / ranks)));
  }
  return owners;
}

std::vector<NodeId> most_probable(std::span<const float> probabilities,
                                  std::span<const std::uint32_t> owners, std::uint32_t me,
                                  std::size_t count) {
  std::vector<NodeId> nodes;
  for (std::size_t v = 0; v < owners.size(); ++v) {
    if (owners[v] != me && probabilities[v] > 0) nodes.push_back(static_cast<NodeId>(v));
  }
  if (count < nodes.size()) {
    std::nth_element(
        nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count), nodes.end(),
        [&](NodeId a, NodeId b) {
          return probabilities[a] != probabilities[b] ? probabilities[a] > probabilities[b] : a < b;
        });
    nodes.resize(count);
    std::sort(nodes.begin(), nodes.end());
  }
  return nodes;
}

}  // namespace frugal::gnn
