#pragma once
#include <cstdint>

#include "libcore/base/view.h"
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
  /// Writes those columns of sparse row number `row` that are kept, and their values divided by 1 -
  /// rate. values: null where all are 1. The outputs have room for all. Returns their number.
  std::size_t copy_kept(std::size_t row, std::span<const std::uint32_t> columns,
                        const float* values, std::uint32_t* kept_columns, float* kept) const;

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
