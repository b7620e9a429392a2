#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/embedding/table_set.h"

namespace frugal::robe {

/// sum of value(i)^2 for i < n in doubles: several sums side by side, which vector instructions
/// add.
template <class Value>
double sum_of_squares(std::size_t n, const Value& value) {
  constexpr std::size_t kSums = 8;
  std::array<double, kSums> sums{};
  std::size_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (std::size_t j = 0; j < kSums; ++j) {
      const double x = value(i + j);
      sums[j] += x * x;
    }
  }
  for (; i < n; ++i) sums[0] += value(i) * value(i);
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

inline double sum_of_squares(const float* x, std::size_t n) {
  return sum_of_squares(n, [x](std::size_t i) { return static_cast<double>(x[i]); });
}

/// How much each row counts: how often it occurs, or 1 for all of them. Rows are numbered through
/// all tables (TableSet::first_row).
class RowWeights {
 public:
  /// 1 for every row.
  RowWeights() = default;
  /// One finite weight from 0 on for each row of the tables. Fails (bad_input) with `path` if all
  /// are 0.
  RowWeights(Array<float> weights, const TableSet& tables, const std::string& path);

  bool are_uniform() const { return weights_.empty(); }
  float operator[](std::uint64_t row) const { return are_uniform() ? 1 : weights_[row]; }
  std::uint64_t num_bytes() const { return weights_.size_bytes(); }
  /// The smallest weight above 0.
  float smallest() const { return smallest_; }
  /// In every table no row counts more than one before it, row 0 aside, which may stand for all
  /// rare ids: the heaviest rows are a run in every table.
  bool descend() const { return descend_; }

  /// The `n` rows that count most, ascending; of equal ones the first, none that count 0.
  std::vector<std::uint64_t> heaviest(std::uint64_t n) const;

 private:
  Array<float> weights_;
  float smallest_ = 1;
  bool descend_ = false;
};

}  // namespace frugal::robe
