#include "tools/gnn-sample/network/shortcut.h"

#include <cmath>

#include "tools/gnn-sample/network/row_chunks.h"

namespace frugal::gnn {
namespace {

/// Working rows that convolutions leave free until their rows are done.
constexpr std::size_t kShortcutSlot = 2;

}  // namespace

Shortcut::Shortcut(std::size_t in, std::size_t out, bool bias, Precision precision)
    : weights_(in, out, precision), bias_(bias ? 1 : 0, out) {}

void Shortcut::randomize(std::uint64_t seed, std::uint64_t stream) {
  const double bound = 1 / std::sqrt(static_cast<double>(weights_.in()));
  weights_.randomize(bound, seed, stream);
  bias_.randomize(bound, seed, stream + 1);
}

void Shortcut::forward(const SourceRows& rows, std::size_t begin, std::size_t end,
                       MatrixView<float> out, float beta) const {
  multiply_rows(rows, begin, end, weights_, out, kShortcutSlot, beta);
  add_bias(bias_, out);
}

void Shortcut::backward(const SourceRows& rows, MatrixView<const float> gradient,
                        SparseColumns& columns) {
  const bool sparse = rows.sparse();
  if (sparse) {
    columns.assign(rows, gradient.rows);
    columns.add_products(gradient, weights_.gradient(0));
  }
  for_each_grouped_chunk(gradient.rows, [&](std::size_t group, std::size_t begin, std::size_t end) {
    const MatrixView<const float> dy = gradient.rows_between(begin, end);
    add_bias_gradient(bias_, group, dy);
    if (sparse) return;
    const MatrixView<float> x = working_rows(end - begin, weights_.in());
    rows.copy(begin, end, x);
    weights_.add_gradient(group, x, dy);
  });
}

void Shortcut::add_input_gradient(MatrixView<const float> gradient, MatrixView<float> rows) const {
  weights_.multiply_transposed(gradient, rows, 1);
}

std::vector<ParameterTensor> Shortcut::tensors(const std::string& name) {
  std::vector<ParameterTensor> all = {
      {name + ".weight", &weights_, {weights_.out(), weights_.in()}}};
  if (bias_.size() != 0) all.push_back({name + ".bias", &bias_, {bias_.out()}});
  return all;
}

}  // namespace frugal::gnn
