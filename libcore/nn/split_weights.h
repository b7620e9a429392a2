#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/kernels/gemm.h"
#include "libcore/nn/optimizer.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// f32 weights W [k, n] that are trained by Adam and whose products are in bf16. The packed bf16
/// matrix that products read consists of the upper halves of the weights. The lower halves and both
/// moments (bf16) are separate arrays in the same order. A step so reads and writes 8 bytes per
/// weight, and nothing needs to be repacked. (Splitting: Kalamkar et al., "Optimizing Deep Learning
/// Recommender Systems Training On CPU Cluster Architectures", SC 2020, section on Split-SGD-BF16.)
///
///     f32 weight      | sign, exponent, 7 bits | 16 more bits |
///                       high: bf16, rounded      low: the rest, as a signed 16-bit number
class SplitWeights {
 public:
  SplitWeights() = default;
  /// weights: as in set(). Moments start at zero.
  explicit SplitWeights(MatrixView<const float> weights);

  bool empty() const { return low_.size() == 0; }
  /// W rounded to bf16, for products.
  const PackedMatrix& high() const { return high_; }
  /// Sets or returns W [k, n] exactly, except that a weight half way between two bf16 is moved to
  /// the next f32. Products then equal those of a packed W, whose rounding is to even.
  void set(MatrixView<const float> weights);
  void get(MatrixView<float> weights) const;

  /// Steps rows [begin, begin + gradient.rows), by one thread at a time. The rows must be whole
  /// blocks of kPanelColumns, or extend to the end of W. gradient: [rows, n].
  void step_rows(std::size_t begin, MatrixView<const float> gradient, float rate,
                 const OptimizerOptions& options);

  /// Moments and steps: tensors `name` and `name`.steps. Loading fails (bad_input) with `path` if
  /// one is missing or has another shape.
  void save_state(Document& document, const std::string& name) const;
  void load_state(const Document& document, const std::string& path, const std::string& name);

 private:
  std::size_t place(std::size_t row, std::size_t col) const;

  PackedMatrix high_;
  Array<std::int16_t> low_;  ///< laid out as high_: the bits of a weight are (high << 16) + low
  Array<BFloat16> moments_;  ///< all first moments, then all second ones, each laid out as high_
  std::vector<std::uint64_t> steps_;  ///< steps of each block of rows
};

}  // namespace frugal
