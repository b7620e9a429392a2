#include "tools/gnn-sample/inputs/trained_rows.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/state_tensors.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kRowsAtOnce = 64;
/// Stream of the initial rows; layers have others.
constexpr std::uint64_t kRowStream = 0x656d626564;
/// Standard deviation of an initial row. Validation was worse with 1 and with 3.
constexpr double kDeviation = 0.3;

/// Copies rows of floats, on all threads.
void copy_rows(MatrixView<const float> from, MatrixView<float> to) {
  parallel_for(from.rows, kRowsAtOnce,
               [&](std::size_t r) { std::copy_n(from.row(r), from.cols, to.row(r)); });
}

Tensor rows_tensor(const std::string& name, MatrixView<const float> rows) {
  Tensor tensor = Tensor::make(name, Dtype::f32, {rows.rows, rows.cols});
  copy_rows(rows, {tensor.as<float>().data(), rows.rows, rows.cols});
  return tensor;
}

MatrixView<const float> rows_of(const Tensor& tensor) {
  return {tensor.as<float>().data(), tensor.shape[0], tensor.shape[1]};
}

}  // namespace

TrainedRows::TrainedRows(MatrixView<float> columns, std::uint64_t seed, std::string prefix)
    : columns_(columns), prefix_(std::move(prefix)) {
  const double bound = kDeviation * std::sqrt(3 / static_cast<double>(columns.cols));
  parallel_for(columns.rows, kRowsAtOnce, [&](std::size_t v) {
    Rng rng(seed, kRowStream, v * columns.cols);
    for (float& x : columns_.row_span(v)) x = static_cast<float>(rng.uniform(-bound, bound));
  });
}

void TrainedRows::prepare_training(const OptimizerOptions& optimizer) {
  optimizer_ = optimizer;
  const std::size_t state = row_state_size(optimizer.kind, columns_.cols);
  check_memory("the optimiser's state of embeddings of " + format_count(columns_.rows, "node"),
               std::uint64_t{columns_.rows} * (columns_.cols + state + 1) * sizeof(float));
  table_ = RowTable(columns_.rows, columns_.cols, state);
  copy_rows(columns_, table_.weights());
  first_.assign(columns_.rows, 0);
}

void TrainedRows::step(std::span<const NodeId> nodes, MatrixView<float> gradients, float rate) {
  rate *= rate_factor(optimizer_, ++steps_);
  repeated_.assign(nodes.size(), 0);
  for (std::uint32_t s = 0; s < nodes.size(); ++s) {
    std::uint32_t& first = first_[nodes[s]];
    // An entry of an earlier mini-batch counts only if it is right in this one, too.
    if (first < s && nodes[first] == nodes[s]) {
      kernels().axpy(1, gradients.row(s), gradients.row(first), gradients.cols);
      repeated_[s] = 1;
    } else {
      first = s;
    }
  }
  parallel_for(nodes.size(), kRowsAtOnce, [&](std::size_t s) {
    if (repeated_[s] != 0) return;
    step_row(table_, nodes[s], gradients.row(s), rate, optimizer_);
    std::copy_n(table_.row(nodes[s]), columns_.cols, columns_.row(nodes[s]));
  });
}

void TrainedRows::save(Document& document) const {
  document.tensors.push_back(rows_tensor(tensor_name(), columns_));
}

void TrainedRows::load(const Document& document, const std::string& path) {
  copy_rows(rows_of(shaped_tensor(document, path, tensor_name(), shape())), columns_);
  if (table_.rows() != 0) copy_rows(columns_, table_.weights());
}

void TrainedRows::save_state(Document& document) const {
  if (table_.state_size() != 0) {
    document.tensors.push_back(rows_tensor(state_name(), table_.states()));
  }
  save_steps(document, state_name(), steps_);
}

void TrainedRows::load_state(const Document& document, const std::string& path) {
  if (table_.state_size() != 0) {
    const Shape states = {table_.rows(), table_.state_size()};
    copy_rows(rows_of(shaped_tensor(document, path, state_name(), states)), table_.states());
  }
  steps_ = load_steps(document, path, state_name());
}

}  // namespace frugal::gnn
