#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace frugal {

/// Loss function. softmax: cross-entropy whose target mass is shared equally by an example's labels
/// (SLIDE, Chen et al., MLSys 2020). one_vs_all: an independent logistic loss for each label.
enum class LossKind { softmax, one_vs_all };
inline constexpr std::array<std::string_view, 2> kLossNames = {"softmax", "ova"};

/// "softmax" or "ova". Fails (usage) on anything else and lists these.
LossKind loss_from_name(std::string_view name);
std::string_view loss_name(LossKind kind);

/// Computes the loss of one example and its gradient in place: logits [n] become scale * d loss / d
/// logits. targets: positions in [0, n) of the example's labels, distinct. Without targets, softmax
/// has loss and gradient 0, and one-vs-all lowers every logit.
///
/// If the n outputs are a sample, `log_inclusion` [n] holds the logarithm of each output's
/// inclusion probability Q; otherwise it is empty. An output sampled with probability Q stands for
/// 1/Q outputs: softmax subtracts log Q from its logit (Bengio, Senecal, 2008), one-vs-all weights
/// its term by 1/Q. The example's own labels are always included, and are not corrected.
double softmax_loss(std::span<float> logits, std::span<const std::uint32_t> targets,
                    std::span<const float> log_inclusion, float scale);
double one_vs_all_loss(std::span<float> logits, std::span<const std::uint32_t> targets,
                       std::span<const float> log_inclusion, float scale);

/// One-vs-all loss with given weights of the outputs' terms; targets have weight 1. weights: [n],
/// or empty: all 1.
double weighted_one_vs_all_loss(std::span<float> logits, std::span<const std::uint32_t> targets,
                                std::span<const float> weights, float scale);

inline double loss_and_gradient(LossKind kind, std::span<float> logits,
                                std::span<const std::uint32_t> targets,
                                std::span<const float> log_inclusion, float scale) {
  return kind == LossKind::softmax ? softmax_loss(logits, targets, log_inclusion, scale)
                                   : one_vs_all_loss(logits, targets, log_inclusion, scale);
}

}  // namespace frugal
