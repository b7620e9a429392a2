#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/hash_index.h"
#include "libcore/graph/csr.h"

namespace frugal {

/// Nodes by their names in the input, numbered by first appearance.
class NodeNames {
 public:
  /// The number of a name, a new one where it has none. Fails (unavailable) in the case, one in
  /// some ten thousand at 100 million names, that two share a hash.
  NodeId number(std::string_view name);
  std::optional<NodeId> find(std::string_view name) const;

  std::size_t size() const { return offsets_.size() - 1; }
  std::string_view name(NodeId node) const;
  /// All names as numbers, if they are numbers as these are written.
  std::optional<std::vector<std::uint64_t>> as_numbers() const;
  const std::vector<std::uint64_t>& offsets() const { return offsets_; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  HashIndex index_;
  std::vector<std::uint64_t> offsets_{0};
  std::vector<std::uint8_t> bytes_;
};

/// One name a line of a file (plain, gz or zst), in the order of the nodes. Fails (bad_input) where
/// one stands twice.
NodeNames read_node_names(const std::string& path);

}  // namespace frugal
