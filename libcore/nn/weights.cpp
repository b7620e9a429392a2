#include "libcore/nn/weights.h"

#include <algorithm>
#include <cassert>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"
#include "libcore/nn/state_tensors.h"

namespace frugal {
namespace {

/// Rows of W that are stepped at a time: whole panels of the packed copy.
constexpr std::size_t kPanelRows = kPanelColumns;

}  // namespace

Weights::Weights(std::size_t in, std::size_t out, Precision precision)
    : in_(in),
      out_(out),
      stride_(in_place_stride(out)),
      values_(in * stride_),
      precision_(product_precision(precision, in, out)) {
  if (precision_ == Precision::bf16) {
    forward_.resize(in_, out_, precision_);
    changed();
  }
}

void Weights::changed() { pack(0, in_); }

void Weights::randomize(double bound, std::uint64_t seed, std::uint64_t stream) {
  fill_uniform(values(), bound, seed, stream);
  changed();
}

void Weights::multiply(MatrixView<const float> x, MatrixView<float> y, float beta) const {
  if (precision_ == Precision::bf16) return gemm_packed(x, forward_, y, 1, beta);
  gemm_in_place(x, Transpose::no, values(), y, 1, beta);
}

void Weights::multiply_transposed(MatrixView<const float> dy, MatrixView<float> dx,
                                  float beta) const {
  gemm_packed(dy, transposed_, dx, 1, beta);
}

/// Renews the packed copies of rows [begin, end).
void Weights::pack(std::size_t begin, std::size_t end) {
  if (forward_.n() != 0) {
    forward_.pack_part(begin, 0, values().rows_between(begin, end), Transpose::no);
  }
  if (transposed_.n() == 0) return;
  transposed_.pack_part(0, begin, values().rows_between(begin, end), Transpose::yes);
}

void Weights::prepare_training(OptimizerOptions optimizer, float weight_decay) {
  optimizer.weight_decay = weight_decay;
  gradients_ = Array<float>(kGroups * group_size());
  used_.assign(kGroups, 0);
  states_.clear();
  for (std::size_t p = 0; p < num_pieces(); ++p) {
    states_.emplace_back(optimizer, (piece_end(p) - piece_begin(p)) * stride_);
  }
  transposed_.resize(out_, in_, precision_);
  changed();
}

void Weights::add_gradient(std::size_t group, MatrixView<const float> x,
                           MatrixView<const float> dy) {
  const MatrixView<float> sums(gradients_.data() + group * group_size(), in_, out_, stride_);
  const float beta = used_[group] != 0 ? 1 : 0;
  if (precision_ == Precision::bf16) {
    gemm(x, Transpose::yes, dy, Transpose::no, sums, 1, beta, precision_);
  } else {
    gemm_in_place(x, Transpose::yes, dy, sums, 1, beta);
  }
  used_[group] = 1;
}

MatrixView<float> Weights::gradient(std::size_t group) {
  float* sums = gradients_.data() + group * group_size();
  if (used_[group] == 0) std::fill_n(sums, group_size(), 0.0F);
  used_[group] = 1;
  return {sums, in_, out_, stride_};
}

std::size_t Weights::num_pieces() const { return (in_ + kPanelRows - 1) / kPanelRows; }
std::size_t Weights::piece_begin(std::size_t piece) const { return piece * kPanelRows; }
std::size_t Weights::piece_end(std::size_t piece) const {
  return std::min(in_, (piece + 1) * kPanelRows);
}

std::size_t Weights::gradient_size(std::size_t piece) const {
  return (piece_end(piece) - piece_begin(piece)) * stride_;
}

/// In the place of the first group that has a gradient.
std::span<float> Weights::sum_groups(std::size_t piece) {
  const std::size_t first = piece_begin(piece) * stride_, size = gradient_size(piece);
  float* total = nullptr;
  for (std::size_t g = 0; g < kGroups; ++g) {
    if (used_[g] == 0) continue;
    float* sums = gradients_.data() + g * group_size() + first;
    if (total == nullptr) {
      total = sums;
    } else {
      kernels().axpy(1, sums, total, size);
    }
  }
  if (total == nullptr) {
    total = gradients_.data() + first;
    std::fill_n(total, size, 0.0F);
  }
  return {total, size};
}

void Weights::piece_gradient(std::size_t piece, std::span<float> gradient) {
  const std::span<const float> total = sum_groups(piece);
  assert(gradient.size() == total.size());
  std::copy(total.begin(), total.end(), gradient.begin());
}

void Weights::apply_gradient(std::size_t piece, std::span<const float> gradient, float rate) {
  float* values = values_.data() + piece_begin(piece) * stride_;
  states_[piece].step({values, gradient.size()}, gradient, rate);
  pack(piece_begin(piece), piece_end(piece));
}

void Weights::step_piece(std::size_t piece, float rate) {
  apply_gradient(piece, sum_groups(piece), rate);
}

void Weights::finish_step() { used_.assign(kGroups, 0); }

/// Position of a row's numbers in state number k of its piece.
std::size_t Weights::state_place(std::size_t k, std::size_t row) const {
  const std::size_t piece = row / kPanelRows;
  return k * gradient_size(piece) + (row - piece_begin(piece)) * stride_;
}

void Weights::read_state(std::size_t k, MatrixView<float> to) const {
  for (std::size_t i = 0; i < in_; ++i) {
    const std::span<const float> state = states_[i / kPanelRows].state();
    std::copy_n(state.data() + state_place(k, i), out_, to.row(i));
  }
}

void Weights::write_state(std::size_t k, MatrixView<const float> from) {
  for (std::size_t i = 0; i < in_; ++i) {
    const std::span<float> state = states_[i / kPanelRows].state();
    std::copy_n(from.row(i), out_, state.data() + state_place(k, i));
  }
}

void Weights::set_steps(std::uint64_t steps) {
  for (DenseOptimizer& state : states_) state.set_steps(steps);
}

std::vector<float> Weights::total_gradient() const {
  std::vector<float> total(size());
  for (std::size_t g = 0; g < kGroups; ++g) {
    const float* sums = gradients_.data() + g * group_size();
    for (std::size_t i = 0; used_[g] != 0 && i < size(); ++i) {
      total[i] += sums[i / out_ * stride_ + i % out_];
    }
  }
  return total;
}

void Weights::save(Document& document, const std::string& name, const Shape& shape,
                   std::size_t begin) const {
  Tensor tensor = Tensor::make(name, Dtype::f32, shape);
  float* to = tensor.as<float>().data();
  const std::size_t rows = num_elements(shape) / out_;
  for (std::size_t o = 0; o < out_; ++o) {
    for (std::size_t i = begin; i < begin + rows; ++i) *to++ = values_[i * stride_ + o];
  }
  document.tensors.push_back(std::move(tensor));
}

void Weights::load(const Document& document, const std::string& path, const std::string& name,
                   const Shape& shape, std::size_t begin) {
  const float* from = shaped_tensor(document, path, name, shape).as<float>().data();
  const std::size_t rows = num_elements(shape) / out_;
  for (std::size_t o = 0; o < out_; ++o) {
    for (std::size_t i = begin; i < begin + rows; ++i) values_[i * stride_ + o] = *from++;
  }
  changed();
}

void Weights::save_state(Document& document, const std::string& name) const {
  save_states(document, name, states_);
}

void Weights::load_state(const Document& document, const std::string& path,
                         const std::string& name) {
  load_states(document, path, name, states_);
}

}  // namespace frugal
