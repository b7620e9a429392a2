#pragma once

namespace frugal::gnn {

/// Scale of numbers to predict: a model's output for a node is (value - mean) / deviation, with the
/// mean and the deviation of the training nodes' values.
struct ValueScale {
  double mean = 0, deviation = 1;  ///< deviation > 0

  double scaled(double value) const { return (value - mean) / deviation; }
  double value(double output) const { return mean + deviation * output; }
};

}  // namespace frugal::gnn
