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
std::span<const float> KeyOrder::global_keys(const KeyMix& mix, LinkKeys& keys, double time) {
  keys.node_columns(nodes_, time, columns_);
  const std::size_t column = at(mix.start().global) - kFirstNodeKey;
  return std::span(columns_).subspan(column * nodes_.size(), nodes_.size());
}

/// Sets logits_ to those of candidates that have nothing to do with the source.
void KeyOrder::add_node_parts(const KeyMix& mix, LinkKeys& keys, const Candidates& candidates) {
  const std::size_t n = candidates.nodes.size();
  keys.node_columns(candidates.nodes, candidates.time, columns_);
  float without_pair = mix.bias;
  for (const LinkKey key : kMeetingKeys) without_pair += mix.part(at(key), kNever);
  for (std::size_t k = 0; k < kNumNearKeys; ++k)
    without_pair += mix.part(kFirstNearKey + k, kNever);
  logits_.assign(n, without_pair);
  const auto column = [&](std::size_t k) { return std::span(columns_).subspan(k * n, n); };
  const std::span<const float> global = column(at(mix.start().global) - kFirstNodeKey);
  for (std::size_t c = 0; c < n; ++c)
    logits_[c] += mix.scale * global_score(mix.start(), global[c]);
  for (std::size_t k = 0; k < kNumNodeKeys; ++k)
    mix.add_function(kFirstNodeKey + k, column(k), logits_.data());
}

/// Adds the difference that co-occurrence makes to a candidate's logit.
void KeyOrder::add_near_parts(const KeyMix& mix, LinkKeys& keys, const Candidates& candidates) {
  keys.near_columns(candidates.source, candidates.time, nodes_, rows_);
  const std::size_t n = nodes_.size();
  float never = 0;
  for (std::size_t k = 0; k < kNumNearKeys; ++k) never += mix.part(kFirstNearKey + k, kNever);
  sums_.assign(n, 0);
  for (std::size_t k = 0; k < kNumNearKeys; ++k)
    mix.add_function(kFirstNearKey + k, std::span(rows_).subspan(k * n, n), sums_.data());
  for (std::size_t i = 0; i < n; ++i) add_to_pair(nodes_[i], sums_[i] - never);
  if (mix.start().local != MixStart::Local::cooccurrence) return;
  const std::span<const float> global = global_keys(mix, keys, candidates.time);
  std::array<float, kNumLinkKeys> inputs{};
  for (std::size_t i = 0; i < n; ++i) {
    inputs[at(LinkKey::cooccurrence)] = rows_[(at(LinkKey::cooccurrence) - kFirstNearKey) * n + i];
    const float local = local_score(mix.start(), inputs.data());
    if (local > 0)
      add_to_pair(nodes_[i], mix.scale * (1 + local - global_score(mix.start(), global[i])));
  }
}

/// Adds the difference that an earlier event of the pair makes.
void KeyOrder::add_meeting_parts(const KeyMix& mix, LinkKeys& keys, const Candidates& candidates) {
  keys.meeting_rows(candidates.source, candidates.time, nodes_, rows_);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const float* const row = rows_.data() + i * kNumLinkKeys;
    float part = 0;
    for (const LinkKey key : kMeetingKeys)
      part += mix.part(at(key), row[at(key)]) - mix.part(at(key), kNever);
    add_to_pair(nodes_[i], part);
  }
  using Local = MixStart::Local;
  if (mix.start().local != Local::link && mix.start().local != Local::pair) return;
  const std::span<const float> global = global_keys(mix, keys, candidates.time);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const float local = local_score(mix.start(), rows_.data() + i * kNumLinkKeys);
    if (local > 0)
      add_to_pair(nodes_[i], mix.scale * (1 + local - global_score(mix.start(), global[i])));
  }
}

std::span<const float> KeyOrder::logits(const KeyMix& mix, LinkKeys& keys,
                                        const Candidates& candidates) {
  add_node_parts(mix, keys, candidates);
  add_near_parts(mix, keys, candidates);
  add_meeting_parts(mix, keys, candidates);
  for (std::size_t c = 0; c < logits_.size(); ++c) {
    const NodeId node = candidates.nodes[c];
    if (node < pair_parts_.size()) logits_[c] += pair_parts_[node];
  }
  for (const NodeId node : pairs_) pair_parts_[node] = 0;
  pairs_.clear();
  return logits_;
}

Shortlist KeyOrder::shortlist(const KeyMix& mix, LinkKeys& keys, const Candidates& candidates,
                              std::size_t count) {
  const std::span<const float> all = logits(mix, keys, candidates);
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
