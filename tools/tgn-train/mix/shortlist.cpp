#include "tools/tgn-train/mix/shortlist.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

namespace frugal::tgn {
namespace {

constexpr std::size_t at(LinkKey key) { return static_cast<std::size_t>(key); }

}  // namespace

void KeyOrder::add_to_pair(NodeId node, float part) {
  if (node >= pair_parts_.size()) pair_parts_.resize(std::size_t{node} + 1);
  pair_parts_[node] += part;
  pairs_.push_back(node);
}

/// The start's global key of nodes_.
std::span<const float> KeyOrder::global_keys(const Block& block) {
  block.candidates.keys->node_columns(nodes_, block.candidates.time, columns_);
  const std::size_t column = at(block.mix.start().global) - kFirstNodeKey;
  return std::span(columns_).subspan(column * nodes_.size(), nodes_.size());
}

/// Adds the logits of candidates that have nothing to do with the source.
void KeyOrder::add_node_parts(const Block& block) {
  const KeyMix& mix = block.mix;
  const std::size_t n = block.candidates.nodes.size();
  block.candidates.keys->node_columns(block.candidates.nodes, block.candidates.time, columns_);
  float without_pair = block.first == 0 ? mix.bias : 0;
  for (const LinkKey key : kMeetingKeys) without_pair += block.part(at(key), kNever);
  for (std::size_t k = 0; k < kNumNearKeys; ++k)
    without_pair += block.part(kFirstNearKey + k, kNever);
  for (float& logit : logits_) logit += without_pair;
  const auto column = [&](std::size_t k) { return std::span(columns_).subspan(k * n, n); };
  if (block.has_start()) {
    const std::span<const float> global = column(at(mix.start().global) - kFirstNodeKey);
    for (std::size_t c = 0; c < n; ++c)
      logits_[c] += mix.scale * global_score(mix.start(), global[c]);
  }
  for (std::size_t k = 0; k < kNumNodeKeys; ++k)
    mix.add_function(block.first + kFirstNodeKey + k, column(k), logits_.data());
}

/// Adds the difference that co-occurrence makes to a candidate's logit.
void KeyOrder::add_near_parts(const Block& block) {
  const KeyMix& mix = block.mix;
  block.candidates.keys->near_columns(block.candidates.source, block.candidates.time, nodes_,
                                      rows_);
  const std::size_t n = nodes_.size();
  float never = 0;
  for (std::size_t k = 0; k < kNumNearKeys; ++k) never += block.part(kFirstNearKey + k, kNever);
  sums_.assign(n, 0);
  for (std::size_t k = 0; k < kNumNearKeys; ++k) {
    mix.add_function(block.first + kFirstNearKey + k, std::span(rows_).subspan(k * n, n),
                     sums_.data());
  }
  for (std::size_t i = 0; i < n; ++i) add_to_pair(nodes_[i], sums_[i] - never);
  if (!block.has_start() || mix.start().local != MixStart::Local::cooccurrence) return;
  const std::span<const float> global = global_keys(block);
  std::array<float, kTypedMixInputs> inputs{};
  for (std::size_t i = 0; i < n; ++i) {
    inputs[block.first + at(LinkKey::cooccurrence)] =
        rows_[(at(LinkKey::cooccurrence) - kFirstNearKey) * n + i];
    const float local = local_score(mix.start(), inputs.data());
    if (local > 0)
      add_to_pair(nodes_[i], mix.scale * (1 + local - global_score(mix.start(), global[i])));
  }
}

/// Adds the difference that an earlier event of the pair makes.
void KeyOrder::add_meeting_parts(const Block& block) {
  const KeyMix& mix = block.mix;
  block.candidates.keys->meeting_rows(block.candidates.source, block.candidates.time, nodes_,
                                      rows_);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const float* const row = rows_.data() + i * kNumLinkKeys;
    float part = 0;
    for (const LinkKey key : kMeetingKeys)
      part += block.part(at(key), row[at(key)]) - block.part(at(key), kNever);
    add_to_pair(nodes_[i], part);
  }
  using Local = MixStart::Local;
  const Local start = block.has_start() ? mix.start().local : Local::none;
  if (start != Local::link && start != Local::pair) return;
  const std::span<const float> global = global_keys(block);
  std::array<float, kTypedMixInputs> inputs{};
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::copy_n(rows_.data() + i * kNumLinkKeys, kNumLinkKeys, inputs.data() + block.first);
    const float local = local_score(mix.start(), inputs.data());
    if (local > 0)
      add_to_pair(nodes_[i], mix.scale * (1 + local - global_score(mix.start(), global[i])));
  }
}

std::span<const float> KeyOrder::logits(const KeyMix& mix, std::span<const Candidates> candidates) {
  logits_.assign(candidates.front().nodes.size(), 0);
  for (std::size_t b = 0; b < candidates.size(); ++b) {
    const Block block{mix, candidates[b], b * kTypedInput};
    add_node_parts(block);
    add_near_parts(block);
    add_meeting_parts(block);
    for (std::size_t c = 0; c < logits_.size(); ++c) {
      const NodeId node = candidates[b].nodes[c];
      if (node < pair_parts_.size()) logits_[c] += pair_parts_[node];
    }
    for (const NodeId node : pairs_) pair_parts_[node] = 0;
    pairs_.clear();
  }
  return logits_;
}

Shortlist KeyOrder::shortlist(const KeyMix& mix, std::span<const Candidates> candidates,
                              std::size_t count) {
  const std::span<const float> all = logits(mix, candidates);
  const float first = all[0];
  const std::span<const float> others = all.subspan(1);
  Shortlist list;
  for (const float logit : others) {
    list.above += logit > first ? 1 : 0;
    list.equal += logit == first ? 1 : 0;
  }
  // The worst of the best, and how many that are level with it are among them.
  float worst = -std::numeric_limits<float>::infinity();
  std::size_t level = others.size();
  if (others.size() > count && count > 0) {
    best_.assign(others.begin(), others.end());
    const auto last = best_.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(best_.begin(), last, best_.end(), std::greater<>());
    worst = *last;
    level = count - static_cast<std::size_t>(
                        std::count_if(best_.begin(), last, [&](float x) { return x > worst; }));
  }
  for (std::size_t c = 0; c < others.size() && list.best.size() < count; ++c) {
    if (others[c] < worst || (others[c] == worst && level == 0)) continue;
    if (others[c] == worst) --level;
    list.best.push_back(c + 1);
  }
  return list;
}

}  // namespace frugal::tgn
