#include "libcore/nn/dense_layer.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/nn/state_tensors.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

/// Rows of W^T that are stepped as a piece. Each piece reads dy of the whole batch: pieces of 32
/// took 1.2 times as long at 2048 samples (AVX-512, 368 to 512 units), those of 128 a tenth less,
/// but leave threads without work.
constexpr std::size_t kPieceRows = 64;
static_assert(kPieceRows % kPanelColumns == 0, "pieces are packed by whole panels");

/// Multiply-adds that are worth another thread: some 2 us.
constexpr std::size_t kShare = 100'000;

}  // namespace

UnitRows::UnitRows(std::size_t num_rows, std::size_t num_units)
    : num_rows_(num_rows),
      num_units_(num_units),
      stride_(in_place_stride(num_units + 1)),
      data_(num_rows * stride_) {
  for (std::size_t r = 0; r < num_rows; ++r) data_[r * stride_ + num_units] = 1;
}

DenseLayer::DenseLayer(const DenseShape& shape, Precision precision)
    : shape_(shape),
      precision_(single() ? Precision::f32 : product_precision(precision, shape.in, shape.out)),
      row_step_(single() ? 1 : in_place_stride(shape.out)) {
  if (precision_ == Precision::bf16) packed_.resize(num_inputs(), shape.out, precision_);
  take(Array<float>(num_inputs() * row_step_));
}

/// rows: as view() lays them out.
void DenseLayer::take(Array<float> rows) {
  if (!split_.empty()) return split_.set(view(rows));
  weights_ = std::move(rows);
  pack(0, num_inputs());
}

void DenseLayer::randomize(std::uint64_t seed, std::uint64_t stream) {
  const auto in = static_cast<double>(shape_.in), out = static_cast<double>(shape_.out);
  Array<float> drawn(shape_.in * shape_.out);
  const MatrixView<float> weights(drawn.data(), shape_.out, shape_.in);
  fill_normal(weights, std::sqrt(2 / (in + out)), seed, stream);
  std::vector<float> bias(shape_.bias ? shape_.out : 0);
  // One row more of the same stream.
  fill_normal({bias.data(), 1, bias.size()}, std::sqrt(1 / out), seed, stream, shape_.out);
  set(weights, bias);
}

void DenseLayer::randomize_uniform(std::uint64_t seed, std::uint64_t stream) {
  Array<float> drawn(shape_.in * shape_.out);
  const MatrixView<float> weights(drawn.data(), shape_.out, shape_.in);
  fill_uniform(weights, 1 / std::sqrt(static_cast<double>(shape_.in)), seed, stream);
  set_with_uniform_bias(weights, seed, stream);
}

void DenseLayer::randomize_glorot(std::uint64_t seed, std::uint64_t stream) {
  Array<float> drawn(shape_.in * shape_.out);
  const MatrixView<float> weights(drawn.data(), shape_.out, shape_.in);
  const auto sum = static_cast<double>(shape_.in + shape_.out);
  fill_normal(weights, std::sqrt(2 / sum), seed, stream);
  set_with_uniform_bias(weights, seed, stream);
}

void DenseLayer::set_with_uniform_bias(MatrixView<const float> weights, std::uint64_t seed,
                                       std::uint64_t stream) {
  std::vector<float> bias(shape_.bias ? shape_.out : 0);
  // One row more of the same stream.
  fill_uniform({bias.data(), 1, bias.size()}, 1 / std::sqrt(static_cast<double>(shape_.in)), seed,
               stream, shape_.out);
  set(weights, bias);
}

void DenseLayer::set(MatrixView<const float> weights, std::span<const float> bias) {
  assert(weights.rows == shape_.out && weights.cols == shape_.in);
  assert(bias.size() == (shape_.bias ? shape_.out : 0));
  Array<float> memory(num_inputs() * row_step_);
  const MatrixView<float> rows = view(memory);
  for (std::size_t o = 0; o < shape_.out; ++o) {
    for (std::size_t i = 0; i < shape_.in; ++i) rows(i, o) = weights(o, i);
  }
  if (shape_.bias) std::copy(bias.begin(), bias.end(), rows.row(shape_.in));
  take(std::move(memory));
}

void DenseLayer::move_towards(const DenseLayer& other, float share) {
  assert(precision_ == Precision::f32 && other.precision_ == Precision::f32);
  assert(shape_.in == other.shape_.in && shape_.out == other.shape_.out);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    weights_[i] += share * (other.weights_[i] - weights_[i]);
  }
}

void DenseLayer::get(MatrixView<float> weights, std::span<float> bias) const {
  assert(weights.rows == shape_.out && weights.cols == shape_.in);
  assert(bias.size() == (shape_.bias ? shape_.out : 0));
  Array<float> whole;
  if (!split_.empty()) {
    whole = Array<float>(num_inputs() * row_step_);
    split_.get(view(whole));
  }
  const float* rows = split_.empty() ? weights_.data() : whole.data();
  for (std::size_t o = 0; o < shape_.out; ++o) {
    for (std::size_t i = 0; i < shape_.in; ++i) weights(o, i) = rows[i * row_step_ + o];
  }
  if (shape_.bias) std::copy_n(rows + shape_.in * row_step_, shape_.out, bias.begin());
}

std::size_t DenseLayer::rows_to_share() const {
  const std::size_t cost = std::max<std::size_t>(1, num_inputs() * shape_.out);
  return (kShare + cost - 1) / cost;
}

void DenseLayer::forward(MatrixView<const float> x, MatrixView<float> y, float beta) const {
  assert(x.cols == num_inputs() && y.cols == shape_.out);
  parallel_blocks(x.rows, rows_to_share(), [&](std::size_t begin, std::size_t end) {
    multiply(x.rows_between(begin, end), y.rows_between(begin, end), beta);
  });
}

void DenseLayer::backward(MatrixView<const float> dy, MatrixView<float> dx, float beta) const {
  assert(dy.cols == shape_.out && dx.cols == shape_.in);
  parallel_blocks(dy.rows, rows_to_share(), [&](std::size_t begin, std::size_t end) {
    multiply_back(dy.rows_between(begin, end), dx.rows_between(begin, end), beta);
  });
}

void DenseLayer::multiply(MatrixView<const float> x, MatrixView<float> y, float beta) const {
  if (single()) {
    for (std::size_t r = 0; r < x.rows; ++r) {
      const float dot = kernels().dot(x.row(r), weights_.data(), x.cols);
      y(r, 0) = beta == 0 ? dot : dot + beta * y(r, 0);
    }
  } else if (precision_ == Precision::bf16) {
    gemm_packed(x, packed(), y, 1, beta);
  } else {
    gemm_in_place(x, Transpose::no, {weights_.data(), x.cols, shape_.out, row_step_}, y, 1, beta);
  }
}

void DenseLayer::multiply_back(MatrixView<const float> dy, MatrixView<float> dx, float beta) const {
  if (single()) {
    for (std::size_t r = 0; r < dx.rows; ++r) {
      if (beta == 0) {
        std::fill_n(dx.row(r), dx.cols, 0.0F);
      } else {
        kernels().scale(beta, dx.row(r), dx.cols);
      }
      kernels().axpy(dy(r, 0), weights_.data(), dx.row(r), dx.cols);
    }
  } else if (precision_ == Precision::bf16) {
    gemm_packed_transposed(dy, packed(), dx, 1, beta);
  } else {
    gemm(dy, Transpose::no, {weights_.data(), shape_.in, shape_.out, row_step_}, Transpose::yes, dx,
         1, beta);
  }
}

/// Renews the packed copy of rows [begin, end) of W^T.
void DenseLayer::pack(std::size_t begin, std::size_t end) {
  if (precision_ != Precision::bf16) return;
  packed_.pack_part(begin, 0, view(weights_).rows_between(begin, end), Transpose::no);
}

void DenseLayer::prepare_training(const OptimizerOptions& optimizer) {
  optimizer_ = optimizer;
  states_.clear();
  if (optimizer.kind == OptimizerKind::adam && optimizer.half_moments &&
      precision_ == Precision::bf16) {
    split_ = SplitWeights(view(weights_));
    weights_ = {};
    packed_ = {};
    return;
  }
  for (std::size_t p = 0; p < num_pieces(); ++p) {
    states_.emplace_back(optimizer, (piece_end(p) - piece_begin(p)) * row_step_);
  }
}

std::size_t DenseLayer::num_states() const {
  return states_.empty() ? 0 : optimizer_rule(optimizer_.kind).num_states;
}

/// use(piece, its number of state, number of the state in Rows::state) for every number of state.
template <class Use>
void DenseLayer::for_states(const Use& use) const {
  for (std::size_t p = 0; p < states_.size(); ++p) {
    const std::size_t begin = piece_begin(p), rows = piece_end(p) - begin;
    for (std::size_t s = 0; s < num_states(); ++s) {
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t o = 0; o < shape_.out; ++o) {
          use(p, (s * rows + r) * row_step_ + o, (s * num_inputs() + begin + r) * shape_.out + o);
        }
      }
    }
  }
}

DenseLayer::Rows DenseLayer::get_rows() const {
  assert(split_.empty());
  const std::size_t size = num_inputs() * shape_.out;
  Rows rows{std::vector<float>(size), std::vector<float>(num_states() * size)};
  for (std::size_t i = 0; i < num_inputs(); ++i) {
    std::copy_n(weights_.data() + i * row_step_, shape_.out, rows.weights.data() + i * shape_.out);
  }
  for_states([&](std::size_t p, std::size_t from, std::size_t to) {
    rows.state[to] = states_[p].state()[from];
  });
  return rows;
}

void DenseLayer::set_rows(const Rows& rows, std::uint64_t steps) {
  assert(split_.empty());
  for (std::size_t i = 0; i < num_inputs(); ++i) {
    std::copy_n(rows.weights.data() + i * shape_.out, shape_.out, weights_.data() + i * row_step_);
  }
  pack(0, num_inputs());
  for_states([&](std::size_t p, std::size_t to, std::size_t from) {
    states_[p].state()[to] = rows.state[from];
  });
  for (DenseOptimizer& state : states_) state.set_steps(steps);
}

std::size_t DenseLayer::num_pieces() const {
  return single() ? 1 : (num_inputs() + kPieceRows - 1) / kPieceRows;
}
std::size_t DenseLayer::piece_begin(std::size_t piece) const { return piece * kPieceRows; }
std::size_t DenseLayer::piece_end(std::size_t piece) const {
  return single() ? num_inputs() : std::min(num_inputs(), (piece + 1) * kPieceRows);
}

std::uint64_t DenseLayer::piece_cost(std::size_t piece) const {
  return (piece_end(piece) - piece_begin(piece)) * std::uint64_t{shape_.out};
}

/// to = alpha x^T dy + beta to. x: [rows, n], to: [n, out].
void DenseLayer::add_gradient(const PieceRows& rows, MatrixView<float> to, float alpha,
                              float beta) const {
  const auto& [x, dy, packed] = rows;
  if (single()) {
    assert(beta == 0 || beta == 1);
    if (beta == 0) std::fill_n(to.data, to.rows, 0.0F);
    for (std::size_t r = 0; r < x.rows; ++r) {
      kernels().axpy(alpha * dy(r, 0), x.row(r), to.data, x.cols);
    }
  } else if (packed != nullptr) {
    gemm_packed(x, Transpose::yes, *packed, to, alpha, beta);
  } else if (precision_ == Precision::bf16) {
    gemm(x, Transpose::yes, dy, Transpose::no, to, alpha, beta, precision_);
  } else {
    gemm_in_place(x, Transpose::yes, dy, to, alpha, beta);
  }
}

std::size_t DenseLayer::gradient_size(std::size_t piece) const {
  return (piece_end(piece) - piece_begin(piece)) * row_step_;
}

DenseLayer::PieceRows DenseLayer::rows_of(std::size_t piece, MatrixView<const float> x,
                                          MatrixView<const float> dy,
                                          const PackedMatrix* packed) const {
  assert(x.cols == num_inputs() && dy.cols == shape_.out && x.rows == dy.rows);
  const std::size_t begin = piece_begin(piece), end = piece_end(piece);
  return {{x.data + begin, x.rows, end - begin, x.stride}, dy, packed};
}

void DenseLayer::piece_gradient(std::size_t piece, MatrixView<const float> x,
                                MatrixView<const float> dy, std::span<float> gradient,
                                const PackedMatrix* packed) const {
  assert(gradient.size() == gradient_size(piece));
  const PieceRows rows = rows_of(piece, x, dy, packed);
  const MatrixView<float> to(gradient.data(), rows.x.cols, shape_.out, row_step_);
  add_gradient(rows, to, 1, 0);
  for (std::size_t r = 0; r < to.rows; ++r) {
    std::fill(to.row(r) + shape_.out, to.row(r) + row_step_, 0.0F);
  }
}

void DenseLayer::apply_gradient(std::size_t piece, std::span<const float> gradient, float rate) {
  const std::size_t begin = piece_begin(piece), end = piece_end(piece);
  if (!split_.empty()) {
    const MatrixView<const float> rows(gradient.data(), end - begin, shape_.out, row_step_);
    return split_.step_rows(begin, rows, rate, optimizer_);
  }
  states_[piece].step({weights_.data() + begin * row_step_, gradient.size()}, gradient, rate);
  pack(begin, end);
}

void DenseLayer::step_piece(std::size_t piece, MatrixView<const float> x,
                            MatrixView<const float> dy, float rate, const PackedMatrix* packed) {
  if (optimizer_rule(optimizer_.kind).is_linear && optimizer_.weight_decay == 0) {
    const std::size_t begin = piece_begin(piece), end = piece_end(piece);
    const MatrixView<float> weights = view(weights_).rows_between(begin, end);
    add_gradient(rows_of(piece, x, dy, packed), weights, -rate, 1);
    return pack(begin, end);
  }
  thread_local Array<float> memory;
  const std::size_t size = gradient_size(piece);
  if (memory.size() < size) memory = Array<float>(size, uninitialized);
  const std::span<float> gradient(memory.data(), size);
  piece_gradient(piece, x, dy, gradient, packed);
  apply_gradient(piece, gradient, rate);
}

void DenseLayer::save(Document& document, const std::string& name) const {
  Tensor weights = Tensor::make(name + ".weight", Dtype::f32, {shape_.out, shape_.in});
  std::vector<float> bias(shape_.bias ? shape_.out : 0);
  get({weights.as<float>().data(), shape_.out, shape_.in}, bias);
  document.tensors.push_back(std::move(weights));
  if (!shape_.bias) return;
  document.tensors.push_back(Tensor::copy_of<float>(name + ".bias", {shape_.out}, bias));
}

void DenseLayer::check(const Document& document, const std::string& path, const std::string& name,
                       const DenseShape& shape) {
  shaped_tensor(document, path, name + ".weight", {shape.out, shape.in});
  if (shape.bias) shaped_tensor(document, path, name + ".bias", {shape.out});
}

void DenseLayer::load(const Document& document, const std::string& path, const std::string& name) {
  check(document, path, name, shape_);
  const std::span<const float> weights = document.at(name + ".weight").as<float>();
  set({weights.data(), shape_.out, shape_.in},
      shape_.bias ? document.at(name + ".bias").as<float>() : std::span<const float>());
}

void DenseLayer::save_state(Document& document, const std::string& name) const {
  if (!split_.empty()) return split_.save_state(document, name);
  save_states(document, name, states_);
}

void DenseLayer::load_state(const Document& document, const std::string& path,
                            const std::string& name) {
  if (!split_.empty()) return split_.load_state(document, path, name);
  load_states(document, path, name, states_);
}

}  // namespace frugal
