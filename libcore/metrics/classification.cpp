#include "libcore/metrics/classification.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace frugal {
namespace {

constexpr unsigned kBinBits = 20;
constexpr std::size_t kBins = std::size_t{1} << kBinBits;
constexpr unsigned kDropped = 32 - kBinBits;

/// Floats in the order of their bits: negative ones reversed, then the others.
std::size_t bin_of(float logit) {
  if (std::isnan(logit)) return 0;
  const auto bits = std::bit_cast<std::uint32_t>(logit + 0.0F);  // -0 becomes 0
  const std::uint32_t order = bits ^ ((bits >> 31) != 0 ? 0xffffffffU : 0x80000000U);
  return order >> kDropped;
}

double sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

/// The probability in the middle of a bin.
double middle_of(std::size_t bin) {
  const auto order = static_cast<std::uint32_t>(bin << kDropped | std::size_t{1} << (kDropped - 1));
  const std::uint32_t bits = order ^ ((order >> 31) != 0 ? 0x80000000U : 0xffffffffU);
  const double logit = std::bit_cast<float>(bits);
  return std::isnan(logit) ? 0.5 : sigmoid(logit);
}

}  // namespace

BinaryMetrics::BinaryMetrics() : counts_(2 * kBins) {}

void BinaryMetrics::add(std::span<const float> logits, std::span<const float> labels) {
  assert(logits.size() == labels.size());
  double loss = 0, predicted = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const bool positive = labels[i] > 0.5F;
    const double logit = logits[i], towards_truth = positive ? logit : -logit;
    const double small = std::exp(-std::abs(logit));
    loss += std::log1p(small) + (towards_truth < 0 ? -towards_truth : 0);
    predicted += logit > 0 ? 1 / (1 + small) : small / (1 + small);
    positives_ += positive ? 1 : 0;
    right_ += (logit > 0) == positive ? 1 : 0;
    ++counts_[2 * bin_of(logits[i]) + (positive ? 1 : 0)];
  }
  samples_ += logits.size();
  loss_ += loss;
  predicted_ += predicted;
}

BinaryMetrics::Pairs BinaryMetrics::count_pairs() const {
  Pairs pairs;
  double negatives_below = 0;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const auto negatives = static_cast<double>(counts_[2 * bin]);
    const auto positives = static_cast<double>(counts_[2 * bin + 1]);
    pairs.won += positives * (negatives_below + negatives / 2);
    pairs.tied += positives * negatives;
    negatives_below += negatives;
  }
  return pairs;
}

double BinaryMetrics::num_pairs() const {
  return static_cast<double>(positives_) * static_cast<double>(samples_ - positives_);
}

double BinaryMetrics::auc() const {
  return num_pairs() == 0 ? std::numeric_limits<double>::quiet_NaN()
                          : count_pairs().won / num_pairs();
}

double BinaryMetrics::auc_uncertainty() const {
  return num_pairs() == 0 ? 0 : count_pairs().tied / num_pairs() / 2;
}

double BinaryMetrics::normalized_entropy() const {
  const double p = mean_label();
  return log_loss() / -(p * std::log(p) + (1 - p) * std::log1p(-p));
}

std::vector<CalibrationBin> BinaryMetrics::calibration_table(std::size_t num_bins) const {
  std::vector<CalibrationBin> table;
  CalibrationBin group;
  std::uint64_t seen = 0;
  const auto finish = [&] {
    group.predicted /= static_cast<double>(group.samples);
    group.observed /= static_cast<double>(group.samples);
    table.push_back(group);
    group = {};
  };
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const std::uint64_t samples = counts_[2 * bin] + counts_[2 * bin + 1];
    if (samples == 0) continue;
    group.samples += samples;
    group.predicted += middle_of(bin) * static_cast<double>(samples);
    group.observed += static_cast<double>(counts_[2 * bin + 1]);
    seen += samples;
    const double share = static_cast<double>(seen) / static_cast<double>(samples_);
    if (share * static_cast<double>(num_bins) >= static_cast<double>(table.size() + 1)) finish();
  }
  if (group.samples > 0) finish();
  return table;
}

std::uint64_t Confusion::examples() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

double Confusion::accuracy() const {
  std::uint64_t right = 0;
  for (std::size_t l = 0; l < num_labels_; ++l) right += count(l, l);
  const std::uint64_t all = examples();
  return all == 0 ? 0 : static_cast<double>(right) / static_cast<double>(all);
}

double Confusion::f1(std::size_t label) const {
  std::uint64_t actual = 0, predicted = 0;
  for (std::size_t l = 0; l < num_labels_; ++l) {
    actual += count(label, l);
    predicted += count(l, label);
  }
  const std::uint64_t both = actual + predicted;
  return both == 0 ? 0 : 2 * static_cast<double>(count(label, label)) / static_cast<double>(both);
}

double Confusion::macro_f1() const {
  double sum = 0;
  std::size_t labels = 0;
  for (std::size_t l = 0; l < num_labels_; ++l) {
    std::uint64_t occurs = 0;
    for (std::size_t other = 0; other < num_labels_; ++other)
      occurs += count(l, other) + count(other, l);
    if (occurs == 0) continue;
    sum += f1(l);
    ++labels;
  }
  return labels == 0 ? 0 : sum / static_cast<double>(labels);
}

}  // namespace frugal
