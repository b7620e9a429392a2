#pragma once
/// A fully connected layer on the device: y = x W + b, optionally with ReLU.
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

/// Properties of an engine's batches that all its layers share.
struct BatchFacts {
  std::uint32_t most;        ///< most samples of a batch
  const StepValues* values;  ///< on the device
  bool training;
  Products products;
  const ProductLibrary* library;  ///< makes products of `most` rows; null: products in tiles

  /// Whether activations between layers are stored in bf16.
  bool halves() const { return library != nullptr && products == Products::bf16; }
};

/// Rows on the device, `stride` numbers apart.
struct RowsIn {
  const float* data;
  std::uint32_t stride;
  const std::uint16_t* half = nullptr;  ///< if not null: the rows in bf16, instead of `data`
  const void* numbers() const { return half == nullptr ? static_cast<const void*>(data) : half; }
};
struct RowsOut {
  float* data;
  std::uint32_t stride;
  std::uint16_t* half = nullptr;
  operator RowsIn() const { return {data, stride, half}; }  // NOLINT(google-explicit-constructor)
};
/// Stride of bf16 rows: numbers from one row to the next.
inline std::uint32_t half_stride(std::uint32_t columns) {
  return (columns + kMmaAligned - 1) / kMmaAligned * kMmaAligned;
}

/// Rows [first, end) of at most `most`. `first` and `end` are on the device; first null: from 0.
/// library: makes products of all `most` rows from 0 on, or null. group: collects products that no
/// library makes, for a later launch, or null. lists: as Product::lists, or null.
struct RowRange {
  const std::uint32_t* first;
  const std::uint32_t* end;
  std::uint32_t most;
  const ProductLibrary* library = nullptr;
  ProductGroup* group = nullptr;
  const std::uint32_t* lists = nullptr;
};

/// Options of a product's result: a sum with the previous content, a mask, and the columns to
/// compute.
struct ProductEnd {
  float beta = 0;  ///< factor of the previous content that is added; 0: it is not read
  /// Shaped as the result, which is 0 wherever the mask is not above 0.
  const void* mask = nullptr;
  std::uint32_t columns = 0;  ///< number of leading columns that are computed; 0: all
};

/// The weights of a layer y = x W + b, optionally with ReLU, and their optimiser. Arrays: `name`
/// [in + bias, out], W^T with the bias as last row, and `name`.state [states, in + bias, out].
class LayerWeights {
 public:
  /// most: usual number of rows that a gradient is summed over. halves: products may have bf16
  /// rows.
  LayerWeights(const LayerShape& shape, Products products, std::uint32_t most, Room& room,
               bool halves = false);
  void prepare_training(const RuleChoice& rule, Room& room);
  void name(const std::string& name, NamedArrays& arrays) const;
  /// Registers separate arrays `weight` [in, out] and `bias` [out]; each has its states, as many as
  /// the optimiser uses, in NAME.first and NAME.second.
  void name_apart(const std::string& weight, const std::string& bias, NamedArrays& arrays) const;
  const LayerShape& shape() const { return shape_; }
  bool has_halves() const { return halves_; }
  const float* weights() const { return weights_.data(); }

  /// Renews the bf16 copy of the weights, if there is one. Call it after weights were set.
  void round(cudaStream_t stream) const;
  /// dy [rows, out] for products. Returns dy itself or, if products are bf16, a copy in `room` that
  /// is 0 where mask [rows, out] is not above 0; making the copy also computes the gradient of the
  /// bias.
  RowsIn rounded_gradient(const RowsIn& dy, const RowsIn& mask, const RowRange& rows,
                          std::uint16_t* room, cudaStream_t stream) const;

  /// Computes y [rows, out] from x [rows, in]. Rows may be bf16 only if the layer has halves.
  void forward(const RowsIn& x, const RowsOut& y, const RowRange& rows, float beta,
               cudaStream_t stream) const;
  /// dx = dy W^T. Must not be called after step().
  void backward(const RowsIn& dy, const RowsOut& dx, const RowRange& rows, const ProductEnd& end,
                cudaStream_t stream) const;
  /// Computes the gradient of the weights. adds: adds it to that of an earlier call.
  void gradient(const RowsIn& x, const RowsIn& dy, const RowRange& rows, bool adds,
                cudaStream_t stream);
  void step(const StepValues* values, StepList& list) const;

 private:
  std::uint32_t num_inputs() const { return shape_.in + (shape_.bias ? 1 : 0); }
  /// Makes the product with the library. False if the library cannot make it.
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
  std::uint32_t parts_;  ///< partial sums over the rows
  bool halves_;
  /// The library made the last gradient: one part, with the bias's in `bias_sums_`.
  bool by_library_ = false;
  DeviceArray<float> weights_, state_, partial_, bias_sums_;
  DeviceArray<std::uint16_t> half_;  ///< the weights in bf16
};

/// A layer with its output for all samples of a batch. If a library makes products in bf16, the
/// layer multiplies bf16 rows: those of another layer if it provides them, or its own copy.
class DeviceLayer {
 public:
  /// half_input: x is bf16. half_output: y is bf16, for a next layer with half_input.
  struct Ends {
    bool half_input = false, half_output = false;
  };
  DeviceLayer(const LayerShape& shape, const BatchFacts& batch, Room& room, const RuleChoice& rule,
              const Ends& ends);
  void name(const std::string& name, NamedArrays& arrays) const { weights_.name(name, arrays); }
  void round(cudaStream_t stream) const { weights_.round(stream); }

  /// The output [samples, out]: as f32 if it has that type, and as rows of either type.
  float* output() const { return output_.data(); }
  RowsIn output_rows() const { return either(output_, half_output_); }
  /// Gradient of the output, [samples, out]. If the output is f32, fill it before take_gradient().
  float* output_gradient() const { return gradient_.data(); }

  /// x: [samples, in].
  void forward(const RowsIn& x, cudaStream_t stream);
  /// Converts the gradient of y, once it is filled, to that of x W + b.
  void take_gradient(cudaStream_t stream);
  /// dx [samples, in] = dy W^T + beta dx. Call it after take_gradient() and before step().
  void backward(float* dx, float beta, cudaStream_t stream) const;
  /// Writes dx to the gradient of the layer below, and calls that layer's take_gradient().
  void backward(DeviceLayer& below, cudaStream_t stream) const;
  /// Computes the gradient of the weights; x as in forward().
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

/// sums [parts, columns] = column sums of the rows x (+ beta sums). factors: see column_sums().
void sum_columns(const std::uint32_t* rows, const RowsIn& x, std::uint32_t columns,
                 const float* factors, std::uint32_t group, std::uint32_t parts, float beta,
                 float* sums, cudaStream_t stream);

/// Computes C of a product (kernels/product.h) in tiles.
void multiply_in_tiles(const Product& p, bool trans_a, bool trans_b, Products of,
                       std::uint32_t parts, cudaStream_t stream);
/// Computes a product with ProductLibrary::multiply(), and applies the mask.
bool multiply_by(const ProductLibrary& library, const Product& p, bool trans_a, bool trans_b,
                 Products of, cudaStream_t stream);

}  // namespace frugal::cuda
