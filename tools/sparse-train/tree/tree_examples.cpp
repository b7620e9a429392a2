#include "tools/sparse-train/tree/tree_examples.h"

#include <algorithm>
#include <limits>

namespace frugal::sparse {
namespace {

constexpr std::uint32_t kNoSlot = std::numeric_limits<std::uint32_t>::max();

}  // namespace

TreeExamples::TreeExamples(const Dataset& data, const TreeShape& shape)
    : data_(data), shape_(shape) {
  find_paths();
  collect_examples();
}

void TreeExamples::find_paths() {
  const std::uint32_t nodes = shape_.num_nodes();
  std::vector<std::uint32_t> slot_of_node(nodes, kNoSlot);
  std::vector<std::uint32_t> parent(nodes, 0);
  level_.assign(nodes, 0);
  for (std::uint32_t n = 0; n < nodes && !shape_.is_leaf(n); ++n) {
    for (std::uint32_t s = shape_.slot_begin[n]; s < shape_.slot_begin[n + 1]; ++s) {
      slot_of_node[s + 1] = s;
      parent[s + 1] = n;
      level_[s + 1] = static_cast<std::uint8_t>(level_[n] + 1);
    }
  }
  slots_.assign(std::size_t{level_.back()} + 1,
                std::vector<std::uint32_t>(data_.num_labels, kNoSlot));
  for (std::uint32_t n = 0; n < nodes; ++n) {
    if (!shape_.is_leaf(n)) continue;
    for (std::uint32_t s = shape_.slot_begin[n]; s < shape_.slot_begin[n + 1]; ++s) {
      const std::uint32_t label = shape_.label_of(s);
      slots_[level_[n]][label] = s;
      for (std::uint32_t a = n; a != 0; a = parent[a])
        slots_[level_[parent[a]]][label] = slot_of_node[a];
    }
  }
}

void TreeExamples::collect_examples() {
  const std::uint32_t nodes = shape_.num_nodes();
  std::vector<std::uint32_t> reached;
  // The nodes below the root that an example reaches.
  const auto nodes_of = [&](std::uint32_t e) -> const std::vector<std::uint32_t>& {
    reached.clear();
    for (std::size_t level = 0; level + 1 < slots_.size(); ++level) {
      const std::size_t first = reached.size();
      for (const std::uint32_t l : data_.labels_of(e)) {
        if (slots_[level][l] != kNoSlot) reached.push_back(slots_[level][l] + 1);
      }
      const auto begin = reached.begin() + static_cast<std::ptrdiff_t>(first);
      std::sort(begin, reached.end());
      reached.erase(std::unique(begin, reached.end()), reached.end());
    }
    return reached;
  };
  // The root learns from examples without labels, too.
  begin_.assign(std::size_t{nodes} + 1, 0);
  begin_[1] = data_.size();
  for (std::uint32_t e = 0; e < data_.size(); ++e) {
    for (const std::uint32_t n : nodes_of(e)) ++begin_[n + 1];
  }
  for (std::uint32_t n = 0; n < nodes; ++n) begin_[n + 1] += begin_[n];
  examples_.resize(begin_.back());
  std::vector<std::uint64_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t e = 0; e < data_.size(); ++e) {
    examples_[next[0]++] = e;
    for (const std::uint32_t n : nodes_of(e)) examples_[next[n]++] = e;
  }
}

}  // namespace frugal::sparse
