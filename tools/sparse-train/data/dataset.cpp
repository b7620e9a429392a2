#include "tools/sparse-train/data/dataset.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

#include "libcore/base/hash.h"
#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"

namespace frugal::sparse {
namespace {

template <class T>
std::uint64_t hash_of(const Column<T>& values, std::uint64_t seed) {
  return hash_bytes(values.data(), values.size() * sizeof(T), seed);
}

}  // namespace

void add_values(const std::vector<ColumnValues>& more, std::vector<ColumnValues>& sum) {
  if (sum.empty()) sum = std::vector<ColumnValues>(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) {
    sum[i].column = more[i].column;
    sum[i].values += more[i].values;
    sum[i].unknown += more[i].unknown;
  }
}

void sort_features(Dataset& data) {
  if (data.sorted) return;
  std::uint32_t* const features = data.features.data();
  float* const all_values = data.values.data();
  const bool has_values = !data.values.empty();
  parallel_for(data.size(), 256, [&](std::size_t i) {
    std::uint32_t* begin = features + std::as_const(data.feature_begin)[i];
    std::uint32_t* end = features + std::as_const(data.feature_begin)[i + 1];
    if (std::is_sorted(begin, end)) return;
    if (!has_values) return std::sort(begin, end);
    float* values = all_values + (begin - features);
    std::vector<std::pair<std::uint32_t, float>> pairs;
    for (std::uint32_t* f = begin; f != end; ++f) pairs.emplace_back(*f, values[f - begin]);
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t j = 0; j < pairs.size(); ++j) std::tie(begin[j], values[j]) = pairs[j];
  });
  data.sorted = true;
}

void normalize_rows(Dataset& data) {
  if (data.normalized) return;
  if (data.values.empty()) data.values.assign(data.features.size(), 1.0F);
  float* const values = data.values.data();
  parallel_for(data.size(), 256, [&](std::size_t i) {
    const std::uint64_t begin = std::as_const(data.feature_begin)[i];
    const std::size_t n = std::as_const(data.feature_begin)[i + 1] - begin;
    const float square = kernels().dot(values + begin, values + begin, n);
    if (square > 0) kernels().scale(1 / std::sqrt(square), values + begin, n);
  });
  data.normalized = true;
}

std::string fingerprint(const Dataset& data) {
  std::uint64_t hash = hash_of(data.feature_begin, 0);
  hash = hash_of(data.features, hash);
  hash = hash_of(data.values, hash);
  hash = hash_of(data.label_begin, hash);
  hash = hash_of(data.labels, hash);
  if (!data.weights.empty()) hash = hash_of(data.weights, hash);
  std::array<char, 17> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(hash));
  return std::to_string(data.size()) + " examples, hash " + hex.data();
}

Dataset part_of(const Dataset& data, std::span<const std::uint32_t> examples) {
  Dataset part;
  part.num_features = data.num_features;
  part.num_labels = data.num_labels;
  part.unknown_labels = data.unknown_labels;
  part.sorted = data.sorted;
  part.normalized = data.normalized;
  for (const std::uint32_t i : examples) {
    for (const std::uint32_t f : data.features_of(i)) part.features.push_back(f);
    for (const float x : data.values_of(i)) part.values.push_back(x);
    for (const std::uint32_t l : data.labels_of(i)) part.labels.push_back(l);
    if (!data.weights.empty()) part.weights.push_back(data.weights[i]);
    part.feature_begin.push_back(part.features.size());
    part.label_begin.push_back(part.labels.size());
  }
  return part;
}

}  // namespace frugal::sparse
