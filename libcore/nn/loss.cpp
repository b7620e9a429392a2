#include "libcore/nn/loss.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

/// sum_i log(1 + exp(x_i)), where s_i = sigmoid(x_i) and positive_sum = sum_i max(x_i, 0). As 1 /
/// (1 + e^-|x|) is max(s, 1 - s), in [1/2, 1], products of 512 of them stay normal doubles and one
/// logarithm serves all.
double softplus_sum(std::span<const float> s, double positive_sum) {
  double sum = positive_sum;
  for (std::size_t begin = 0; begin < s.size(); begin += 512) {
    double product = 1;
    for (const float p : s.subspan(begin, std::min<std::size_t>(512, s.size() - begin))) {
      product *= static_cast<double>(std::max(p, 1 - p));
    }
    sum -= std::log(product);
  }
  return sum;
}

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// The sampled form: a term weighs 1/Q unless the output is one of the example's labels.
double weighted_one_vs_all_loss(std::span<float> logits, std::span<const std::uint32_t> targets,
                                std::span<const float> log_inclusion, float scale) {
  double loss = 0;
  for (const std::uint32_t t : targets) {
    const double x = logits[t];
    const double weight = std::exp(-static_cast<double>(log_inclusion[t]));
    loss += softplus(-x) - weight * softplus(x);  // the loop below adds the second term back
  }
  for (std::size_t j = 0; j < logits.size(); ++j) {
    loss += std::exp(-static_cast<double>(log_inclusion[j])) * softplus(logits[j]);
  }
  kernels().sigmoid(logits.data(), logits.size());
  for (const std::uint32_t t : targets) logits[t] = (logits[t] - 1) * std::exp(log_inclusion[t]);
  for (std::size_t j = 0; j < logits.size(); ++j) logits[j] *= scale * std::exp(-log_inclusion[j]);
  return loss;
}

}  // namespace

LossKind loss_from_name(std::string_view name) {
  if (name == "softmax") return LossKind::softmax;
  if (name == "ova") return LossKind::one_vs_all;
  fail(ExitStatus::usage, "unknown loss '", name, "', expected softmax or ova");
}

std::string_view loss_name(LossKind kind) { return kind == LossKind::softmax ? "softmax" : "ova"; }

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
  if (!log_inclusion.empty())
    return weighted_one_vs_all_loss(logits, targets, log_inclusion, scale);
  double positive_sum = 0;
  for (const float x : logits) positive_sum += static_cast<double>(std::max(x, 0.0F));
  double target_sum = 0;
  for (const std::uint32_t t : targets) target_sum += static_cast<double>(logits[t]);
  kernels().sigmoid(logits.data(), logits.size());
  const double loss = softplus_sum(logits, positive_sum) - target_sum;
  for (const std::uint32_t t : targets) logits[t] -= 1;
  kernels().scale(scale, logits.data(), logits.size());
  return loss;
}

}  // namespace frugal
