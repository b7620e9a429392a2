#pragma once
/// A fully connected layer on the device: y = x W + b, with ReLU or without.
#include <string>

#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/engines/product_group.h"
#include "libcore/device/cuda/engines/step_list.h"
#include "libcore/device/cuda/kernels/product.h"
#include "libcore/device/cuda/kernels/step_values.h"

namespace frugal::cuda {

struct LayerShape {
  std::uint32_t in = 0, out = 0;
  bool bias = true, relu = false;
};

/// What all layers of an engine know of its batches.
struct BatchFacts {
  std::uint32_t most;        ///< samples
  const StepValues* values;  ///< on the device
  bool training;
  Products products;
  const ProductLibrary* library;  ///< makes products, of `most` rows each; or null

  /// Whether activations between layers are bf16.
  bool halves() const { return library != nullptr && products == Products::bf16; }
};

/// Rows on the device, `stride` numbers apart.
struct RowsIn {
  const float* data;
  std::uint32_t stride;
  const std::uint16_t* half = nullptr;  ///< not null: bf16, in place of `data`
  const void* numbers() const { return half == nullptr ? static_cast<const void*>(data) : half; }
};
struct RowsOut {
  float* data;
  std::uint32_t stride;
  std::uint16_t* half = nullptr;
  operator RowsIn() const { return {data, stride, half}; }  // NOLINT(google-explicit-constructor)
};
/// Numbers from row to row of bf16.
inline std::uint32_t half_stride(std::uint32_t columns) {
  return (columns + kMmaAligned - 1) / kMmaAligned * kMmaAligned;
}

/// Rows [first, end) of at most `most`, both on the device; first null: from 0. library: null, or
/// what makes their products; then they are `most` from 0 on. group: null, or what makes the
/// products that no library makes, later. lists: null, or as Product::lists.
struct RowRange {
  const std::uint32_t* first;
  const std::uint32_t* end;
  std::uint32_t most;
  const ProductLibrary* library = nullptr;
  ProductGroup* group = nullptr;
  const std::uint32_t* lists = nullptr;
};

/// What a product adds to and what follows it.
struct ProductEnd {
  float beta = 0;              ///< of what was there
  const void* mask = nullptr;  ///< as the result: zero where it is not above zero
  std::uint32_t columns = 0;   ///< the first that are made; 0: all
};

/// The weights of a layer y = x W + b, with ReLU or without, and their steps. Arrays: `name` [in +
/// bias, out], W^T with the bias as last row, and `name`.state [states, in + bias, out].
class LayerWeights {
 public:
  /// most: rows that a gradient usually is of. halves: products may be of rows in bf16.
  LayerWeights(const LayerShape& shape, Products products, std::uint32_t most, Room& room,
               bool halves = false);
  void prepare_training(const RuleChoice& rule, Room& room);
  void name(const std::string& name, NamedArrays& arrays) const;
  /// As arrays of their own: `weight` [in, out] and `bias` [out], each with its state in arrays
  /// NAME.first and NAME.second, as many as the optimiser has.
  void name_apart(const std::string& weight, const std::string& bias, NamedArrays& arrays) const;
  const LayerShape& shape() const { return shape_; }
  bool has_halves() const { return halves_; }
  const float* weights() const { return weights_.data(); }

  /// Makes the copy of the weights in bf16, where there is one; after they were set.
  void round(cudaStream_t stream) const;
  /// dy [rows, out] for products: itself or, where they are of bf16, a copy in `room`, with zero
  /// where mask [rows, out] is not above zero; it brings the gradient of the bias.
  RowsIn rounded_gradient(const RowsIn& dy, const RowsIn& mask, const RowRange& rows,
                          std::uint16_t* room, cudaStream_t stream) const;

  /// x: [rows, in], y: [rows, out]. Rows in bf16 only where the layer has halves.
  void forward(const RowsIn& x, const RowsOut& y, const RowRange& rows, float beta,
               cudaStream_t stream) const;
  /// dx = dy W^T. Not after step().
  void backward(const RowsIn& dy, const RowsOut& dx, const RowRange& rows, const ProductEnd& end,
                cudaStream_t stream) const;
  /// The gradient of the weights; adds: to that of another call.
  void gradient(const RowsIn& x, const RowsIn& dy, const RowRange& rows, bool adds,
                cudaStream_t stream);
  void step(const StepValues* values, StepList& list) const;

 private:
  std::uint32_t num_inputs() const { return shape_.in + (shape_.bias ? 1 : 0); }
  /// False: not by a library.
  bool make(const Product& p, bool trans_a, bool trans_b, std::uint32_t parts, const RowRange& rows,
            cudaStream_t stream) const;
  std::uint32_t size() const { return num_inputs() * shape_.out; }
  Operand weights_for(const RowsIn& rows) const {
    if (rows.half == nullptr) return {weights_.data(), shape_.out, shape_.out, false};
    return {half_.data(), half_stride(shape_.out), shape_.out, false, true};
  }

  LayerShape shape_;
  Products products_;
  RuleChoice rule_;
  std::uint32_t parts_;  ///< of the sum over rows
  bool halves_;
  bool by_library_ = false;  ///< the last gradient: one part, that of the bias in `bias_sums_`
  DeviceArray<float> weights_, state_, partial_, bias_sums_;
  DeviceArray<std::uint16_t> half_;  ///< of the weights
};

/// A layer with its output for all samples of a batch. Where products are a library's and of bf16,
/// the layer multiplies rows in bf16: those of another layer that come so, or a copy of its own.
class DeviceLayer {
 public:
  /// half_input: x is bf16. half_output: so is y, for a layer that reads it so.
  struct Ends {
    bool half_input = false, half_output = false;
  };
  DeviceLayer(const LayerShape& shape, const BatchFacts& batch, Room& room, const RuleChoice& rule,
              const Ends& ends);
  void name(const std::string& name, NamedArrays& arrays) const { weights_.name(name, arrays); }
  void round(cudaStream_t stream) const { weights_.round(stream); }

  /// [samples, out], f32; where the output is, and as rows of any type.
  float* output() const { return output_.data(); }
  RowsIn output_rows() const { return either(output_, half_output_); }
  /// [samples, out]: to be filled before take_gradient(), where the output is f32.
  float* output_gradient() const { return gradient_.data(); }

  /// x: [samples, in].
  void forward(const RowsIn& x, cudaStream_t stream);
  /// Makes of the gradient of y that of x W + b; once it is filled.
  void take_gradient(cudaStream_t stream);
  /// dx [samples, in] = dy W^T + beta dx. After take_gradient(), not after step().
  void backward(float* dx, float beta, cudaStream_t stream) const;
  /// Writes dx to the gradient of the layer below, and calls its take_gradient().
  void backward(DeviceLayer& below, cudaStream_t stream) const;
  /// The gradient of the weights, x as in forward().
  void weight_gradient(const RowsIn& x, cudaStream_t stream);
  void step(StepList& list) const { weights_.step(batch_.values, list); }

 private:
  RowRange samples() const { return {nullptr, &batch_.values->rows, batch_.most, batch_.library}; }
  RowsOut either(const DeviceArray<float>& floats, const DeviceArray<std::uint16_t>& halves) const {
    const std::uint32_t out = weights_.shape().out;
    if (halves.size() != 0) return {nullptr, half_stride(out), halves.data()};
    return {floats.data(), out};
  }
  RowsIn own_input(const RowsIn& x) const {
    if (half_x_.size() == 0) return x;
    return {nullptr, half_stride(weights_.shape().in), half_x_.data()};
  }
  RowsOut filled_gradient() const {
    if (ends_.half_output) return either(gradient_, half_gradient_);
    return {gradient_.data(), weights_.shape().out};
  }
  RowsIn taken_gradient() const { return either(gradient_, half_gradient_); }

  BatchFacts batch_;
  Ends ends_;
  LayerWeights weights_;
  DeviceArray<float> output_, gradient_;
  DeviceArray<std::uint16_t> half_x_, half_output_, half_gradient_;
};

/// sums [parts, columns] of rows x (+ beta sums); factors: see column_sums().
void sum_columns(const std::uint32_t* rows, const RowsIn& x, std::uint32_t columns,
                 const float* factors, std::uint32_t group, std::uint32_t parts, float beta,
                 float* sums, cudaStream_t stream);

/// C of a product (kernels/product.h) in tiles.
void multiply_in_tiles(const Product& p, bool trans_a, bool trans_b, Products of,
                       std::uint32_t parts, cudaStream_t stream);
/// As ProductLibrary::multiply(), and the mask.
bool multiply_by(const ProductLibrary& library, const Product& p, bool trans_a, bool trans_b,
                 Products of, cudaStream_t stream);

}  // namespace frugal::cuda
