#pragma once
#include <cstdint>

#include "libcore/base/view.h"
#include "libcore/kernels/mix32.h"
#include "tools/gnn-sample/layers/conv.h"
#include "tools/gnn-sample/layers/gnn_options.h"

namespace frugal::gnn {

/// Dropout: sets each number to 0 with probability `rate`, and divides the others by 1 - rate. The
/// mask is a function of pass, layer, row and column, so it is not stored.
class Dropout {
 public:
  /// Inactive unless the pass is for training.
  Dropout(float rate, const GnnPass& pass, std::uint64_t layer);

  /// Key of a layer's random numbers in a pass.
  static std::uint64_t key_of(const GnnPass& pass, std::uint64_t layer);

  bool active() const { return threshold_ != 0; }
  float scale() const { return scale_; }
  /// Applies dropout to row number `row`, or to its gradient.
  void apply(std::size_t row, std::span<float> values) const;
  /// Calls body(i) for those columns[i] of row number `row` that are kept.
  template <class Body>
  void for_each_kept(std::size_t row, std::span<const std::uint32_t> columns,
                     const Body& body) const {
    const std::uint32_t key = row_key(row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (mix32(key + columns[i] * kMixStep) >= threshold_) body(i);
    }
  }

 private:
  std::uint32_t row_key(std::size_t row) const;

  std::uint32_t threshold_ = 0;
  float scale_ = 1;
  std::uint64_t key_ = 0;
};

/// Applies activation and dropout to rows. first: number of the first row in its layer.
void activate(ActivationKind kind, const Dropout& dropout, std::size_t first,
              MatrixView<float> rows);
/// Converts the gradient of activate()'s outputs to that of its inputs, in place.
void activate_backward(ActivationKind kind, const Dropout& dropout, std::size_t first,
                       MatrixView<const float> outputs, MatrixView<float> gradient);

}  // namespace frugal::gnn
