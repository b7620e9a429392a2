#include "tools/sparse-train/network/nibble_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kRowsAtOnce = 1024;
constexpr int kZero = 8;           ///< the nibble of 0
constexpr float kRowSteps = 7;     ///< nibbles 1 to 15
constexpr float kByteSteps = 127;  ///< of the other vector
constexpr float kSlack = 1e-5F;    ///< covers the rounding of the float operations
/// Errors are kept no smaller than this share of the rounded row's length, so that one number of a
/// row bounds what the rounding of either factor does.
constexpr float kSmallestError = 1.0F / 32;

std::size_t round_up(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

float largest_magnitude(std::span<const float> values) {
  float largest = 0;
  for (const float v : values) largest = std::max(largest, std::abs(v));
  return largest;
}

/// Rounds a row to multiples of `scale`; all are 0 if that is 0.
void round_to_steps(std::span<const float> values, float scale, float* steps) {
  const float divisor = scale > 0 ? scale : std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < values.size(); ++i) steps[i] = std::nearbyint(values[i] / divisor);
}

/// A sum of squares in turns of eight, which the compiler makes vectors of.
template <class Term>
double sum_of_squares(std::size_t n, Term term) {
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= n; i += sums.size()) {
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const auto x = static_cast<double>(term(i + j));
      sums[j] += x * x;
    }
  }
  for (; i < n; ++i) sums[0] += static_cast<double>(term(i)) * static_cast<double>(term(i));
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// A vector as scale * x.
struct RoundedInput {
  float scale = 1;
  std::int32_t total = 0;  ///< of the integers
  double length = 0;       ///< of the vector
  double error = 0;        ///< length of what rounding took away
};

RoundedInput round_input(std::span<const float> values, std::vector<std::int8_t>& x) {
  RoundedInput result;
  const float largest = largest_magnitude(values);
  result.scale = largest > 0 ? largest / kByteSteps : 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float steps = std::nearbyint(values[i] / result.scale);
    x[i] = static_cast<std::int8_t>(steps);
    result.total += x[i];
    const double value = static_cast<double>(values[i]);
    const double lost = value - static_cast<double>(result.scale) * static_cast<double>(steps);
    result.length += value * value;
    result.error += lost * lost;
  }
  result.length = std::sqrt(result.length);
  result.error = std::sqrt(result.error);
  return result;
}

}  // namespace

NibbleRows::NibbleRows(MatrixView<const float> rows)
    : size_(rows.rows), depth_(rows.cols - 1), padded_(round_up(depth_, 8)) {
  const std::size_t n = round_up(size_, kNibbleRows);
  panels_ = Array<std::uint8_t>(n * padded_ / 2);
  for (Array<float>* array : {&scale_, &bias_, &error_}) *array = Array<float>(n);
  parallel_for((size_ + kRowsAtOnce - 1) / kRowsAtOnce, 1, [&](std::size_t block) {
    std::vector<float> steps(depth_);
    const std::size_t begin = block * kRowsAtOnce;
    for (std::size_t r = begin; r < std::min(size_, begin + kRowsAtOnce); ++r) {
      round_row(r, {rows.row(r), depth_}, steps.data());
      bias_[r] = rows(r, depth_);
    }
  });
  std::fill(bias_.begin() + size_, bias_.end(), -std::numeric_limits<float>::infinity());
  measure_losses(rows);
}

/// Statistics of a sample: they center estimates, and no bound depends on them.
void NibbleRows::measure_losses(MatrixView<const float> rows) {
  constexpr std::size_t kSampled = 4096;  ///< rows, at most twice as many
  const std::size_t step = std::max<std::size_t>(1, size_ / kSampled);
  mean_.assign(depth_, 0.0);
  variance_.assign(depth_, 0.0);
  std::vector<float> steps(depth_);
  double total = 0;
  std::size_t sampled = 0;
  for (std::size_t r = 0; r < size_; r += step, ++sampled) {
    round_to_steps({rows.row(r), depth_}, scale_[r], steps.data());
    for (std::size_t i = 0; i < depth_; ++i) {
      const float lost = rows(r, i) - scale_[r] * steps[i];
      mean_[i] += static_cast<double>(lost * error_[r]);
      variance_[i] += static_cast<double>(lost * lost);
    }
    total += static_cast<double>(error_[r] * error_[r]);
  }
  if (total == 0) return;
  typical_error_ = static_cast<float>(std::sqrt(total / static_cast<double>(sampled)));
  for (std::size_t i = 0; i < depth_; ++i) {
    mean_[i] /= total;
    variance_[i] = std::max(0.0, variance_[i] / total - mean_[i] * mean_[i]);
  }
}

void NibbleRows::round_row(std::size_t row, std::span<const float> values, float* steps) {
  std::uint8_t* const panel =
      panels_.data() + row / kNibbleRows * kNibbleRows * padded_ / 2 + row % kNibbleRows * 4;
  const float scale = largest_magnitude(values) / kRowSteps;
  round_to_steps(values, scale, steps);
  const auto nibble = [&](std::size_t i) {
    return i < values.size() ? static_cast<int>(steps[i]) + kZero : 0;
  };
  for (std::size_t i = 0; i < padded_; i += 8) {
    std::uint8_t* const bytes = panel + i / 8 * 4 * kNibbleRows;
    for (std::size_t j = 0; j < 4; ++j) {
      bytes[j] = static_cast<std::uint8_t>(nibble(i + j) | nibble(i + j + 4) << 4);
    }
  }
  const double length = sum_of_squares(values.size(), [&](std::size_t i) { return steps[i]; });
  const double error = sum_of_squares(values.size(), [&](std::size_t i) {
    return static_cast<double>(values[i]) -
           static_cast<double>(scale) * static_cast<double>(steps[i]);
  });
  scale_[row] = scale;
  error_[row] = static_cast<float>(
      std::max(std::sqrt(error), static_cast<double>(kSmallestError * scale) * std::sqrt(length)));
}

/// w.h = r.g + (w - r).h + r.(h - g) for rows w rounded to r and an input h rounded to g; the last
/// two products are no larger than the products of the lengths of their vectors. The first of them
/// has mean and variance as those of w - r say.
void NibbleRows::score(std::span<const float> x, Scores& scores) const {
  const std::size_t n = padded_size();
  scores.estimate.resize(n);
  scores.highest.resize(n / kNibbleRows);
  scores.x.assign(padded_, 0);
  const RoundedInput input = round_input(x, scores.x);
  const auto length = static_cast<float>(input.length);
  const auto lost = static_cast<float>(input.error);
  scores.most = length * (1 + kSlack) + (lost * (1 + kSlack) + length * kSlack) / kSmallestError;
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < depth_; ++i) {
    const double value = static_cast<double>(x[i]);
    mean += value * mean_[i];
    variance += value * value * variance_[i];
  }
  scores.mean = static_cast<float>(mean);
  scores.deviation = static_cast<float>(std::sqrt(variance));
  NibbleScores call;
  call.panels = panels_.data();
  call.num_rows = n;
  call.depth = padded_;
  call.x = scores.x.data();
  call.offset = -kZero * input.total;
  call.x_scale = input.scale;
  call.slack = scores.most;
  call.shift = scores.mean;
  call.half_variance = scores.deviation * scores.deviation / 2;
  call.scale = scale_.data();
  call.bias = bias_.data();
  call.error = error_.data();
  call.scores = scores.estimate.data();
  call.highest = scores.highest.data();
  kernels().score_nibbles(call);
}

}  // namespace frugal::sparse
