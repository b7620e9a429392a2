#include "tools/sparse-train/outputs/gathered_rows.h"

#include <vector>

#include "libcore/kernels/kernels.h"

namespace frugal::sparse {
namespace {

void copy_rows(const RowTable& table, std::span<const std::uint32_t> rows, float* to) {
  const std::size_t dim = table.dim();
  if (table.half_columns() == 0) {
    return kernels().gather_rows(table.data(), table.stride(), dim, rows.data(), rows.size(), to,
                                 dim);
  }
  constexpr std::size_t kAhead = 8;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (j + kAhead < rows.size()) table.prefetch(rows[j + kAhead]);
    table.read(rows[j], to + j * dim);
  }
}

}  // namespace

void GatheredRows::begin(std::size_t first, std::size_t count, std::size_t dim) {
  first_ = first;
  dim_ = dim;
  const std::size_t size = count * dim;
  if (weights_.size() < size) weights_ = Array<float>(size + size / 4, uninitialized);
}

void GatheredRows::gather(const Network& network, std::span<const std::uint32_t> labels,
                          std::span<const float> log_inclusion, Range outputs) {
  std::span<const std::uint32_t> rows = labels.subspan(outputs.begin, outputs.end - outputs.begin);
  std::vector<std::uint32_t> shifted;
  if (network.first_label != 0) {
    for (const std::uint32_t label : rows) shifted.push_back(label - network.first_label);
    rows = shifted;
  }
  float* const to = weights_.data() + (outputs.begin - first_) * dim_;
  copy_rows(network.labels, rows, to);
  if (log_inclusion.empty() || network.shape.loss != LossKind::softmax) return;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    to[j * dim_ + dim_ - 1] -= log_inclusion[outputs.begin + j];
  }
}

}  // namespace frugal::sparse
