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

/// f32 weights W [k, n] whose products are in bf16, trained by Adam: the packed bf16 that products
/// read are the upper halves of the weights themselves, beside them lie the lower halves and both
/// moments as bf16, in the same order. So a step reads and writes 8 bytes a weight and leaves
/// nothing to be packed. (Splitting: Kalamkar et al., "Optimizing Deep Learning Recommender Systems
/// Training On CPU Cluster Architectures", SC 2020, section on Split-SGD-BF16.)
class SplitWeights {
 public:
  SplitWeights() = default;
  /// weights: as of set(). Moments begin as zeros.
  explicit SplitWeights(MatrixView<const float> weights);

  bool empty() const { return low_.size() == 0; }
  /// What products read: W rounded.
  const PackedMatrix& high() const { return high_; }
  /// W, [k, n], exactly, but that a weight half way between two bf16 becomes the next f32: so
  /// products read what packing W makes, too, which rounds to even.
  void set(MatrixView<const float> weights);
  void get(MatrixView<float> weights) const;

  /// Steps rows [begin, begin + gradient.rows), by one thread at a time. They are whole blocks of
  /// kPanelColumns rows or end where W does. gradient: [rows, n].
  void step_rows(std::size_t begin, MatrixView<const float> gradient, float rate,
                 const OptimizerOptions& options);

  /// Moments and steps: tensors `name` and `name`.steps. Loading fails (bad_input) with `path`
  /// where one is missing or of another shape.
  void save_state(Document& document, const std::string& name) const;
  void load_state(const Document& document, const std::string& path, const std::string& name);

 private:
  std::size_t place(std::size_t row, std::size_t col) const;

  PackedMatrix high_;
  Array<std::int16_t> low_;           ///< as high_: the bits of a weight are (high << 16) + low
  Array<BFloat16> moments_;           ///< all first ones, then the second ones, each as high_
  std::vector<std::uint64_t> steps_;  ///< of each block of rows
};

}  // namespace frugal
