#pragma once
#include <cstdint>

#include "libcore/base/view.h"
#include "libcore/kernels/mix32.h"
#include "tools/gnn-sample/network/conv.h"
#include "tools/gnn-sample/network/gnn_options.h"

namespace frugal::gnn {

/// Zeroes each number with a probability and divides the others by what is left of 1. What is
/// zeroed is a function of the pass, the layer, the row and the column: it is not stored.
class Dropout {
 public:
  /// Does nothing but in training.
  Dropout(float rate, const GnnPass& pass, std::uint64_t layer);

  /// Of a layer's random numbers in a pass.
  static std::uint64_t key_of(const GnnPass& pass, std::uint64_t layer);

  bool active() const { return threshold_ != 0; }
  float scale() const { return scale_; }
  /// Of row number `row`, or its gradient.
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

/// Activation and dropout of rows; `first` is the number of the first of them in its layer.
void activate(ActivationKind kind, const Dropout& dropout, std::size_t first,
              MatrixView<float> rows);
/// From the gradient of what activate() made, `outputs`, to that of what it was given, in place.
void activate_backward(ActivationKind kind, const Dropout& dropout, std::size_t first,
                       MatrixView<const float> outputs, MatrixView<float> gradient);

}  // namespace frugal::gnn
