#pragma once
/// The optimisers of libcore/nn/optimizer_rules.cpp on one number. Fused products are written out,
/// so that results are bitwise equal to those of instruction sets with a fused multiply-add.
#include <type_traits>

#include "libcore/device/cuda/kernels/mma_tile.h"
#include "libcore/device/cuda/kernels/step_values.h"
#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

/// Optimisers, with what engines ask about them. A new one is a value, its facts and its step
/// below.
enum class Rule : int { sgd, adagrad, adam };
struct RuleFacts {
  const char* name;
  std::uint32_t num_states;
  /// A row of a table is stepped by one factor of its gradient, and has at most one number of
  /// state.
  bool by_factor;
};
inline constexpr RuleFacts kRuleFacts[] = {
    {"sgd", 0, true}, {"adagrad", 1, true}, {"adam", 2, false}};
inline constexpr int kRules = sizeof kRuleFacts / sizeof kRuleFacts[0];
constexpr const RuleFacts& facts_of(Rule rule) { return kRuleFacts[static_cast<int>(rule)]; }
template <Rule kRule>
inline constexpr std::uint32_t kNumStates = facts_of(kRule).num_states;
template <Rule kRule>
inline constexpr bool kByFactor = facts_of(kRule).by_factor;

/// Calls body(std::integral_constant<Rule, rule>).
template <int kRule = 0, class Body>
void with_rule(Rule rule, const Body& body) {
  if (static_cast<int>(rule) == kRule) return body(std::integral_constant<Rule, Rule{kRule}>());
  if constexpr (kRule + 1 < kRules) with_rule<kRule + 1>(rule, body);
}

/// Steps one number. first, second: its state; null if the rule has none.
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

/// Parameters [size] to step. Their gradient has `parts` parts [parts, size], which are added in
/// order.
struct StepEntry {
  const StepValues* values;
  float *parameters, *first, *second;  ///< parameters and their states; null if the rule has none
  const float* gradient;
  std::uint16_t* half;  ///< bf16 copy to renew, in rows of `columns` at `half_stride`; or null
  std::uint32_t parts, size, columns, half_stride;
  float decay;                ///< multiple of the parameters that is added to the gradient
  std::uint32_t first_block;  ///< first block of the grid that steps it
};

/// Entries of one launch. As a kernel argument the table must not exceed 4 KiB.
inline constexpr std::uint32_t kStepEntries = 48;
struct StepTable {
  StepEntry entries[kStepEntries];
  std::uint32_t count;
};

/// Steps all entries; one thread per parameter.
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
