#include "tools/sparse-train/data/dataset.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
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

/// Examples that a thread sorts with one FeatureSorter.
constexpr std::size_t kSortedTogether = 256;

/// Sorts features with their values, stably: a radix sort by bytes, for few features an insertion
/// sort. std::stable_sort takes five times as long on texts of some hundred n-grams.
class FeatureSorter {
 public:
  void sort(std::uint32_t* features, float* values, std::size_t size) {
    if (std::is_sorted(features, features + size)) return;
    pairs_.resize(size);
    for (std::size_t i = 0; i < size; ++i)
      pairs_[i] = std::uint64_t{features[i]} << 32 | std::bit_cast<std::uint32_t>(values[i]);
    if (size <= kFew) {
      insert_each();
    } else {
      sort_by_bytes(*std::max_element(features, features + size));
    }
    for (std::size_t i = 0; i < size; ++i) {
      features[i] = static_cast<std::uint32_t>(pairs_[i] >> 32);
      values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(pairs_[i]));
    }
  }

 private:
  static constexpr std::size_t kFew = 40;
  using Counts = std::array<std::uint32_t, 256>;

  void insert_each() {
    for (std::size_t i = 1; i < pairs_.size(); ++i) {
      const std::uint64_t pair = pairs_[i];
      std::size_t at = i;
      for (; at > 0 && pairs_[at - 1] >> 32 > pair >> 32; --at) pairs_[at] = pairs_[at - 1];
      pairs_[at] = pair;
    }
  }

  void sort_by_bytes(std::uint32_t highest) {
    const std::size_t num_bytes = (static_cast<std::size_t>(std::bit_width(highest)) + 7) / 8;
    std::array<Counts, 4> places{};
    for (const std::uint64_t pair : pairs_) {
      for (std::size_t b = 0; b < num_bytes; ++b) ++places[b][byte_of(pair, b)];
    }
    sorted_.resize(pairs_.size());
    for (std::size_t b = 0; b < num_bytes; ++b) {
      std::uint32_t begin = 0;
      for (std::uint32_t& place : places[b]) begin += std::exchange(place, begin);
      for (const std::uint64_t pair : pairs_) sorted_[places[b][byte_of(pair, b)]++] = pair;
      pairs_.swap(sorted_);
    }
  }
  static std::size_t byte_of(std::uint64_t pair, std::size_t b) {
    return pair >> (32 + 8 * b) & 0xFF;
  }

  std::vector<std::uint64_t> pairs_;  ///< features above the bits of their values
  std::vector<std::uint64_t> sorted_;
};

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
  float* const values = data.values.data();
  const std::uint64_t* const begin = std::as_const(data.feature_begin).data();
  const bool has_values = !data.values.empty();
  const std::size_t size = data.size();
  parallel_for((size + kSortedTogether - 1) / kSortedTogether, 1, [&](std::size_t block) {
    FeatureSorter sorter;
    const std::size_t end = std::min(size, (block + 1) * kSortedTogether);
    for (std::size_t i = block * kSortedTogether; i < end; ++i) {
      if (has_values) {
        sorter.sort(features + begin[i], values + begin[i], begin[i + 1] - begin[i]);
      } else {
        std::sort(features + begin[i], features + begin[i + 1]);
      }
    }
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
