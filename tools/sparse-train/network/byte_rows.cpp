#include "tools/sparse-train/network/byte_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

constexpr float kLargest = 127;
/// Covers the rounding of the float operations that follow the integers.
constexpr float kSlack = 1e-5F;

std::size_t round_up(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

float largest_magnitude(std::span<const float> values) {
  float largest = 0;
  for (const float v : values) largest = std::max(largest, std::abs(v));
  return largest;
}

/// A vector as x_scale * (x - zero) with x in [0, 127], as the kernel wants it.
struct RoundedInput {
  float scale = 1;
  int zero = 0;
  double length = 0;  ///< of the vector
  double error = 0;   ///< length of what rounding took away
};

RoundedInput round_input(std::span<const float> values, std::vector<std::int8_t>& x) {
  RoundedInput result;
  const bool negative = std::any_of(values.begin(), values.end(), [](float v) { return v < 0; });
  result.zero = negative ? 64 : 0;
  const float steps = negative ? 63 : kLargest;
  const float largest = largest_magnitude(values);
  result.scale = largest > 0 ? largest / steps : 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float steps_of_value = std::nearbyint(values[i] / result.scale);
    x[i] = static_cast<std::int8_t>(static_cast<int>(steps_of_value) + result.zero);
    const double lost = static_cast<double>(values[i]) -
                        static_cast<double>(result.scale) * static_cast<double>(steps_of_value);
    result.length += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    result.error += lost * lost;
  }
  result.length = std::sqrt(result.length);
  result.error = std::sqrt(result.error);
  return result;
}

}  // namespace

ByteRows::ByteRows(MatrixView<const float> rows)
    : size_(rows.rows), depth_(rows.cols - 1), padded_(round_up(depth_, 4)) {
  const std::size_t n = round_up(size_, kByteRows);
  panels_ = Array<std::int8_t>(n * padded_);
  for (Array<float>* array : {&scale_, &total_, &bias_, &length_, &error_})
    *array = Array<float>(n);
  parallel_for(size_, 1024, [&](std::size_t r) {
    round_row(r, {rows.row(r), depth_});
    bias_[r] = rows(r, depth_);
  });
  std::fill(bias_.begin() + size_, bias_.end(), -std::numeric_limits<float>::infinity());
}

void ByteRows::round_row(std::size_t row, std::span<const float> values) {
  std::int8_t* bytes = panels_.data() + row / kByteRows * kByteRows * padded_ + row % kByteRows * 4;
  const float scale = largest_magnitude(values) / kLargest;
  double total = 0, length = 0, error = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float rounded = scale > 0 ? std::nearbyint(values[i] / scale) : 0.0F;
    bytes[i / 4 * 4 * kByteRows + i % 4] = static_cast<std::int8_t>(rounded);
    const double kept = static_cast<double>(scale) * static_cast<double>(rounded);
    const double lost = static_cast<double>(values[i]) - kept;
    total += kept;
    length += kept * kept;
    error += lost * lost;
  }
  scale_[row] = scale;
  total_[row] = static_cast<float>(total);
  length_[row] = static_cast<float>(std::sqrt(length));
  error_[row] = static_cast<float>(std::sqrt(error));
}

/// w.h = r.g + (w - r).h + r.(h - g) for rows w rounded to r and an input h rounded to g; the last
/// two products are no larger than the products of the lengths of their vectors.
void ByteRows::score(std::span<const float> x, Scores& scores) const {
  const std::size_t n = padded_size();
  scores.estimate.resize(n);
  scores.highest.resize(n);
  scores.x.assign(padded_, 0);
  const RoundedInput input = round_input(x, scores.x);
  const auto slack = static_cast<float>(input.length) * kSlack;
  ByteScores call;
  call.panels = panels_.data();
  call.num_rows = n;
  call.depth = padded_;
  call.x = scores.x.data();
  call.scale = scale_.data();
  call.total = total_.data();
  call.bias = bias_.data();
  call.x_scale = input.scale;
  call.x_offset = -input.scale * static_cast<float>(input.zero);
  call.error = error_.data();
  call.length = length_.data();
  call.row_error = static_cast<float>(input.length) * (1 + kSlack);
  call.x_error = static_cast<float>(input.error) * (1 + kSlack) + slack;
  call.scores = scores.estimate.data();
  call.highest = scores.highest.data();
  kernels().score_bytes(call);
}

}  // namespace frugal
