#pragma once
#include <algorithm>
#include <vector>

#include "libcore/base/rng.h"
#include "tools/sparse-train/data/dataset.h"

/// Examples whose features tell their labels: label l makes features 4 l .. 4 l + 3 likely.
inline frugal::sparse::Dataset synthetic_data(std::size_t examples, std::uint32_t labels,
                                              std::size_t labels_each, std::uint64_t seed = 1) {
  frugal::sparse::Dataset data;
  data.num_features = 4 * labels + 20;
  data.num_labels = labels;
  frugal::Rng rng(seed);
  for (std::size_t i = 0; i < examples; ++i) {
    std::vector<std::uint32_t> own, features;
    while (own.size() < labels_each) {
      const auto l = static_cast<std::uint32_t>(rng.below(labels));
      if (std::find(own.begin(), own.end(), l) == own.end()) own.push_back(l);
    }
    for (const std::uint32_t l : own) {
      for (int k = 0; k < 3; ++k)
        features.push_back(4 * l + static_cast<std::uint32_t>(rng.below(4)));
    }
    for (int k = 0; k < 3; ++k)
      features.push_back(static_cast<std::uint32_t>(rng.below(data.num_features)));
    std::sort(features.begin(), features.end());
    features.erase(std::unique(features.begin(), features.end()), features.end());
    for (const std::uint32_t f : features) {
      data.features.push_back(f);
      data.values.push_back(static_cast<float>(rng.uniform(0.2, 1)));
    }
    data.labels.insert(data.labels.end(), own.begin(), own.end());
    data.feature_begin.push_back(data.features.size());
    data.label_begin.push_back(data.labels.size());
  }
  return data;
}
