#include "tools/tgn-train/mix/shortlist.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "libcore/base/rng.h"

using namespace frugal;
using namespace frugal::tgn;
using doctest::Approx;

namespace {

constexpr std::size_t kShortlistNodes = 300;

/// A history in which nodes are sources and destinations, meet again, and forget old partners.
LinkKeys history(double& time) {
  LinkKeys keys(2, kShortlistNodes);
  Rng rng(7);
  for (int i = 0; i < 4000; ++i) {
    time += static_cast<double>(rng.below(3));
    const auto source = static_cast<NodeId>(rng.below(4));
    const auto popular = static_cast<NodeId>(rng.below(1 + rng.below(kShortlistNodes - 50)));
    keys.add(source, popular, time);
    if (i % 3 == 0) keys.add(popular, source, time);
  }
  return keys;
}

KeyMix random_mix(const MixStart& start) {
  std::array<std::array<float, 2>, kMixInputs> ranges;
  for (std::size_t i = 0; i < kMixInputs; ++i)
    ranges[i] = {-1.0F - static_cast<float>(i) / 4, 5.0F + static_cast<float>(i) / 8};
  KeyMix mix(start, ranges);
  Rng rng(8);
  for (float& weight : mix.weights) weight = static_cast<float>(rng.uniform(-1, 1));
  mix.scale = 0.7F;
  mix.bias = -0.3F;
  return mix;
}

std::vector<NodeId> candidates_of_all() {
  std::vector<NodeId> nodes(kShortlistNodes);
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  Rng rng(9);
  for (std::size_t i = kShortlistNodes; i-- > 1;) std::swap(nodes[i], nodes[rng.below(i + 1)]);
  return nodes;
}

float key_of(const std::vector<float>& rows, std::size_t row, std::size_t key) {
  return rows[row * kNumLinkKeys + key];
}

bool same(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

TEST_CASE("Keys in parts have the bits of whole rows") {
  double time = 0;
  LinkKeys keys = history(time);
  const std::vector<NodeId> all = candidates_of_all();
  for (const NodeId source : {NodeId{0}, NodeId{3}, NodeId{40}, NodeId{299}}) {
    std::vector<float> rows, nodes_apart, near_apart, meetings;
    std::vector<NodeId> near, met;
    keys.keys(source, all, time + 5, rows);
    keys.node_columns(all, time + 5, nodes_apart);
    keys.near_columns(source, time + 5, near, near_apart);
    keys.meeting_rows(source, time + 5, met, meetings);
    std::size_t wrong = 0;
    for (std::size_t c = 0; c < all.size(); ++c) {
      for (std::size_t k = 0; k < kNumNodeKeys; ++k)
        wrong += same(key_of(rows, c, kFirstNodeKey + k), nodes_apart[k * all.size() + c]) ? 0 : 1;
      const auto at_near = std::find(near.begin(), near.end(), all[c]);
      for (std::size_t k = 0; k < kNumNearKeys; ++k) {
        const auto i = static_cast<std::size_t>(at_near - near.begin());
        const float apart = at_near == near.end() ? kNever : near_apart[k * near.size() + i];
        wrong += same(key_of(rows, c, kFirstNearKey + k), apart) ? 0 : 1;
      }
      const auto at_met = std::find(met.begin(), met.end(), all[c]);
      for (const LinkKey key : kMeetingKeys) {
        const auto k = static_cast<std::size_t>(key);
        const auto i = static_cast<std::size_t>(at_met - met.begin());
        const float apart = at_met == met.end() ? kNever : key_of(meetings, i, k);
        wrong += same(key_of(rows, c, k), apart) ? 0 : 1;
      }
    }
    CAPTURE(source);
    CHECK(wrong == 0);
    CHECK(std::is_sorted(met.begin(), met.end()));
    CHECK(std::adjacent_find(met.begin(), met.end()) == met.end());
    CHECK((source == 299) == near.empty());
  }
}

TEST_CASE("A function in vector instructions is the one of a single value") {
  const KeyMix mix = random_mix(mix_starts()[0]);
  std::vector<float> x = {kNever, -1e30F, 1e30F, 0};
  Rng rng(3);
  for (int i = 0; i < 1000; ++i) x.push_back(static_cast<float>(rng.uniform(-8, 12)));
  for (std::size_t input = 0; input < kMixInputs; ++input) {
    std::vector<float> sums(x.size(), 0.25F);
    mix.add_function(input, x, sums.data());
    float largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      largest = std::max(largest, std::abs(sums[i] - 0.25F - mix.part(input, x[i])));
    CHECK(largest < 1e-5F);
  }
}

TEST_CASE("Logits of many candidates are those of their whole keys, with every start") {
  double time = 0;
  LinkKeys keys = history(time);
  const std::vector<NodeId> all = candidates_of_all();
  KeyOrder order;
  for (const MixStart& start : mix_starts()) {
    KeyMix mix = random_mix(start);
    const auto network = mix.weights.begin() + kNetworkInput * KeyMix::kWeights;
    std::fill(network, mix.weights.end(), 0.0F);
    for (const NodeId source : {NodeId{0}, NodeId{2}, NodeId{40}, NodeId{299}}) {
      std::vector<float> rows;
      keys.keys(source, all, time + 1, rows);
      const auto logits = order.logits(mix, std::array{Candidates{&keys, source, time + 1, all}});
      float largest = 0;
      for (std::size_t c = 0; c < all.size(); ++c) {
        std::array<float, kMixInputs> inputs{};
        std::copy_n(rows.data() + c * kNumLinkKeys, kNumLinkKeys, inputs.begin());
        largest = std::max(largest, std::abs(logits[c] - mix.logit(inputs.data())));
      }
      CAPTURE(start.name);
      CAPTURE(source);
      CHECK(largest < 2e-5F);
    }
  }
}

TEST_CASE("A shortlist has the best candidates after the first, and counts those above it") {
  double time = 0;
  LinkKeys keys = history(time);
  const std::vector<NodeId> all = candidates_of_all();
  const KeyMix mix = random_mix(mix_starts()[3]);
  KeyOrder order;
  const std::array candidates{Candidates{&keys, 1, time + 1, all}};
  const auto span = order.logits(mix, candidates);
  const std::vector<float> logits(span.begin(), span.end());
  std::vector<std::size_t> by_logit(kShortlistNodes - 1);
  std::iota(by_logit.begin(), by_logit.end(), std::size_t{1});
  std::stable_sort(by_logit.begin(), by_logit.end(),
                   [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  for (const std::size_t count : {std::size_t{1}, std::size_t{20}, kShortlistNodes - 2,
                                  kShortlistNodes, 5 * kShortlistNodes}) {
    const Shortlist list = order.shortlist(mix, candidates, count);
    std::vector<std::size_t> best(
        by_logit.begin(),
        by_logit.begin() + static_cast<std::ptrdiff_t>(std::min(count, by_logit.size())));
    std::sort(best.begin(), best.end());
    CHECK(list.best == best);
    CHECK(list.above ==
          static_cast<std::uint64_t>(std::count_if(logits.begin() + 1, logits.end(),
                                                   [&](float x) { return x > logits[0]; })));
    CHECK(list.has_first(count) == (list.above + list.equal < count));
  }
}

TEST_CASE("Of level candidates, a shortlist keeps the earlier ones") {
  LinkKeys keys(1, 6);
  keys.add(0, 3, 1);
  const KeyMix mix(mix_starts()[0], std::array<std::array<float, 2>, kMixInputs>{});
  KeyOrder order;
  const std::vector<NodeId> nodes = {1, 5, 4, 3, 2};
  const Shortlist list = order.shortlist(mix, std::array{Candidates{&keys, 2, 9, nodes}}, 2);
  CHECK(list.best == std::vector<std::size_t>{1, 3});  // 5 and, with an event, 3
  CHECK(list.above == 1);
  CHECK(list.equal == 3);
  CHECK(!list.has_first(2));
  CHECK(list.has_first(5));
  // A candidate that is there twice is level with itself.
  const std::vector<NodeId> twice = {3, 4, 3};
  CHECK(order.shortlist(mix, std::array{Candidates{&keys, 0, 9, twice}}, 1).equal == 1);
}
