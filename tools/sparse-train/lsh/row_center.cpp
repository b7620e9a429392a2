#include "tools/sparse-train/lsh/row_center.h"

#include <cmath>

#include "libcore/base/error.h"

namespace frugal::sparse {
namespace {

constexpr double kDrift = 0.1;  ///< of the rows' distance from their mean

}  // namespace

bool RowCenter::follow(MatrixView<const float> rows, bool always) {
  if (!used()) return false;
  std::vector<double> mean(rows.cols);
  double squares = 0;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const float* row = rows.row(r);
    for (std::size_t i = 0; i < rows.cols; ++i) {
      const auto x = static_cast<double>(row[i]);
      mean[i] += x;
      squares += x * x;
    }
  }
  const auto n = static_cast<double>(rows.rows);
  double moved = 0, length = 0;
  for (std::size_t i = 0; i < rows.cols; ++i) {
    mean[i] /= n;
    moved += std::pow(mean[i] - static_cast<double>(values_[i]), 2);
    length += mean[i] * mean[i];
  }
  const double spread = squares / n - length;
  if (!always && moved <= kDrift * kDrift * spread) return false;
  for (std::size_t i = 0; i < rows.cols; ++i) values_[i] = static_cast<float>(mean[i]);
  return true;
}

void RowCenter::subtract_from(MatrixView<float> rows) const {
  if (!used()) return;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    float* row = rows.row(r);
    for (std::size_t i = 0; i < rows.cols; ++i) row[i] -= values_[i];
  }
}

void RowCenter::save(Document& state) const {
  state.tensors.push_back(Tensor::copy_of<float>("lsh.center", {values_.size()}, values_));
}

void RowCenter::restore(const Document& state, const std::string& path) {
  const auto stored = state.at("lsh.center").as<float>();
  if (stored.size() != values_.size()) {
    fail(ExitStatus::bad_input, path, ": tensor 'lsh.center' has ", stored.size(),
         " elements, expected ", values_.size());
  }
  values_.assign(stored.begin(), stored.end());
}

}  // namespace frugal::sparse
