#include "tools/sparse-train/tree/label_features.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "libcore/threading/parallel.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kLabelsPerPiece = 1024;

std::vector<float> inverse_lengths(const Dataset& data) {
  std::vector<float> result(data.size());
  parallel_for(data.size(), 1024, [&](std::size_t i) {
    double squares = 0;
    for (const float v : data.values_of(i)) squares += static_cast<double>(v * v);
    if (data.values_of(i).empty()) squares = static_cast<double>(data.features_of(i).size());
    result[i] = squares > 0 ? static_cast<float>(1 / std::sqrt(squares)) : 0;
  });
  return result;
}

/// Sums vectors in a dense array and takes them out as sparse ones.
class Accumulator {
 public:
  explicit Accumulator(std::uint32_t num_features) : sums_(num_features) {}

  void add(std::span<const std::uint32_t> features, std::span<const float> values, float scale) {
    for (std::size_t j = 0; j < features.size(); ++j) {
      const float value = scale * (values.empty() ? 1.0f : values[j]);
      if (value == 0) continue;
      float& sum = sums_[features[j]];
      if (sum == 0) touched_.push_back(features[j]);
      sum += value;
    }
  }
  /// Appends the sum, scaled to length 1, to `out` as a row and starts from 0.
  void take(SparseRows& out) {
    std::sort(touched_.begin(), touched_.end());
    double squares = 0;
    for (const std::uint32_t f : touched_) squares += static_cast<double>(sums_[f] * sums_[f]);
    const float scale = squares > 0 ? static_cast<float>(1 / std::sqrt(squares)) : 0;
    for (const std::uint32_t f : touched_) {
      // A sum that was 0 in between stands in the list twice: the second time it is 0 again.
      if (sums_[f] != 0) {
        out.features.push_back(f);
        out.values.push_back(sums_[f] * scale);
      }
      sums_[f] = 0;
    }
    touched_.clear();
    out.begin.push_back(out.features.size());
  }

 private:
  std::vector<float> sums_;
  std::vector<std::uint32_t> touched_;
};

SparseRows joined(std::vector<SparseRows>& pieces, std::uint32_t num_features) {
  SparseRows result;
  result.num_features = num_features;
  std::size_t total = 0;
  for (const SparseRows& piece : pieces) total += piece.features.size();
  result.features.reserve(total);
  result.values.reserve(total);
  for (SparseRows& piece : pieces) {
    const std::uint64_t base = result.features.size();
    result.features.insert(result.features.end(), piece.features.begin(), piece.features.end());
    result.values.insert(result.values.end(), piece.values.begin(), piece.values.end());
    for (std::size_t r = 1; r < piece.begin.size(); ++r)
      result.begin.push_back(base + piece.begin[r]);
    piece = SparseRows();
  }
  return result;
}

}  // namespace

LabelExamples examples_of_labels(const Dataset& data) {
  LabelExamples result;
  result.begin.assign(data.num_labels + 1, 0);
  for (const std::uint32_t l : data.labels) ++result.begin[l + 1];
  for (std::size_t l = 0; l < data.num_labels; ++l) result.begin[l + 1] += result.begin[l];
  result.examples.resize(data.labels.size());
  std::vector<std::uint64_t> next(result.begin.begin(), result.begin.end() - 1);
  for (std::size_t i = 0; i < data.size(); ++i) {
    for (const std::uint32_t l : data.labels_of(i))
      result.examples[next[l]++] = static_cast<std::uint32_t>(i);
  }
  return result;
}

SparseRows label_features(const Dataset& data) {
  const LabelExamples examples = examples_of_labels(data);
  const std::vector<float> scales = inverse_lengths(data);
  std::vector<SparseRows> pieces((data.num_labels + kLabelsPerPiece - 1) / kLabelsPerPiece);
  std::atomic<std::size_t> next{0};
  parallel_threads([&](int) {
    Accumulator sum(data.num_features);
    for (std::size_t p; (p = next++) < pieces.size();) {
      const std::size_t end = std::min<std::size_t>((p + 1) * kLabelsPerPiece, data.num_labels);
      for (std::size_t l = p * kLabelsPerPiece; l < end; ++l) {
        for (const std::uint32_t i : examples.of(static_cast<std::uint32_t>(l)))
          sum.add(data.features_of(i), data.values_of(i), scales[i]);
        sum.take(pieces[p]);
      }
    }
  });
  return joined(pieces, data.num_features);
}

}  // namespace frugal::sparse
