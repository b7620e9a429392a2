#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"

namespace frugal::tgn {

/// Scaling of features that are far from the order of 1, such as amounts in cents
/// or times: asinh((x - center) / spread), nearly linear in the middle and a logarithm far out.
struct FeatureScaling {
  std::vector<float> center, spread;  ///< of each feature; spread 0: it stays as it is

  bool empty() const { return spread.empty(); }
  std::size_t count() const;
  void apply(float* row) const;

  // Tensors `name`.center and `name`.spread, if it is not empty.
  void save(const std::string& name, Document& document) const;
  /// Fails (bad_input) with `path` where they are not of so many features.
  static FeatureScaling load(const std::string& name, std::size_t dim, const Document& document,
                             const std::string& path);
};

/// By the median and the distance of the quartiles of rows of training, of at most some 100,000 of
/// them. Features whose root mean square is 0 or between 0.001 and 10 stay as they are; empty where
/// all do. read(row, out): [dim].
FeatureScaling measure_scaling(std::span<const std::uint32_t> rows, std::size_t dim,
                               const std::function<void(std::uint32_t, float*)>& read);

}  // namespace frugal::tgn
