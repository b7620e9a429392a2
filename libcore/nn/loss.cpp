#include "libcore/nn/loss.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/kernels/kernels.h"

namespace frugal {

LossKind loss_from_name(std::string_view name) {
  const auto found = std::find(kLossNames.begin(), kLossNames.end(), name);
  if (found != kLossNames.end()) return static_cast<LossKind>(found - kLossNames.begin());
  fail(ExitStatus::usage, "unknown loss '", name, "', expected softmax or ova");
}

std::string_view loss_name(LossKind kind) { return kLossNames[static_cast<std::size_t>(kind)]; }

double softmax_loss(std::span<float> logits, std::span<const std::uint32_t> targets,
                    std::span<const float> log_inclusion, float scale) {
  const Kernels& k = kernels();
  const std::size_t n = logits.size();
  if (targets.empty()) {
    std::fill(logits.begin(), logits.end(), 0.0F);
    return 0;
  }
  if (!log_inclusion.empty()) {
    assert(log_inclusion.size() == n);
    k.axpy(-1, log_inclusion.data(), logits.data(), n);
    for (const std::uint32_t t : targets) logits[t] += log_inclusion[t];
  }
  double target_sum = 0;
  for (const std::uint32_t t : targets) target_sum += static_cast<double>(logits[t]);
  const float shift = k.max(logits.data(), n);
  const float sum = k.exp_sum(logits.data(), shift, n);
  k.scale(scale / sum, logits.data(), n);
  const float share = 1 / static_cast<float>(targets.size());
  for (const std::uint32_t t : targets) logits[t] -= scale * share;
  return static_cast<double>(shift) + std::log(static_cast<double>(sum)) -
         target_sum / static_cast<double>(targets.size());
}

double one_vs_all_loss(std::span<float> logits, std::span<const std::uint32_t> targets,
                       std::span<const float> log_inclusion, float scale) {
  if (log_inclusion.empty()) return weighted_one_vs_all_loss(logits, targets, {}, scale);
  assert(log_inclusion.size() == logits.size());
  thread_local std::vector<float> weights;
  weights.resize(logits.size());
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = std::exp(-log_inclusion[j]);
  for (const std::uint32_t t : targets) weights[t] = 1;
  return weighted_one_vs_all_loss(logits, targets, weights, scale);
}

double weighted_one_vs_all_loss(std::span<float> logits, std::span<const std::uint32_t> targets,
                                std::span<const float> weights, float scale) {
  assert(weights.empty() || weights.size() == logits.size());
  double target_sum = 0;
  for (const std::uint32_t t : targets) target_sum += static_cast<double>(logits[t]);
  const Kernels& kernel = kernels();
  const float sum =
      kernel.logistic(logits.data(), weights.empty() ? nullptr : weights.data(), logits.size());
  for (const std::uint32_t t : targets) logits[t] -= 1;
  if (scale != 1) kernel.scale(scale, logits.data(), logits.size());
  return static_cast<double>(sum) - target_sum;
}

}  // namespace frugal
