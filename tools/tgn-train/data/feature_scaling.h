#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"

namespace frugal::tgn {

/// Scaling of features that are far from the order of 1, such as amounts in cents or times:
/// asinh((x - center) / spread), which is nearly linear near the center and logarithmic far out.
struct FeatureScaling {
  std::vector<float> center, spread;  ///< for each feature; spread 0: unchanged

  bool empty() const { return spread.empty(); }
  std::size_t count() const;
  void apply(float* row) const;

  // Saves tensors `name`.center and `name`.spread, unless it is empty.
  void save(const std::string& name, Document& document) const;
  /// Fails (bad_input) with `path` if they are not of `dim` features.
  static FeatureScaling load(const std::string& name, std::size_t dim, const Document& document,
                             const std::string& path);
};

/// Measures center and spread as the median and the interquartile range of at most about 100,000
/// training rows. Features whose root mean square is 0 or between 0.001 and 10 are not scaled; the
/// result is empty if none is. read(row, out): [dim].
FeatureScaling measure_scaling(std::span<const std::uint32_t> rows, std::size_t dim,
                               const std::function<void(std::uint32_t, float*)>& read);

}  // namespace frugal::tgn
