#include "tools/tgn-train/serve/prediction_mix.h"

#include <doctest/doctest.h>

#include <vector>

using namespace frugal;
using namespace frugal::tgn;

namespace {

/// A mix by popularity alone, which the network cannot change.
LinkMix popular_mix() {
  std::array<std::array<float, 2>, kMixInputs> ranges;
  ranges.fill({0, 1});
  return {KeyMix(mix_starts()[8], ranges), KeyMix(mix_starts()[8], ranges), 1};
}

/// Destination v from 10 on has had v - 9 events.
void pass_events(PredictionMix& mix) {
  mix.grow(20);
  double time = 0;
  for (NodeId v = 10; v < 16; ++v) {
    for (NodeId i = 0; i + 9 < v; ++i) mix.pass({0, v, 0, ++time});
  }
}

}  // namespace

TEST_CASE("A shortlist keeps the best by keys and says the rank of a node that is none of them") {
  const LinkMix popular = popular_mix();
  PredictionMix mix(&popular);
  pass_events(mix);
  std::vector<NodeId> nodes = {10, 11, 12, 13, 14, 15, 12};
  CHECK(mix.shorten_for_rank({0, 0, 0, 99}, 2, nodes) == 4);
  CHECK(nodes == std::vector<NodeId>{14, 15, 12});
  nodes = {10, 11, 12, 13, 14, 15, 14};
  CHECK(!mix.shorten_for_rank({0, 0, 0, 99}, 2, nodes));
  CHECK(nodes.size() == 3);
  CHECK(nodes.back() == 14);
  nodes = {10, 15, 11, 14, 12, 13};
  mix.shorten_to_best({0, 0, 0, 99}, 3, nodes);
  CHECK(nodes == std::vector<NodeId>{15, 14, 13});
  nodes = {10, 15, 11, 14};
  mix.shorten_to_best({0, 0, 0, 99}, 3, nodes);
  CHECK(nodes == std::vector<NodeId>{15, 11, 14});
  nodes = {10, 15, 11};
  mix.shorten_to_best({0, 0, 0, 99}, 3, nodes);
  CHECK(nodes.size() == 3);
}

TEST_CASE("The asked node does not count as another, and is not ranked by keys if all others fit") {
  const LinkMix popular = popular_mix();
  PredictionMix mix(&popular);
  pass_events(mix);
  std::vector<NodeId> nodes = {10, 11, 12, 10};
  CHECK(!mix.shorten_for_rank({0, 0, 0, 99}, 2, nodes));
  CHECK(nodes == std::vector<NodeId>{11, 12, 10});
  nodes = {10, 11, 12, 13, 10};
  CHECK(mix.shorten_for_rank({0, 0, 0, 99}, 2, nodes) == 4);
}

TEST_CASE("A node that is level with more than fit is ranked by keys, in the middle of them") {
  const LinkMix popular = popular_mix();
  PredictionMix mix(&popular);
  pass_events(mix);
  // Nodes from 16 on have no events.
  std::vector<NodeId> nodes = {15, 16, 17, 18, 19, 18};
  CHECK(mix.shorten_for_rank({0, 0, 0, 99}, 3, nodes) == 3.5);
  nodes = {15, 16, 11, 17, 18, 19, 16};
  CHECK(mix.shorten_for_rank({0, 0, 0, 99}, 4, nodes) == 4.5);
}

TEST_CASE("Answers know the events before them, and are the network's without a mix") {
  const LinkMix popular = popular_mix();
  PredictionMix mix(&popular), none(nullptr);
  CHECK(none.keys() == nullptr);
  mix.grow(20);
  const std::vector<float> network = {5, 6, 7};
  for (PredictionMix* const one : {&mix, &none}) {
    one->expect({0, 11, 0, 1});
    one->expect({1, 11, 0, 2});
    one->expect({2, 11, 0, 2});
  }
  const auto mixed = mix.answers(network);
  CHECK(mixed[1] > mixed[0]);   // 11 has had an event
  CHECK(mixed[2] == mixed[1]);  // the one at the same time is not known
  const auto plain = none.answers(network);
  CHECK(std::vector<float>(plain.begin(), plain.end()) == network);
  std::vector<NodeId> nodes = {1, 2, 3, 4};
  CHECK(!none.shorten_for_rank({0, 0, 0, 9}, 1, nodes));
  CHECK(nodes.size() == 4);
}
