#include "tools/sparse-train/network/nibble_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"

namespace frugal::sparse {
namespace {

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

int steps(float value, float scale) {
  return scale > 0 ? static_cast<int>(std::nearbyint(value / scale)) : 0;
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
  parallel_for(size_, 1024, [&](std::size_t r) {
    round_row(r, {rows.row(r), depth_});
    bias_[r] = rows(r, depth_);
  });
  std::fill(bias_.begin() + size_, bias_.end(), -std::numeric_limits<float>::infinity());
  measure_losses(rows);
}

void NibbleRows::measure_losses(MatrixView<const float> rows) {
  mean_.assign(depth_, 0.0);
  variance_.assign(depth_, 0.0);
  double total = 0;
  for (std::size_t r = 0; r < size_; ++r) {
    for (std::size_t i = 0; i < depth_; ++i) {
      const float lost = rows(r, i) - scale_[r] * static_cast<float>(steps(rows(r, i), scale_[r]));
      mean_[i] += static_cast<double>(lost * error_[r]);
      variance_[i] += static_cast<double>(lost * lost);
    }
    total += static_cast<double>(error_[r] * error_[r]);
  }
  if (total == 0) return;
  typical_error_ = static_cast<float>(std::sqrt(total / static_cast<double>(size_)));
  for (std::size_t i = 0; i < depth_; ++i) {
    mean_[i] /= total;
    variance_[i] = std::max(0.0, variance_[i] / total - mean_[i] * mean_[i]);
  }
}

void NibbleRows::round_row(std::size_t row, std::span<const float> values) {
  std::uint8_t* panel =
      panels_.data() + row / kNibbleRows * kNibbleRows * padded_ / 2 + row % kNibbleRows * 4;
  const float scale = largest_magnitude(values) / kRowSteps;
  double length = 0, error = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int rounded = steps(values[i], scale);
    const int nibble = rounded + kZero;
    std::uint8_t& byte = panel[i / 8 * 4 * kNibbleRows + i % 4];
    byte = static_cast<std::uint8_t>(byte | (i % 8 < 4 ? nibble : nibble << 4));
    const double kept = static_cast<double>(scale) * static_cast<double>(rounded);
    const double lost = static_cast<double>(values[i]) - kept;
    length += kept * kept;
    error += lost * lost;
  }
  scale_[row] = scale;
  error_[row] = static_cast<float>(
      std::max(std::sqrt(error), static_cast<double>(kSmallestError) * std::sqrt(length)));
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
