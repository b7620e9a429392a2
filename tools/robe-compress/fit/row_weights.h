#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/embedding/table_set.h"

namespace frugal::robe {

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
