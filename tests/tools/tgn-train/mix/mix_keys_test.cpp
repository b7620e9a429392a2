#include "tools/tgn-train/mix/mix_keys.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/text_file.h"
#include "tests/tools/tgn-train/evaluation/small_events.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr std::uint16_t kSomeTypes = 3;

MixEvent typed_event(const SmallEvents& small, std::size_t e) {
  return {small.sources[e], small.destinations[e],
          static_cast<std::uint16_t>(Rng(3, e).below(kSomeTypes)),
          static_cast<double>(small.times[e] - small.times[0])};
}

std::vector<NodeId> nodes_from_8(std::size_t count) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back(static_cast<NodeId>(8 + i));
  return nodes;
}

}  // namespace

TEST_CASE("Keys within a type are those of a stream of that type, of what only its events decide") {
  const SmallEvents small = drawn_events(400, 12, 5);
  const std::vector<NodeId> candidates = nodes_from_8(14);
  MixKeys keys(2, true, 30);
  std::vector<LinkKeys> of_type(kSomeTypes, LinkKeys(2, 30));
  std::vector<float> both, plain;
  LinkKeys all(2, 30);
  for (std::size_t e = 0; e < 400; ++e) {
    const MixEvent event = typed_event(small, e);
    keys.keys(event, candidates, both);
    REQUIRE(both.size() == candidates.size() * 2 * kNumLinkKeys);
    all.keys(event.source, candidates, event.time, plain);
    std::size_t wrong = 0;
    const auto compare = [&](std::size_t offset, LinkKey key) {
      const auto k = static_cast<std::size_t>(key);
      for (std::size_t c = 0; c < candidates.size(); ++c) {
        const float got = both[(2 * c) * kNumLinkKeys + offset + k];
        wrong += got == plain[c * kNumLinkKeys + k] ? 0 : 1;
      }
    };
    for (std::size_t k = 0; k < kNumLinkKeys; ++k) compare(0, static_cast<LinkKey>(k));
    of_type[event.type].keys(event.source, candidates, event.time, plain);
    for (const LinkKey key : {LinkKey::link_time, LinkKey::link_count, LinkKey::destination_time,
                              LinkKey::destination_count}) {
      compare(kNumLinkKeys, key);
    }
    CAPTURE(e);
    REQUIRE(wrong == 0);
    keys.add(event);
    all.add(event.source, event.destination, event.time);
    of_type[event.type].add(event.source, event.destination, event.time);
  }
}

TEST_CASE("Likely destinations within a type include its popular ones, however few it has") {
  constexpr std::uint16_t kCommon = 0, kRare = 1, kUnseen = 2;
  MixKeys keys(2, true, 300);
  double time = 0;
  for (NodeId node = 208; node < 218; ++node) keys.add({1, node, kRare, ++time});
  Rng rng(4);
  for (int e = 0; e < 3000; ++e) {
    const auto source = static_cast<NodeId>(1 + rng.below(7));
    keys.add({source, static_cast<NodeId>(8 + rng.below(200)), kCommon, ++time});
  }
  const auto of_rare = [&](std::uint16_t type) {
    std::vector<NodeId> nodes;
    keys.likely({5, 8, type, time}, nodes);
    CHECK(std::is_sorted(nodes.begin(), nodes.end()));
    return std::count_if(nodes.begin(), nodes.end(), [](NodeId node) { return node >= 208; });
  };
  CHECK(of_rare(kRare) == 10);
  CHECK(of_rare(kCommon) == 0);
  CHECK(of_rare(kUnseen) == 0);
}

TEST_CASE("A shortlist orders by the logits of both kinds of keys, before and after a file") {
  const SmallEvents small = drawn_events(400, 12, 5);
  MixKeys keys(2, true, 30);
  for (std::size_t e = 0; e < 399; ++e) keys.add(typed_event(small, e));
  std::vector<std::array<float, 2>> ranges;
  for (std::size_t i = 0; i < kTypedMixInputs; ++i) ranges.push_back({-1, 6});
  const std::vector<NodeId> candidates = nodes_from_8(20);
  Document document;
  keys.save(document, 30);
  MixKeys loaded(2, true);
  loaded.load(document, "state", 30);
  for (const MixStart& start : mix_starts(true)) {
    KeyMix mix(start, ranges);
    Rng rng(8);
    for (float& weight : mix.weights) weight = static_cast<float>(rng.uniform(-1, 1));
    const auto network = mix.weights.begin() + kNetworkInput * KeyMix::kWeights;
    std::fill_n(network, KeyMix::kWeights, 0.0F);
    const MixEvent asked = typed_event(small, 399);
    std::vector<float> rows;
    keys.keys(asked, candidates, rows);
    std::vector<float> logits(candidates.size());
    mix.mix(rows, logits);
    std::vector<std::size_t> order;
    for (std::size_t c = 1; c < candidates.size(); ++c) order.push_back(c);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
    order.resize(6);
    std::sort(order.begin(), order.end());
    CAPTURE(start.name);
    CHECK(keys.shortlist(mix, asked, candidates, 6).best == order);
    CHECK(loaded.shortlist(mix, asked, candidates, 6).best == order);
  }
}

TEST_CASE("Roles that a file cannot have are refused") {
  const SmallEvents small = drawn_events(40, 12, 5);
  MixKeys keys(2, true, 30);
  for (std::size_t e = 0; e < 40; ++e) keys.add(typed_event(small, e));
  Document document;
  keys.save(document, 30);
  for (const std::uint64_t role : {std::uint64_t{30} << 17, std::uint64_t{0}}) {
    for (Tensor& tensor : document.tensors) {
      if (tensor.name != "typed.roles") continue;
      auto roles = tensor.as<std::uint64_t>();
      roles[0] = role == 0 ? roles[1] : role;
    }
    MixKeys loaded(2, true);
    CHECK(error_of([&] { loaded.load(document, "state", 30); }) ==
          "65 state: tensor 'typed.roles' has a role twice, or a node that the stream does not "
          "have");
  }
}
