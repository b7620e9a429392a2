#pragma once
/// The optimisers of libcore/nn/optimizer_rules.cpp on one number, to the bits of instruction sets
/// with a fused multiply-add: which products are fused is written out.
#include "libcore/device/cuda/kernels/step_values.h"
#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

/// first, second: its state; null where the rule has none.
template <Rule kRule>
FRUGAL_DEVICE void step_number(float* number, float* first, float* second, float gradient,
                               float rate, const RuleNumbers& n) {
  if (kRule == Rule::sgd) {
    *number = fmaf(-rate, gradient, *number);
  } else if (kRule == Rule::adagrad) {
    const float h = fmaf(gradient, gradient, *first);
    *first = h;
    *number = *number - rate * gradient / (sqrtf(h) + n.epsilon);
  } else {
    const float m = fmaf(n.beta1, *first, (1 - n.beta1) * gradient);
    const float v = fmaf(n.beta2, *second, (1 - n.beta2) * gradient * gradient);
    *first = m;
    *second = v;
    *number = *number - rate * m / (sqrtf(v) + n.epsilon);
  }
}

/// A layer's parameters [size] with their gradient in `parts` pieces [parts, size], which are added
/// in order; a thread a number.
template <Rule kRule>
FRUGAL_KERNEL step_dense(const StepValues* values, RuleNumbers numbers, float* parameters,
                         float* first, float* second, const float* gradient, std::uint32_t parts,
                         std::uint32_t size) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size || values->frozen != 0) return;
  numbers.epsilon = values->epsilon;
  float sum = gradient[i];
  for (std::uint32_t p = 1; p < parts; ++p) sum += gradient[std::uint64_t{p} * size + i];
  if (numbers.decay != 0) sum = fmaf(numbers.decay, parameters[i], sum);
  step_number<kRule>(parameters + i, first == nullptr ? nullptr : first + i,
                     second == nullptr ? nullptr : second + i, sum, values->network_rate, numbers);
}

}  // namespace frugal::cuda
