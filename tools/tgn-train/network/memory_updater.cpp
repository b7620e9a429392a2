#include "tools/tgn-train/network/memory_updater.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "libcore/base/float16.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"

namespace frugal::tgn {
namespace {

const std::string kCell = "memory_updater.memory_updater.";
const std::string kMlp = "message_function.mlp.";
/// Factor of the own memory and of the ones where one weight replaces two (see MemoryUpdater).
constexpr float kDoubled = 2;

DenseShape dense_without_bias(std::size_t in, std::size_t out) { return {in, out, false}; }

}  // namespace

MemoryUpdater::MemoryUpdater(const TgnOptions& options, const TgnInputs& inputs)
    : gru_(options.updater == UpdaterKind::gru),
      dim_(options.memory_dim),
      edge_dim_(inputs.edge_features),
      time_dim_(options.time_dim),
      x_dim_(options.message == MessageKind::mlp ? options.message_dim
                                                 : dim_ + edge_dim_ + time_dim_) {
  if (options.message == MessageKind::mlp) {
    const std::size_t half = raw_dim() / 2;
    mlp_first_.emplace(DenseShape{raw_dim(), half}, options.precision);
    mlp_second_.emplace(DenseShape{half, x_dim_}, options.precision);
  }
  gates_.emplace(dense_without_bias(x_begin() + x_dim_, summed_dim()), options.precision);
  if (!gru_) return;
  const std::size_t candidate_in = num_columns() - x_begin() - (own_is_first() ? 0 : dim_ + 1);
  candidate_.emplace(dense_without_bias(candidate_in, dim_), options.precision);
  hidden_.emplace(dense_without_bias(dim_ + 1, dim_), options.precision);
}

MemoryUpdater::Cell MemoryUpdater::empty_cell() const {
  const std::size_t rows = num_gates() * dim_;
  Cell cell;
  cell.weight_ih.resize(rows * message_dim());
  cell.weight_hh.resize(rows * dim_);
  cell.bias_ih.resize(rows);
  cell.bias_hh.resize(rows);
  return cell;
}

void MemoryUpdater::randomize(std::uint64_t seed, std::uint64_t stream) {
  Cell cell = empty_cell();
  const double bound = 1 / std::sqrt(static_cast<double>(dim_));
  const std::size_t rows = num_gates() * dim_;
  fill_uniform({cell.weight_ih.data(), rows, message_dim()}, bound, seed, stream);
  fill_uniform({cell.weight_hh.data(), rows, dim_}, bound, seed, stream + 1);
  fill_uniform({cell.bias_ih.data(), 1, rows}, bound, seed, stream + 2);
  fill_uniform({cell.bias_hh.data(), 1, rows}, bound, seed, stream + 3);
  set_cell(cell);
  if (!mlp_first_) return;
  mlp_first_->randomize_uniform(seed, stream + 4);
  mlp_second_->randomize_uniform(seed, stream + 5);
}

void MemoryUpdater::set_cell(const Cell& cell) {
  const std::size_t own = own_is_first() ? dim_ : 0;
  const float fold = own_is_first() ? 1 / kDoubled : 1;
  const auto ih = [&](std::size_t row, std::size_t c) {
    return cell.weight_ih[row * message_dim() + c];
  };
  std::vector<float> weights(summed_dim() * gates_->shape().in);
  float* to = weights.data();
  for (std::size_t o = 0; o < summed_dim(); ++o) {
    for (std::size_t i = 0; i < dim_; ++i) {
      *to++ = fold * (cell.weight_hh[o * dim_ + i] + (own == 0 ? 0 : ih(o, i)));
    }
    *to++ = (cell.bias_ih[o] + cell.bias_hh[o]) / kDoubled;
    for (std::size_t i = 0; i < x_dim_; ++i) *to++ = ih(o, own + i);
  }
  gates_->set({weights.data(), summed_dim(), gates_->shape().in}, {});
  if (!gru_) return;
  std::vector<float> candidate, hidden;
  for (std::size_t o = 2 * dim_; o < 3 * dim_; ++o) {
    for (std::size_t i = 0; i < x_dim_; ++i) candidate.push_back(ih(o, own + i));
    for (std::size_t i = 0; i < own; ++i) candidate.push_back(ih(o, i));
    candidate.push_back(cell.bias_ih[o]);
    for (std::size_t i = 0; i < dim_; ++i) hidden.push_back(cell.weight_hh[o * dim_ + i]);
    hidden.push_back(cell.bias_hh[o]);
  }
  candidate_->set({candidate.data(), dim_, candidate_->shape().in}, {});
  hidden_->set({hidden.data(), dim_, dim_ + 1}, {});
}

/// Reverses set_cell(). The sum of two parameters becomes two equal ones.
MemoryUpdater::Cell MemoryUpdater::get_cell() const {
  Cell cell = empty_cell();
  const std::size_t own = own_is_first() ? dim_ : 0;
  std::vector<float> weights(summed_dim() * gates_->shape().in);
  gates_->get({weights.data(), summed_dim(), gates_->shape().in}, {});
  const float* from = weights.data();
  for (std::size_t o = 0; o < summed_dim(); ++o) {
    for (std::size_t i = 0; i < dim_; ++i, ++from) {
      cell.weight_hh[o * dim_ + i] = *from;
      if (own != 0) cell.weight_ih[o * message_dim() + i] = *from;
    }
    cell.bias_ih[o] = cell.bias_hh[o] = *from++;
    for (std::size_t i = 0; i < x_dim_; ++i) cell.weight_ih[o * message_dim() + own + i] = *from++;
  }
  if (!gru_) return cell;
  std::vector<float> candidate(dim_ * candidate_->shape().in), hidden(dim_ * (dim_ + 1));
  candidate_->get({candidate.data(), dim_, candidate_->shape().in}, {});
  hidden_->get({hidden.data(), dim_, dim_ + 1}, {});
  from = candidate.data();
  const float* from_hidden = hidden.data();
  for (std::size_t o = 2 * dim_; o < 3 * dim_; ++o) {
    for (std::size_t i = 0; i < x_dim_; ++i) cell.weight_ih[o * message_dim() + own + i] = *from++;
    for (std::size_t i = 0; i < own; ++i) cell.weight_ih[o * message_dim() + i] = *from++;
    cell.bias_ih[o] = *from++;
    for (std::size_t i = 0; i < dim_; ++i) cell.weight_hh[o * dim_ + i] = *from_hidden++;
    cell.bias_hh[o] = *from_hidden++;
  }
  return cell;
}

void MemoryUpdater::forward(const UpdateRows& updates, const MessageInput& input,
                            MatrixView<float> slots) {
  const std::size_t n = updates.size();
  if (mlp_first_) {
    raw_.resize(n, raw_dim() + 1);
    mlp_hidden_.resize(n, mlp_first_->shape().out + 1);
  }
  inputs_.resize(n, num_columns());
  gate_rows_.resize(n, summed_dim());
  nx_.resize(n, dim_);
  nh_.resize(n, dim_);
  made_.resize(n, dim_);
  fill_ones(n);
  fill_constants(updates, input);
  for (std::size_t level = 0; level + 1 < updates.level_begin.size(); ++level) {
    const std::size_t begin = updates.level_begin[level], end = updates.level_begin[level + 1];
    fill_memory(updates, begin, end, slots);
    if (mlp_first_) make_messages(begin, end);
    run_cell(begin, end);
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const float> made(made_.view().row(i), dim_);
      float* const out = slots.row(updates.out[i]);
      std::transform(made.begin(), made.end(), out,
                     [&](float x) { return input.to_bf16 ? to_float(to_bfloat16(x)) : x; });
    }
  }
}

void MemoryUpdater::fill_ones(std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    float* row = inputs_.view().row(i);
    row[dim_] = kDoubled;
    if (gru_) row[num_columns() - 1] = 1;
    if (!mlp_first_) continue;
    if (gru_) row[own_begin() - 1] = 1;
    raw_.view().row(i)[raw_dim()] = 1;
    mlp_hidden_.view().row(i)[mlp_first_->shape().out] = 1;
  }
}

/// Fills the columns that do not depend on other updates: features and time encodings, or, if
/// messages are loaded, everything but the own memory.
void MemoryUpdater::fill_constants(const UpdateRows& updates, const MessageInput& input) {
  RowStore& rows = mlp_first_ ? raw_ : inputs_;
  const std::size_t other = mlp_first_ ? dim_ : x_begin();
  const std::size_t edge = other + dim_, time = edge + edge_dim_;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    float* row = rows.view().row(i);
    if (updates.kept) {
      std::copy_n(input.kept.row(i), time + time_dim_ - other, row + other);
    } else if (edge_dim_ != 0) {
      input.edges.read(updates.event[i], row + edge);
    }
  }
  if (!updates.kept) input.time->encode(updates.dt, rows.columns(time, time + time_dim_));
}

void MemoryUpdater::fill_memory(const UpdateRows& updates, std::size_t begin, std::size_t end,
                                MatrixView<const float> slots) {
  for (std::size_t i = begin; i < end; ++i) {
    const float* own = slots.row(updates.own[i]);
    const float* other = updates.kept ? nullptr : slots.row(updates.other[i]);
    float* row = inputs_.view().row(i);
    const float factor = own_is_first() ? kDoubled : 1;
    for (std::size_t c = 0; c < dim_; ++c) row[c] = factor * own[c];
    if (gru_) std::copy_n(own, dim_, row + own_begin());
    if (!own_is_first()) std::copy_n(own, dim_, raw_.view().row(i));
    if (other == nullptr) continue;
    std::copy_n(other, dim_, own_is_first() ? row + x_begin() : raw_.view().row(i) + dim_);
  }
}

void MemoryUpdater::make_messages(std::size_t begin, std::size_t end) {
  const std::size_t half = mlp_first_->shape().out;
  const MatrixView<float> hidden = mlp_hidden_.view().rows_between(begin, end);
  mlp_first_->forward(raw_.view().rows_between(begin, end),
                      {hidden.data, hidden.rows, half, hidden.stride});
  for (std::size_t r = 0; r < hidden.rows; ++r) kernels().relu(hidden.row(r), half);
  mlp_second_->forward(hidden,
                       inputs_.columns(x_begin(), x_begin() + x_dim_).rows_between(begin, end));
}

void MemoryUpdater::run_cell(std::size_t begin, std::size_t end) {
  const std::size_t sum_end = x_begin() + x_dim_;
  const MatrixView<float> sums = gate_rows_.view().rows_between(begin, end);
  gates_->forward(inputs_.columns(0, sum_end).rows_between(begin, end), sums);
  const MatrixView<float> made = made_.view().rows_between(begin, end);
  if (!gru_) {
    for (std::size_t r = 0; r < made.rows; ++r) {
      std::copy_n(sums.row(r), dim_, made.row(r));
      kernels().tanh(made.row(r), dim_);
    }
    return;
  }
  const MatrixView<float> nx = nx_.view().rows_between(begin, end);
  const MatrixView<float> nh = nh_.view().rows_between(begin, end);
  const MatrixView<float> own =
      inputs_.columns(own_begin(), num_columns()).rows_between(begin, end);
  candidate_->forward(
      inputs_.columns(x_begin(), x_begin() + candidate_->shape().in).rows_between(begin, end), nx);
  hidden_->forward(own, nh);
  kernels().gru_forward({made.rows, dim_, sums.data, sums.stride, nx.data, nx.stride, nh.data,
                         nh.stride, own.data, own.stride},
                        made.data, made.stride);
}

void MemoryUpdater::backward(const UpdateRows& updates, MatrixView<const float> dout,
                             TimeEncoder* time, ParameterSteps& steps) {
  const std::size_t n = dout.rows;
  const MatrixView<float> sums = gate_rows_.view();
  assert(sums.rows == n);
  if (gru_) {
    const MatrixView<float> nx = nx_.view(), nh = nh_.view();
    const MatrixView<float> own = inputs_.columns(own_begin(), num_columns());
    kernels().gru_backward({n, dim_, sums.data, sums.stride, nx.data, nx.stride, nh.data, nh.stride,
                            own.data, own.stride},
                           dout.data, dout.stride, nullptr, 0);
    steps.add(*candidate_, inputs_.columns(x_begin(), x_begin() + candidate_->shape().in), nx);
    steps.add(*hidden_, own, nh);
  } else {
    for (std::size_t r = 0; r < n; ++r) {
      std::copy_n(dout.row(r), dim_, sums.row(r));
      kernels().tanh_backward(made_.view().row(r), sums.row(r), dim_);
    }
  }
  steps.add(*gates_, inputs_.columns(0, x_begin() + x_dim_), sums);
  if (!mlp_first_ && time == nullptr) return;
  backward_input();
  if (mlp_first_) backward_message(steps);
  if (time == nullptr) return;
  const std::size_t begin = dim_ + dim_ + edge_dim_;
  if (mlp_first_) {
    d_raw_.resize(n, raw_dim());
    mlp_first_->backward(d_mlp_hidden_.view(), d_raw_.view());
    time->add_gradient(updates.dt, d_raw_.columns(begin, begin + time_dim_));
  } else {
    time->add_gradient(updates.dt, d_inputs_.columns(begin + 1, begin + 1 + time_dim_));
  }
}

/// Computes d_inputs_ for columns [own | 1 | x]. Only the columns of x are complete.
void MemoryUpdater::backward_input() {
  const std::size_t n = inputs_.view().rows, x_end = x_begin() + x_dim_;
  d_inputs_.resize(n, num_columns() + 1);
  for (std::size_t r = 0; r < n; ++r) std::fill_n(d_inputs_.view().row(r), x_end, 0.0F);
  if (gru_) {
    candidate_->backward(nx_.view(),
                         d_inputs_.columns(x_begin(), x_begin() + candidate_->shape().in));
  }
  gates_->backward(gate_rows_.view(), d_inputs_.columns(0, x_end), 1);
}

void MemoryUpdater::backward_message(ParameterSteps& steps) {
  const std::size_t n = inputs_.view().rows, half = mlp_first_->shape().out;
  const MatrixView<float> dx = d_inputs_.columns(x_begin(), x_begin() + x_dim_);
  d_mlp_hidden_.resize(n, half);
  mlp_second_->backward(dx, d_mlp_hidden_.view());
  for (std::size_t r = 0; r < n; ++r) {
    kernels().relu_backward(mlp_hidden_.view().row(r), d_mlp_hidden_.view().row(r), half);
  }
  steps.add(*mlp_second_, mlp_hidden_.view(), dx);
  steps.add(*mlp_first_, raw_.view(), d_mlp_hidden_.view());
}

void MemoryUpdater::visit_parameters(const ParameterVisit& each) {
  if (mlp_first_) each.layer("message.first", *mlp_first_);
  if (mlp_second_) each.layer("message.second", *mlp_second_);
  each.layer("updater.gates", *gates_);
  if (candidate_) each.layer("updater.candidate", *candidate_);
  if (hidden_) each.layer("updater.hidden", *hidden_);
}

void MemoryUpdater::save(Document& document) const {
  const Cell cell = get_cell();
  const std::size_t rows = num_gates() * dim_;
  const auto add = [&](const char* name, const Shape& shape, const std::vector<float>& values) {
    document.tensors.push_back(Tensor::copy_of<float>(kCell + name, shape, values));
  };
  add("weight_ih", {rows, message_dim()}, cell.weight_ih);
  add("weight_hh", {rows, dim_}, cell.weight_hh);
  add("bias_ih", {rows}, cell.bias_ih);
  add("bias_hh", {rows}, cell.bias_hh);
  if (!mlp_first_) return;
  mlp_first_->save(document, kMlp + "0");
  mlp_second_->save(document, kMlp + "2");
}

void MemoryUpdater::load(const Document& document, const std::string& path) {
  Cell cell = empty_cell();
  const std::size_t rows = num_gates() * dim_;
  const auto take = [&](const char* name, const Shape& shape, std::vector<float>& values) {
    const auto from = shaped_tensor(document, path, kCell + name, shape).as<float>();
    values.assign(from.begin(), from.end());
  };
  take("weight_ih", {rows, message_dim()}, cell.weight_ih);
  take("weight_hh", {rows, dim_}, cell.weight_hh);
  take("bias_ih", {rows}, cell.bias_ih);
  take("bias_hh", {rows}, cell.bias_hh);
  set_cell(cell);
  if (!mlp_first_) return;
  mlp_first_->load(document, path, kMlp + "0");
  mlp_second_->load(document, path, kMlp + "2");
}

}  // namespace frugal::tgn
