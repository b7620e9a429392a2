#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/tree/label_tree.h"

namespace frugal::sparse {

/// Which examples reach each node of a tree: those with a label below it; and through which of its
/// children.
class TreeExamples {
 public:
  /// `data` and `shape` must outlive this object.
  TreeExamples(const Dataset& data, const TreeShape& shape);

  /// Ascending.
  std::span<const std::uint32_t> of(std::uint32_t node) const {
    return {examples_.data() + begin_[node], examples_.data() + begin_[node + 1]};
  }
  /// Calls visit(child) for the child of `node`, which example `e` reaches, on the way to each of
  /// its labels; children may repeat.
  template <class Visit>
  void for_each_child(std::uint32_t node, std::uint32_t e, Visit visit) const {
    const std::vector<std::uint32_t>& slots = slots_[level_[node]];
    for (const std::uint32_t l : data_.labels_of(e)) {
      const std::uint32_t slot = slots[l];
      if (slot >= shape_.slot_begin[node] && slot < shape_.slot_begin[node + 1])
        visit(slot - shape_.slot_begin[node]);
    }
  }

 private:
  void find_paths();
  void collect_examples();

  const Dataset& data_;
  const TreeShape& shape_;
  std::vector<std::uint8_t> level_;                ///< of each node
  std::vector<std::vector<std::uint32_t>> slots_;  ///< [level][label] on the way to the label
  std::vector<std::uint64_t> begin_;
  std::vector<std::uint32_t> examples_;
};

}  // namespace frugal::sparse
