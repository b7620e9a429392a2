#include "tools/sparse-train/tree/k_means.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/base/array.h"
#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"

namespace frugal::sparse {
namespace {

/// More rounds do not make trees more accurate.
constexpr int kMaxRounds = 8;
/// Rounds end when the mean similarity of a label and its centre grows by less.
constexpr double kLeastGain = 1e-4;
/// Centres looked at together: with one cache line for each feature.
constexpr std::uint32_t kCentreBlock = 16;

struct Nearest {
  std::uint32_t cluster = 0;
  float similarity = -std::numeric_limits<float>::infinity();
};

class Clustering {
 public:
  Clustering(const SparseRows& vectors, std::span<const std::uint32_t> labels)
      : vectors_(vectors),
        labels_(labels),
        centres_(std::size_t{vectors.num_features} * kCentreBlock),
        nearest_(labels.size()) {}

  /// Finds the nearest centre of each label. The centre of a cluster is the sum of its labels in
  /// `members`.
  const std::vector<Nearest>& assign(const std::vector<std::vector<std::uint32_t>>& members) {
    std::fill(nearest_.begin(), nearest_.end(), Nearest());
    for (std::size_t first = 0; first < members.size(); first += kCentreBlock) {
      const std::size_t count = std::min<std::size_t>(kCentreBlock, members.size() - first);
      lay_out({members.data() + first, count});
      parallel_for(labels_.size(), 64, [&](std::size_t i) { look_at_block(i, first, count); });
    }
    return nearest_;
  }

 private:
  void lay_out(std::span<const std::vector<std::uint32_t>> members);
  void look_at_block(std::size_t i, std::size_t first, std::size_t count);

  const SparseRows& vectors_;
  std::span<const std::uint32_t> labels_;
  Array<float> centres_;  ///< [features, kCentreBlock] unscaled
  float scales_[kCentreBlock] = {};
  std::vector<Nearest> nearest_;
};

void Clustering::lay_out(std::span<const std::vector<std::uint32_t>> members) {
  std::fill(centres_.begin(), centres_.end(), 0.0F);
  for (std::size_t c = 0; c < members.size(); ++c) {
    for (const std::uint32_t l : members[c]) {
      for (std::uint64_t j = vectors_.begin[l]; j < vectors_.begin[l + 1]; ++j)
        centres_[std::size_t{vectors_.features[j]} * kCentreBlock + c] += vectors_.values[j];
    }
  }
  double squares[kCentreBlock] = {};
  for (std::size_t f = 0; f < vectors_.num_features; ++f) {
    for (std::size_t c = 0; c < kCentreBlock; ++c) {
      const auto value = static_cast<double>(centres_[f * kCentreBlock + c]);
      squares[c] += value * value;
    }
  }
  for (std::size_t c = 0; c < kCentreBlock; ++c)
    scales_[c] = squares[c] > 0 ? static_cast<float>(1 / std::sqrt(squares[c])) : 0;
}

void Clustering::look_at_block(std::size_t i, std::size_t first, std::size_t count) {
  const std::uint64_t begin = vectors_.begin[labels_[i]];
  const std::uint64_t end = vectors_.begin[labels_[i] + 1];
  float products[kCentreBlock] = {};
  kernels().gather_sum(centres_.data(), kCentreBlock, kCentreBlock,
                       vectors_.features.data() + begin, vectors_.values.data() + begin,
                       end - begin, products);
  for (std::size_t c = 0; c < count; ++c) {
    const float similarity = products[c] * scales_[c];
    if (similarity > nearest_[i].similarity)
      nearest_[i] = {static_cast<std::uint32_t>(first + c), similarity};
  }
}

}  // namespace

std::vector<std::uint32_t> k_means(const SparseRows& label_features,
                                   std::span<const std::uint32_t> labels, std::uint32_t clusters,
                                   Rng rng) {
  std::vector<std::uint32_t> drawn(labels.begin(), labels.end());
  shuffle(drawn.data(), drawn.size(), rng);
  std::vector<std::vector<std::uint32_t>> members(std::min<std::size_t>(clusters, drawn.size()));
  for (std::size_t c = 0; c < members.size(); ++c) members[c] = {drawn[c]};
  Clustering clustering(label_features, labels);
  std::vector<std::uint32_t> result(labels.size());
  double before = 0;
  for (int round = 0; round < kMaxRounds; ++round) {
    const std::vector<Nearest>& nearest = clustering.assign(members);
    double similarity = 0;
    for (std::vector<std::uint32_t>& m : members) m.clear();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      result[i] = nearest[i].cluster;
      similarity += static_cast<double>(nearest[i].similarity);
      members[result[i]].push_back(labels[i]);
    }
    const double gain = similarity / static_cast<double>(labels.size()) - before;
    before += gain;
    if (gain < kLeastGain) break;
  }
  return result;
}

}  // namespace frugal::sparse
