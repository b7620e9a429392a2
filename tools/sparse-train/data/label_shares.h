#pragma once
#include <vector>

namespace frugal::sparse {

/// What makes up a label's score before it becomes a probability: the shares of the example's
/// features and `rest`, what the biases give, add up to `total`.
struct LabelShares {
  std::vector<float> features;  ///< parallel to the features of the example
  float rest = 0;
  float total = 0;
};

}  // namespace frugal::sparse
