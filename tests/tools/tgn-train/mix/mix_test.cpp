#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "tools/tgn-train/mix/mix_fit.h"

using namespace frugal;
using namespace frugal::tgn;
using doctest::Approx;

namespace {

std::array<std::array<float, 2>, kMixInputs> ranges_to(float last) {
  std::array<std::array<float, 2>, kMixInputs> ranges;
  ranges.fill({0, last});
  return ranges;
}

std::array<float, kMixInputs> nothing() {
  std::array<float, kMixInputs> inputs;
  inputs.fill(kNever);
  return inputs;
}

/// Events whose destination is drawn from a softmax of weighted inputs.
std::vector<MixSample> drawn_samples(std::size_t count, double network, double cooccurrence) {
  std::vector<MixSample> samples;
  Rng rng(3);
  for (std::size_t i = 0; i < count; ++i) {
    MixSample sample;
    sample.event = static_cast<EventId>(i);
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t c = 0; c < 12; ++c) {
      sample.candidates.push_back(static_cast<NodeId>(c));
      sample.counts.push_back(c == 1 ? 0.0F : 1.0F);
      auto inputs = nothing();
      for (std::size_t k = 0; k < kMixInputs; ++k)
        inputs[k] = 8 * static_cast<float>(rng.uniform());
      sample.inputs.insert(sample.inputs.end(), inputs.begin(), inputs.end());
      const auto key = static_cast<std::size_t>(LinkKey::cooccurrence);
      weights.push_back(std::exp(network * inputs[kNetworkInput] + cooccurrence * inputs[key]));
      sum += weights.back();
    }
    double at = sum * rng.uniform();
    std::size_t drawn = 0;
    while (drawn + 1 < weights.size() && (at -= weights[drawn]) > 0) ++drawn;
    const auto row = [&](std::size_t c) {
      return sample.inputs.begin() + static_cast<std::ptrdiff_t>(c * kMixInputs);
    };
    std::swap_ranges(row(0), row(0) + kMixInputs, row(drawn));
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace

TEST_CASE("A function of a mix is linear between its knots, and has a value for never") {
  KeyMix mix(mix_starts()[0], ranges_to(8));
  for (std::size_t w = 0; w < KeyMix::kWeights; ++w) {
    mix.weights[3 * KeyMix::kWeights + w] = static_cast<float>(w * w);
  }
  CHECK(mix.part(3, 0) == 0);
  CHECK(mix.part(3, -5) == 0);
  CHECK(mix.part(3, 2.5F) == Approx(6.5));
  CHECK(mix.part(3, 8) == Approx(64));
  CHECK(mix.part(3, 99) == Approx(64));
  CHECK(mix.part(3, kNever) == Approx(81));
  CHECK(mix.part(3, NAN) == Approx(81));
  CHECK(mix.part(2, 5) == 0);
}

TEST_CASE("A mix begins with the order of its start") {
  auto link = nothing(), older = nothing(), popular = nothing();
  link[static_cast<std::size_t>(LinkKey::link_time)] = 3;
  older[static_cast<std::size_t>(LinkKey::link_time)] = 4;
  popular[static_cast<std::size_t>(LinkKey::destination_time)] = 0;
  KeyMix mix(mix_starts()[0], ranges_to(8));
  CHECK(mix.logit(link.data()) > mix.logit(older.data()));
  CHECK(mix.logit(older.data()) > mix.logit(popular.data()));
  CHECK(mix.logit(popular.data()) > mix.logit(nothing().data()));
  CHECK(mix.logit(link.data()) == Approx(1 + 1 / 4.0));
  std::vector<float> keys(link.begin(), link.begin() + kNumLinkKeys), logits = {NAN};
  mix.mix(keys, logits);
  CHECK(std::isnan(logits[0]));
}

TEST_CASE("A mix of two sources of knowledge is found, and is better than either") {
  const auto samples = drawn_samples(3000, 0.8, 0.8);
  const MixChoice choice = choose_mix(samples, 2000, 7, 1);
  CHECK(choice.predictor == "mix");
  CHECK(choice.start == "cooccurrence,destination_count");
  CHECK(choice.fit_events == 2000);
  CHECK(choice.choice_events == 1000);
  CHECK(choice.mixed.mrr > choice.network.mrr + 0.05);
  CHECK(choice.mixed.mrr > choice.heuristic.mrr + 0.05);
  REQUIRE(choice.mix);
  CHECK(choice.mix->time_unit == 7);
  for (std::size_t w = kNumLinkKeys * KeyMix::kWeights; w < choice.mix->keys.weights.size(); ++w) {
    CHECK(choice.mix->keys.weights[w] == 0);
  }
  REQUIRE(choice.contributions.size() == kMixInputs);
  for (const auto& [name, loss] : choice.contributions) {
    if (name == "network") CHECK(loss > 0.05);
    if (name == "reply_time" || name == "link_count") CHECK(std::abs(loss) < 0.02);
  }
  // The inputs and the seed decide alone.
  const MixChoice again = choose_mix(samples, 2000, 7, 1);
  CHECK(again.mix->mix.weights == choice.mix->mix.weights);
  CHECK(again.mix->keys.weights == choice.mix->keys.weights);
}

TEST_CASE("Where keys know nothing the network answers, where nothing helps the order does") {
  CHECK(choose_mix(drawn_samples(300, 30, 0), 200, 1, 1).predictor == "network");
  CHECK(!choose_mix(drawn_samples(300, 30, 0), 200, 1, 1).mix);
  const MixChoice order = choose_mix(drawn_samples(300, 0, 30), 200, 1, 1);
  CHECK(order.predictor == "heuristic");
  REQUIRE(order.mix);
  const auto samples = drawn_samples(50, 0, 1);
  const auto by_start = merit_of(
      samples, [&](const float* inputs) { return start_score(order.mix->mix.start(), inputs); });
  const auto by_mix =
      merit_of(samples, [&](const float* inputs) { return order.mix->mix.logit(inputs); });
  CHECK(by_mix.mrr == Approx(by_start.mrr));
  CHECK(by_mix.average_precision == Approx(by_start.average_precision));
}

TEST_CASE("The merit estimates the rank among all from candidates that stand for several") {
  MixSample sample{0, {0, 1, 2, 3}, {1, 0, 1, 10}, std::vector<float>(4 * kMixInputs)};
  for (std::size_t c = 0; c < 4; ++c) {
    sample.inputs[c * kMixInputs + kNetworkInput] = std::array{2.0F, 1.0F, 2.0F, 3.0F}[c];
  }
  const MixMerit merit =
      merit_of({&sample, 1}, [](const float* inputs) { return inputs[kNetworkInput]; });
  CHECK(merit.mrr == Approx(1 / 11.5));
  CHECK(merit.average_precision == Approx(1));
}

TEST_CASE("A mix is saved in a model's document and refuses a damaged one") {
  LinkMix mix{KeyMix(mix_starts()[4], ranges_to(5)), KeyMix(mix_starts()[4], ranges_to(3)),
              1 / 3.0};
  mix.mix.scale = 2;
  for (std::size_t w = 0; w < mix.mix.weights.size(); ++w) {
    mix.mix.weights[w] = static_cast<float>(w) / 7;
    mix.keys.weights[w] = static_cast<float>(w) / 9;
  }
  Document document;
  CHECK(!LinkMix::has(document));
  mix.save(document);
  CHECK(LinkMix::has(document));
  const LinkMix loaded = LinkMix::load(document, "m");
  CHECK(loaded.mix.weights == mix.mix.weights);
  CHECK(loaded.keys.weights == mix.keys.weights);
  CHECK(loaded.time_unit == mix.time_unit);
  auto inputs = nothing();
  for (std::size_t i = 0; i < kMixInputs; ++i) inputs[i] = static_cast<float>(i) / 3;
  CHECK(loaded.mix.logit(inputs.data()) == mix.mix.logit(inputs.data()));
  CHECK(loaded.keys.logit(inputs.data()) == mix.keys.logit(inputs.data()));
  const auto refuses = [&](const auto& damage) {
    Document damaged;
    mix.save(damaged);
    LinkMix::load(damaged, "m");
    damage(damaged);
    CHECK_THROWS_AS(LinkMix::load(damaged, "m"), Error);
  };
  refuses([](Document& damaged) { damaged.metadata["tgn.mix_start"] = "fame"; });
  refuses([](Document& damaged) { damaged.metadata["tgn.mix_time_unit"] = "0"; });
  refuses([](Document& damaged) { damaged.at("mix.weights").shape = {1, 1}; });
  for (const char* const name : {"mix.scale", "mix.weights", "mix.ranges", "mix.keys.scale",
                                 "mix.keys.weights", "mix.keys.ranges"}) {
    refuses([&](Document& damaged) { damaged.at(name).name = "another"; });
  }
}
