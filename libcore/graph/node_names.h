#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/hash_index.h"
#include "libcore/graph/csr.h"

namespace frugal {

/// A whole number of any size as std::to_string() writes it: "7" for "7", "+7", "007", "7.0" and a
/// 7 between blanks. Nothing for other texts.
std::optional<std::string> whole_number_text(std::string_view text);

/// Names of nodes, numbered in the order of their first appearance.
class NodeNames {
 public:
  /// Returns the number of a name, which is a new one if the name is. Fails (unavailable) if two
  /// names have the same hash, which happens once in some ten thousand inputs of 100 million names.
  NodeId number(std::string_view name);
  std::optional<NodeId> find(std::string_view name) const;

  std::size_t size() const { return offsets_.size() - 1; }
  std::string_view name(NodeId node) const;
  /// All names as numbers; nothing unless each name is the decimal text of a number.
  std::optional<std::vector<std::uint64_t>> as_numbers() const;
  /// If all names are whole numbers, writes them as whole_number_text() does, so that equal ones
  /// become one. Returns the new number of each node; nothing if no name changes.
  std::vector<NodeId> merge_whole();
  const std::vector<std::uint64_t>& offsets() const { return offsets_; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  HashIndex index_;
  std::vector<std::uint64_t> offsets_{0};
  std::vector<std::uint8_t> bytes_;
};

/// Reads one name per line of a file (plain, gz or zst), in the order of the nodes. Fails
/// (bad_input) on a repeated name.
NodeNames read_node_names(const std::string& path);

}  // namespace frugal
