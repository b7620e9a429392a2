#include "tools/sparse-train/tree/tree_shape.h"

#include <algorithm>

#include "libcore/base/error.h"

namespace frugal::sparse {

void TreeShape::check(const std::string& where, std::uint32_t num_labels) const {
  if (slot_begin.size() < 2 || slot_begin[0] != 0) {
    fail(ExitStatus::bad_input, where, ": slots of the root are missing, expected them from 0 on");
  }
  for (std::uint32_t n = 0; n < num_nodes(); ++n) {
    const std::uint64_t begin = slot_begin[n];
    const std::uint64_t end = slot_begin[n + 1];
    if (begin >= end || (begin < first_label_slot() && end > first_label_slot())) {
      fail(ExitStatus::bad_input, where, ": node ", n, " has the slots ", begin, " to ", end,
           ", expected at least one, and only nodes or only labels");
    }
  }
  if (num_slots() - first_label_slot() != labels.size()) {
    fail(ExitStatus::bad_input, where, ": has ", num_slots(), " slots, expected ",
         first_label_slot() + labels.size());
  }
  std::vector<std::uint32_t> sorted = labels;
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty() && sorted.back() >= num_labels) {
    fail(ExitStatus::bad_input, where, ": label ", sorted.back(),
         " is out of range, expected one of ", num_labels);
  }
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    fail(ExitStatus::bad_input, where, ": label ", *twice, " stands twice, expected it once");
  }
}

}  // namespace frugal::sparse
