#include "tools/sparse-train/data/dataset_part.h"

namespace frugal::sparse {

Dataset part_of(const Dataset& data, std::span<const std::uint32_t> examples) {
  Dataset part;
  part.num_features = data.num_features;
  part.num_labels = data.num_labels;
  part.sorted = data.sorted;
  part.normalized = data.normalized;
  for (const std::uint32_t i : examples) {
    for (const std::uint32_t f : data.features_of(i)) part.features.push_back(f);
    for (const float x : data.values_of(i)) part.values.push_back(x);
    for (const std::uint32_t l : data.labels_of(i)) part.labels.push_back(l);
    part.feature_begin.push_back(part.features.size());
    part.label_begin.push_back(part.labels.size());
  }
  return part;
}

}  // namespace frugal::sparse
