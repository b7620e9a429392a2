#include "tools/tgn-train/data/feature_scaling.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/nn/state_tensors.h"

namespace frugal::tgn {
namespace {

constexpr std::size_t kMostRows = 100000;
constexpr double kLarge = 10, kSmall = 1e-3;

double root_mean_square(std::span<const float> values) {
  double squares = 0;
  for (const float x : values) squares += static_cast<double>(x) * x;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

/// values: in any order, then in another.
float quantile(std::vector<float>& values, double share) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Measures center and spread of a feature that is far from 1.
void measure(std::vector<float>& values, float& center, float& spread) {
  center = quantile(values, 0.5);
  spread = quantile(values, 0.75) - quantile(values, 0.25);
  if (spread > 0) return;
  for (float& x : values) x -= center;
  const auto deviation = static_cast<float>(root_mean_square(values));
  spread = deviation > 0 ? deviation : 1;
}

}  // namespace

std::size_t FeatureScaling::count() const {
  return static_cast<std::size_t>(
      std::count_if(spread.begin(), spread.end(), [](float s) { return s != 0; }));
}

void FeatureScaling::apply(float* row) const {
  for (std::size_t f = 0; f < spread.size(); ++f) {
    if (spread[f] != 0) row[f] = std::asinh((row[f] - center[f]) / spread[f]);
  }
}

void FeatureScaling::save(const std::string& name, Document& document) const {
  if (empty()) return;
  document.tensors.push_back(Tensor::copy_of<float>(name + ".center", {center.size()}, center));
  document.tensors.push_back(Tensor::copy_of<float>(name + ".spread", {spread.size()}, spread));
}

FeatureScaling FeatureScaling::load(const std::string& name, std::size_t dim,
                                    const Document& document, const std::string& path) {
  FeatureScaling scaling;
  if (document.find(name + ".spread") == nullptr) return scaling;
  const auto center = shaped_tensor(document, path, name + ".center", {dim}).as<float>();
  const auto spread = shaped_tensor(document, path, name + ".spread", {dim}).as<float>();
  scaling.center.assign(center.begin(), center.end());
  scaling.spread.assign(spread.begin(), spread.end());
  if (std::all_of(spread.begin(), spread.end(), [](float s) { return s >= 0; })) return scaling;
  fail(ExitStatus::bad_input, path, ": tensor '", name, ".spread' has a number below 0");
}

FeatureScaling measure_scaling(std::span<const std::uint32_t> rows, std::size_t dim,
                               const std::function<void(std::uint32_t, float*)>& read) {
  const std::size_t stride = rows.size() / kMostRows + 1;
  std::vector<float> row(dim);
  std::vector<std::vector<float>> columns(dim);
  for (std::size_t i = 0; i < rows.size(); i += stride) {
    read(rows[i], row.data());
    for (std::size_t f = 0; f < dim; ++f) columns[f].push_back(row[f]);
  }
  FeatureScaling scaling{std::vector<float>(dim), std::vector<float>(dim)};
  bool any = false;
  for (std::size_t f = 0; f < dim && !columns[f].empty(); ++f) {
    const double size = root_mean_square(columns[f]);
    if (size == 0 || (size >= kSmall && size <= kLarge)) continue;
    measure(columns[f], scaling.center[f], scaling.spread[f]);
    any = true;
  }
  return any ? scaling : FeatureScaling{};
}

}  // namespace frugal::tgn
