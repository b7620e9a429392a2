#include "tools/gnn-sample/network/gnn_loss.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/loss.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/layers/row_chunks.h"

namespace frugal::gnn {
namespace {

/// The sum of row_loss(row, its logits, which become the gradient) in the order of the rows.
template <class RowLoss>
double sum_of_losses(MatrixView<const float> logits, RowStore& gradient, const RowLoss& row_loss) {
  gradient.resize(logits.rows, logits.cols);
  std::vector<double> losses(logits.rows);
  parallel_for(logits.rows, kChunkRows, [&](std::size_t r) {
    const std::span<float> row = gradient.view().row_span(r);
    std::copy_n(logits.row(r), logits.cols, row.data());
    losses[r] = row_loss(r, row);
  });
  double sum = 0;
  for (const double loss : losses) sum += loss;
  return sum;
}

}  // namespace

double class_loss(MatrixView<const float> logits, std::span<const std::int32_t> labels,
                  RowStore& gradient) {
  assert(labels.size() == logits.rows);
  const auto labelled = std::count_if(labels.begin(), labels.end(), [](auto l) { return l >= 0; });
  const float share = labelled == 0 ? 0 : 1.0F / static_cast<float>(labelled);
  const double sum = sum_of_losses(logits, gradient, [&](std::size_t r, std::span<float> row) {
    const auto label = static_cast<std::uint32_t>(labels[r]);
    const std::span<const std::uint32_t> targets(&label, labels[r] < 0 ? 0 : 1);
    return softmax_loss(row, targets, {}, share);
  });
  return labelled == 0 ? 0 : sum / static_cast<double>(labelled);
}

double label_loss(MatrixView<const float> logits, std::span<const std::uint8_t> labels,
                  RowStore& gradient) {
  assert(labels.size() == logits.rows * logits.cols);
  const double count = static_cast<double>(std::max<std::size_t>(labels.size(), 1));
  const double sum = sum_of_losses(logits, gradient, [&](std::size_t r, std::span<float> row) {
    thread_local std::vector<std::uint32_t> targets;
    targets.clear();
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (labels[r * row.size() + c] != 0) targets.push_back(static_cast<std::uint32_t>(c));
    }
    return one_vs_all_loss(row, targets, {}, static_cast<float>(1 / count));
  });
  return sum / count;
}

double value_loss(MatrixView<const float> outputs, std::span<const float> values,
                  RowStore& gradient) {
  assert(values.size() == outputs.rows && outputs.cols == 1);
  const auto known = std::ranges::count_if(values, [](float x) { return !std::isnan(x); });
  const double share = known == 0 ? 0 : 1 / static_cast<double>(known);
  const double sum = sum_of_losses(outputs, gradient, [&](std::size_t r, std::span<float> row) {
    const double error = std::isnan(values[r]) ? 0 : double{row[0]} - values[r];
    row[0] = static_cast<float>(2 * share * error);
    return error * error;
  });
  return sum * share;
}

double link_loss(MatrixView<const float> rows, const LinkPairs& pairs, RowStore& gradient) {
  gradient.resize(rows.rows, rows.cols);
  set_zero(gradient.view());
  const std::size_t count = pairs.sources.size();
  const double share = 1 / static_cast<double>(std::max<std::size_t>(count, 1));
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float* source = rows.row(pairs.sources[i]);
    const float* target = rows.row(pairs.targets[i]);
    const double x = kernels().dot(source, target, rows.cols);
    const double sign = i < pairs.links ? -1 : 1;
    sum += std::log1p(std::exp(-std::abs(x))) + std::max(sign * x, 0.0);
    const auto slope = static_cast<float>(sign * share / (1 + std::exp(-sign * x)));
    kernels().axpy(slope, target, gradient.view().row(pairs.sources[i]), rows.cols);
    kernels().axpy(slope, source, gradient.view().row(pairs.targets[i]), rows.cols);
  }
  return sum * share;
}

double batch_loss(MatrixView<const float> outputs, const BatchTargets& targets,
                  RowStore& gradient) {
  if (!targets.pairs.sources.empty()) return link_loss(outputs, targets.pairs, gradient);
  if (!targets.values.empty()) return value_loss(outputs, targets.values, gradient);
  if (!targets.label_rows.empty()) return label_loss(outputs, targets.label_rows, gradient);
  return class_loss(outputs, targets.labels, gradient);
}

}  // namespace frugal::gnn
