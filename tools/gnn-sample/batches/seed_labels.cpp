#include "tools/gnn-sample/batches/seed_labels.h"

namespace frugal::gnn {

void SeedLabels::assign(const NodeSet& set, std::span<const NodeId> seeds) {
  classes.clear();
  rows.clear();
  values.clear();
  for (const NodeId v : seeds) {
    if (!set.values.empty()) {
      values.push_back(set.values[v]);
    } else if (set.label_matrix.empty()) {
      classes.push_back(set.labels[v]);
    } else {
      const std::uint8_t* const row = set.label_matrix.data() + v * set.num_classes;
      rows.insert(rows.end(), row, row + set.num_classes);
    }
  }
}

}  // namespace frugal::gnn
