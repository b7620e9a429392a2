#include "libcore/parallel/joint_gradient.h"

#include <span>
#include <utility>

namespace frugal {

void JointGradient::add(std::vector<float> gradient, std::vector<double> figures) {
  gradients_.add(std::move(gradient));
  figures_.add(std::move(figures));
}

std::vector<double> JointGradient::take_figures(std::size_t size) {
  std::vector<double> sum = figures_.take(size);
  ranks_.all_reduce_sum(std::span(sum));
  return sum;
}

std::vector<float> JointGradient::take_mean(std::size_t size, std::uint64_t batches) {
  std::vector<float> mean = gradients_.take(size);
  if (batches == 0) return mean;
  ranks_.all_reduce_sum(std::span(mean), type_);
  const float share = 1 / static_cast<float>(batches);
  for (float& x : mean) x *= share;
  return mean;
}

}  // namespace frugal
