#pragma once
/// The optimisers of libcore/nn/optimizer_rules.cpp on one number, to the bits of instruction sets
/// with a fused multiply-add: which products are fused is written out.
#include "libcore/device/cuda/kernels/mma_tile.h"
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

/// Parameters [size] that a step changes, by their gradient in `parts` pieces [parts, size], which
/// are added in order.
struct StepEntry {
  const StepValues* values;
  float *parameters, *first, *second;  ///< and their state; null where the rule has none
  const float* gradient;
  std::uint16_t* half;  ///< a copy in bf16, in rows of `columns` at `half_stride`; or null
  std::uint32_t parts, size, columns, half_stride;
  float decay;                ///< how much of the parameters is added to their gradient
  std::uint32_t first_block;  ///< of the grid's
};

/// All that one launch steps; as an argument of a kernel it has at most 4 KiB.
inline constexpr std::uint32_t kStepEntries = 48;
struct StepTable {
  StepEntry entries[kStepEntries];
  std::uint32_t count;
};

/// A thread a parameter.
template <Rule kRule>
FRUGAL_KERNEL step_all(const FRUGAL_CONSTANT StepTable table, RuleNumbers numbers) {
  std::uint32_t e = 0;
  while (e + 1 < table.count && blockIdx.x >= table.entries[e + 1].first_block) ++e;
  const StepEntry& entry = table.entries[e];
  const std::uint32_t i = (blockIdx.x - entry.first_block) * blockDim.x + threadIdx.x;
  if (i >= entry.size || entry.values->frozen != 0) return;
  numbers.epsilon = entry.values->epsilon;
  float sum = entry.gradient[i];
  for (std::uint32_t p = 1; p < entry.parts; ++p) {
    sum += entry.gradient[std::uint64_t{p} * entry.size + i];
  }
  if (entry.decay != 0) sum = fmaf(entry.decay, entry.parameters[i], sum);
  step_number<kRule>(entry.parameters + i, entry.first == nullptr ? nullptr : entry.first + i,
                     entry.second == nullptr ? nullptr : entry.second + i, sum,
                     entry.values->network_rate, numbers);
  if (entry.half == nullptr) return;
  entry.half[std::uint64_t{i / entry.columns} * entry.half_stride + i % entry.columns] =
      rounded_to_bf16(entry.parameters[i]);
}

}  // namespace frugal::cuda
