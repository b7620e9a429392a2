#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace frugal {

/// softmax: cross-entropy with the target mass shared equally by an example's labels (SLIDE, Chen
/// et al., MLSys 2020). one_vs_all: an independent logistic loss for each label.
enum class LossKind { softmax, one_vs_all };
inline constexpr std::array<std::string_view, 2> kLossNames = {"softmax", "ova"};

/// "softmax" or "ova"; fails (usage) on anything else, naming these.
LossKind loss_from_name(std::string_view name);
std::string_view loss_name(LossKind kind);

/// Loss of one example, and its gradient in place: logits [n] become scale * d loss / d logits.
/// targets: positions in [0, n) of the example's labels, without repetition; none: softmax has loss
/// and gradient 0, one-vs-all pushes every logit down.
///
/// Where the n outputs were sampled from more, `log_inclusion` [n] holds log Q of each output's
/// probability to be among them, else it is empty. An output that is there by chance stands for 1/Q
/// outputs: softmax subtracts log Q from its logit (Bengio, Senecal, 2008), one-vs-all weighs its
/// term by 1/Q. The example's own labels are there for certain and are left as they are.
double softmax_loss(std::span<float> logits, std::span<const std::uint32_t> targets,
                    std::span<const float> log_inclusion, float scale);
double one_vs_all_loss(std::span<float> logits, std::span<const std::uint32_t> targets,
                       std::span<const float> log_inclusion, float scale);

/// One-vs-all with the weight of each output's term given; those of the targets are 1. weights:
/// [n], or empty: all 1.
double weighted_one_vs_all_loss(std::span<float> logits, std::span<const std::uint32_t> targets,
                                std::span<const float> weights, float scale);

inline double loss_and_gradient(LossKind kind, std::span<float> logits,
                                std::span<const std::uint32_t> targets,
                                std::span<const float> log_inclusion, float scale) {
  return kind == LossKind::softmax ? softmax_loss(logits, targets, log_inclusion, scale)
                                   : one_vs_all_loss(logits, targets, log_inclusion, scale);
}

}  // namespace frugal
