#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/nn/optimizer.h"
#include "libcore/nn/row_table.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/outputs/output_layer.h"

namespace frugal::sparse {

/// Steps the rows of the features of a batch. The features are cut into ranges of about equal work,
/// each stepped by one thread, so that every row has one owner: the result does not depend on how
/// many there are. A row's gradient is the sum over the examples of the batch, in their order; but
/// sgd and adagrad step a narrow row for one example after the other.
class FeatureStep {
 public:
  /// The features of each example in `data` must be sorted; it and `table` must outlive this
  /// object.
  FeatureStep(RowTable& table, const Dataset& data, std::size_t batch_size,
              const OptimizerOptions& optimizer);

  /// Whether rows are stepped for one example after the other.
  static bool steps_by_example(const OptimizerOptions& optimizer, std::size_t dim);

  /// Finds where the ranges lie among the features of the batch's k-th example. For several
  /// examples at the same time.
  void split(std::size_t k, std::uint32_t example);

  std::size_t num_ranges() const { return num_ranges_; }
  /// gradient: [examples, at least dim] of the units. For several ranges at the same time.
  void run(std::size_t range, std::span<const std::uint32_t> examples,
           MatrixView<const float> gradient, float rate);

 private:
  struct Group;
  void share_out();
  void run_by_row(std::size_t range, std::span<const std::uint32_t> examples,
                  MatrixView<const float> gradient, float rate);
  void group(std::size_t range, std::span<const std::uint32_t> examples, Group& out) const;

  RowTable& table_;
  const Dataset& data_;
  OptimizerOptions optimizer_;
  std::size_t num_ranges_;
  std::vector<std::uint32_t> range_begin_;  ///< [ranges + 1] first feature of each
  std::vector<std::uint32_t> splits_;       ///< [batch, ranges + 1] places in an example's features
};

}  // namespace frugal::sparse
