#include "libcore/device/cuda/engines/dense_layer.h"

#include <algorithm>

#include "libcore/device/cuda/kernels/rounded_rows.h"

namespace frugal::cuda {
namespace {

/// Blocks of threads that keep a GPU busy, and the shortest sum over samples that is worth one.
constexpr std::uint32_t kBusyBlocks = 256, kShortestDepth = 128;

std::uint32_t tiles(std::uint32_t n) { return (n + kTile - 1) / kTile; }

}  // namespace

void multiply_in_tiles(const Product& p, bool trans_a, bool trans_b, Products of,
                       std::uint32_t parts, cudaStream_t stream) {
  ProductGroup alone(stream);
  alone.add(p, trans_a, trans_b, of, parts);
  alone.run();
}

bool multiply_by(const ProductLibrary& library, const Product& p, bool trans_a, bool trans_b,
                 Products of, cudaStream_t stream) {
  if (!library.multiply(p, trans_a, trans_b, of, stream)) return false;
  if (p.mask != nullptr || p.lists != nullptr) {
    launch(apply_mask, grid_for(std::uint64_t{p.m} * p.n), dim3(kThreads), stream, p);
  }
  return true;
}

LayerWeights::LayerWeights(const LayerShape& shape, Products products, std::uint32_t most,
                           Room& room, bool halves)
    : shape_(shape),
      products_(shape.out == 1 ? Products::f32 : products),  // as DenseLayer
      halves_(halves && products_ == Products::bf16) {
  const std::uint32_t blocks = tiles(num_inputs()) * tiles(shape.out);
  const std::uint32_t wanted = (kBusyBlocks + blocks - 1) / blocks;
  parts_ = std::clamp((most + kShortestDepth - 1) / kShortestDepth, 1U, wanted);
  weights_ = room.take<float>(size());
  if (!halves_) return;
  const std::uint64_t rows = std::max(num_inputs(), half_stride(shape.in));
  half_ = room.take_zeros<std::uint16_t>(rows * half_stride(shape.out));
}

void LayerWeights::round(cudaStream_t stream) const {
  if (!halves_) return;
  launch(round_rows, grid_for(size()), dim3(kThreads), stream,
         static_cast<const float*>(weights_.data()), shape_.out, num_inputs(), shape_.out,
         half_.data(), half_stride(shape_.out));
}

RowsIn LayerWeights::rounded_gradient(const RowsIn& dy, const RowsIn& mask, const RowRange& rows,
                                      std::uint16_t* room, cudaStream_t stream) const {
  if (!halves_) return dy;
  const auto mixed = [](const RowsIn& of) {
    return MixedRows{of.numbers(), of.stride, of.half != nullptr};
  };
  launch(round_gradients, dim3((shape_.out + kSumColumns - 1) / kSumColumns, kSumParts),
         dim3(kSumColumns * kSumRows), stream, rows.end, mixed(dy), mixed(mask), shape_.out, room,
         half_stride(shape_.out), shape_.bias ? bias_sums_.data() : nullptr);
  return {nullptr, half_stride(shape_.out), room};
}

void LayerWeights::prepare_training(const RuleChoice& rule, Room& room) {
  rule_ = rule;
  state_ = room.take<float>(std::uint64_t{rule_.num_states()} * size());
  partial_ = room.take<float>(std::uint64_t{parts_} * size());
  if (shape_.bias) bias_sums_ = room.take<float>(std::uint64_t{kSumParts} * shape_.out);
}

void LayerWeights::name(const std::string& name, NamedArrays& arrays) const {
  arrays.add(name, weights_);
  if (state_.size() != 0) arrays.add(name + ".state", state_);
}

void LayerWeights::name_apart(const std::string& weight, const std::string& bias,
                              NamedArrays& arrays) const {
  const std::uint64_t matrix = std::uint64_t{shape_.in} * shape_.out;
  const auto add = [&](const char* part, float* numbers) {
    arrays.add(weight + part, {numbers, FRUGAL_F32, matrix});
    if (shape_.bias) arrays.add(bias + part, {numbers + matrix, FRUGAL_F32, shape_.out});
  };
  add("", weights_.data());
  if (rule_.num_states() > 0) add(".first", state_.data());
  if (rule_.num_states() > 1) add(".second", state_.data() + size());
}

bool LayerWeights::make(const Product& p, bool trans_a, bool trans_b, std::uint32_t parts,
                        const RowRange& rows, cudaStream_t stream) const {
  const bool by_library =
      rows.library != nullptr && multiply_by(*rows.library, p, trans_a, trans_b, products_, stream);
  if (by_library) return true;
  Product all = p;
  // A library reads the rows behind the last one later: they are computed, too.
  if (rows.library != nullptr && !trans_a) all.rows = nullptr;
  if (rows.group != nullptr) {
    rows.group->add(all, trans_a, trans_b, products_, parts);
  } else {
    multiply_in_tiles(all, trans_a, trans_b, products_, parts, stream);
  }
  return false;
}

void LayerWeights::forward(const RowsIn& x, const RowsOut& y, const RowRange& rows, float beta,
                           cudaStream_t stream) const {
  Product p{};
  p.a = {x.numbers(), x.stride, shape_.in, shape_.bias, x.half != nullptr};
  p.b = weights_for(x);
  if (shape_.bias) p.bias = weights_.data() + std::size_t{shape_.in} * shape_.out;
  p.half = y.half != nullptr;
  p.c = p.half ? static_cast<void*>(y.half) : y.data;
  p.c_stride = y.stride;
  p.n = shape_.out;
  p.m = rows.most;
  p.k = p.depth = num_inputs();
  p.first = rows.first;
  p.rows = rows.end;
  p.beta = beta;
  p.relu = shape_.relu;
  p.lists = rows.lists;
  make(p, false, false, 1, rows, stream);
}

void LayerWeights::backward(const RowsIn& dy, const RowsOut& dx, const RowRange& rows,
                            const ProductEnd& end, cudaStream_t stream) const {
  Product p{};
  p.a = {dy.numbers(), dy.stride, shape_.out, false, dy.half != nullptr};
  p.b = weights_for(dy);
  p.half = dx.half != nullptr;
  p.c = p.half ? static_cast<void*>(dx.half) : dx.data;
  p.c_stride = dx.stride;
  p.n = end.columns == 0 ? shape_.in : end.columns;
  p.m = rows.most;
  p.k = p.depth = shape_.out;
  p.first = rows.first;
  p.rows = rows.end;
  p.beta = end.beta;
  p.mask = end.mask;
  p.lists = rows.lists;
  make(p, false, true, 1, rows, stream);
}

void LayerWeights::gradient(const RowsIn& x, const RowsIn& dy, const RowRange& rows, bool adds,
                            cudaStream_t stream) {
  Product p{};
  p.a = {x.numbers(), x.stride, shape_.in, shape_.bias, x.half != nullptr};
  p.b = {dy.numbers(), dy.stride, shape_.out, false, dy.half != nullptr};
  p.c = partial_.data();
  p.c_stride = p.n = shape_.out;
  p.m = num_inputs();
  p.k = rows.most;
  p.depth = ((rows.most + parts_ - 1) / parts_ + kMmaDepth - 1) / kMmaDepth * kMmaDepth;
  p.part_size = size();
  p.rows = rows.end;
  p.beta = adds ? 1 : 0;
  const bool by_library = make(p, true, false, parts_, rows, stream);
  if (adds && by_library != by_library_) {
    throw Failure(FRUGAL_UNSUPPORTED, "its library makes some products of a layer, and not all");
  }
  by_library_ = by_library;
  if (!by_library_ || !shape_.bias || dy.half != nullptr) return;  // rounded_gradient() has summed
  sum_columns(rows.end, dy, shape_.out, nullptr, 1, kSumParts, p.beta, bias_sums_.data(), stream);
}

void LayerWeights::step(const StepValues* values, StepList& list) const {
  const std::uint32_t matrix = shape_.in * shape_.out;
  const auto add = [&](std::uint32_t begin, std::uint32_t n, const float* gradient,
                       std::uint32_t parts) {
    float* first = rule_.num_states() > 0 ? state_.data() + begin : nullptr;
    float* second = rule_.num_states() > 1 ? first + size() : nullptr;
    std::uint16_t* half = half_.data();
    if (halves_ && begin != 0) half += std::size_t{shape_.in} * half_stride(shape_.out);
    list.add({values, weights_.data() + begin, first, second, gradient, half, parts, n, shape_.out,
              half_stride(shape_.out), rule_.numbers.decay, 0});
  };
  if (!by_library_) return add(0, size(), partial_.data(), parts_);
  add(0, matrix, partial_.data(), 1);
  if (shape_.bias) add(matrix, shape_.out, bias_sums_.data(), kSumParts);
}

void sum_columns(const std::uint32_t* rows, const RowsIn& x, std::uint32_t columns,
                 const float* factors, std::uint32_t group, std::uint32_t parts, float beta,
                 float* sums, cudaStream_t stream) {
  launch(column_sums, dim3((columns + kSumColumns - 1) / kSumColumns, parts),
         dim3(kSumColumns * kSumRows), stream, rows, x.data, x.stride, columns, factors, group,
         beta, sums);
}

DeviceLayer::DeviceLayer(const LayerShape& shape, const BatchFacts& batch, Room& room,
                         const RuleChoice& rule, const Ends& ends)
    : batch_(batch),
      ends_(ends),
      weights_(shape, batch.products, batch.most, room, batch.halves()) {
  // Rows behind the samples are multiplied, too: whatever they are, they are numbers.
  const auto take = [&](DeviceArray<float>& floats, DeviceArray<std::uint16_t>& halves, bool half) {
    if (half)
      halves = room.take_zeros<std::uint16_t>(std::uint64_t{batch.most} * half_stride(shape.out));
    else
      floats = room.take_zeros<float>(std::uint64_t{batch.most} * shape.out);
  };
  take(output_, half_output_, ends.half_output);
  if (weights_.has_halves() && !ends.half_input) {
    half_x_ = room.take_zeros<std::uint16_t>(std::uint64_t{batch.most} * half_stride(shape.in));
  }
  if (!batch.training) return;
  weights_.prepare_training(rule, room);
  if (!ends.half_output) take(gradient_, half_gradient_, false);
  if (weights_.has_halves()) take(gradient_, half_gradient_, true);
}

void DeviceLayer::forward(const RowsIn& x, cudaStream_t stream) {
  const std::uint32_t in = weights_.shape().in;
  if (half_x_.size() != 0) {
    launch(round_rows, grid_for(std::uint64_t{batch_.most} * in), dim3(kThreads), stream, x.data,
           x.stride, batch_.most, in, half_x_.data(), half_stride(in));
  }
  weights_.forward(own_input(x), either(output_, half_output_), samples(), 0, stream);
}

void DeviceLayer::take_gradient(cudaStream_t stream) {
  const bool relu = weights_.shape().relu;
  if (weights_.has_halves()) {
    weights_.rounded_gradient(filled_gradient(), relu ? output_rows() : RowsIn{}, samples(),
                              half_gradient_.data(), stream);
  } else if (relu) {
    Product mask{};
    mask.c = gradient_.data();
    mask.mask = output_.data();
    mask.m = batch_.most;
    mask.n = mask.c_stride = weights_.shape().out;
    launch(apply_mask, grid_for(std::uint64_t{mask.m} * mask.n), dim3(kThreads), stream, mask);
  }
}

void DeviceLayer::backward(float* dx, float beta, cudaStream_t stream) const {
  weights_.backward(taken_gradient(), {dx, weights_.shape().in}, samples(), {beta}, stream);
}

void DeviceLayer::backward(DeviceLayer& below, cudaStream_t stream) const {
  const bool is_masked = !below.weights_.has_halves() && below.weights_.shape().relu;
  weights_.backward(taken_gradient(), below.filled_gradient(), samples(),
                    {0, is_masked ? below.output_.data() : nullptr}, stream);
  if (!is_masked) below.take_gradient(stream);
}

void DeviceLayer::weight_gradient(const RowsIn& x, cudaStream_t stream) {
  weights_.gradient(own_input(x), taken_gradient(), samples(), false, stream);
}

}  // namespace frugal::cuda
