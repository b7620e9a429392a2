#include "tools/tgn-train/mix/key_mix.h"

#include <algorithm>
#include <cmath>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/state_tensors.h"
#include "libcore/options/option_fields.h"

namespace frugal::tgn {
namespace {

constexpr char kMixPrefix[] = "tgn.mix_", kStartKey[] = "tgn.mix_start";
constexpr char kMixRanges[] = "ranges", kMixWeights[] = "weights", kMixScale[] = "scale";

using Local = MixStart::Local;

constexpr std::size_t kPlainStarts = 12;
constexpr MixStart kStarts[] = {
    {"link_recency,destination_recency", Local::link, LinkKey::destination_time},
    {"link_recency,activity_recency", Local::link, LinkKey::activity_time},
    {"link_recency,popularity_1000", Local::link, LinkKey::popularity_1000},
    {"link_recency,popularity_10000", Local::link, LinkKey::popularity_10000},
    {"pair_recency,destination_recency", Local::pair, LinkKey::destination_time},
    {"pair_recency,activity_recency", Local::pair, LinkKey::activity_time},
    {"pair_recency,popularity_1000", Local::pair, LinkKey::popularity_1000},
    {"pair_recency,popularity_10000", Local::pair, LinkKey::popularity_10000},
    {"popularity_100", Local::none, LinkKey::popularity_100},
    {"popularity_1000", Local::none, LinkKey::popularity_1000},
    {"popularity_10000", Local::none, LinkKey::popularity_10000},
    {"cooccurrence,destination_count", Local::cooccurrence, LinkKey::destination_count},
    {"typed_link_recency,destination_recency", Local::link, LinkKey::destination_time, true},
    {"typed_link_recency,popularity_1000", Local::link, LinkKey::popularity_1000, true},
    {"typed_link_recency,popularity_10000", Local::link, LinkKey::popularity_10000, true},
    {"typed_popularity_100", Local::none, LinkKey::popularity_100, true},
    {"typed_popularity_1000", Local::none, LinkKey::popularity_1000, true},
    {"typed_popularity_10000", Local::none, LinkKey::popularity_10000, true},
    {"typed_cooccurrence,destination_count", Local::cooccurrence, LinkKey::destination_count,
     true}};

float closeness(float key) { return key == kNever ? 0 : 1 / (1 + key); }

/// Metadata of a mix.
OptionFields described(std::string& start, double& time_unit, bool typed) {
  OptionFields f;
  std::vector<std::string> names;
  for (const MixStart& one : mix_starts(typed)) names.emplace_back(one.name);
  f.add("start", start).choices(names);
  f.add("time_unit", time_unit).finite().positive();
  return f;
}

}  // namespace

std::string mix_input_name(std::size_t input) {
  if (input >= kTypedInput) return std::string("typed_") + kLinkKeyNames[input - kTypedInput];
  return input == kNetworkInput ? "network" : kLinkKeyNames[input];
}

std::span<const MixStart> mix_starts(bool typed) {
  return std::span(kStarts).first(typed ? std::size(kStarts) : kPlainStarts);
}

float local_score(const MixStart& start, const float* inputs) {
  const auto key = [&](LinkKey of) {
    return inputs[start.first_input() + static_cast<std::size_t>(of)];
  };
  switch (start.local) {
    case Local::link: return closeness(key(LinkKey::link_time));
    case Local::pair:
      return std::max(closeness(key(LinkKey::link_time)), closeness(key(LinkKey::reply_time)));
    case Local::cooccurrence:
      return key(LinkKey::cooccurrence) == kNever ? 0 : key(LinkKey::cooccurrence) / 8;
    case Local::none: break;
  }
  return 0;
}

float global_score(const MixStart& start, float value) {
  switch (start.global) {
    case LinkKey::destination_time:
    case LinkKey::activity_time: return closeness(value);
    case LinkKey::destination_count: return value / (1 + value);
    default: return value > 0 ? 0.5F + value / 64 : 0.5F / (1 - value);  // a decayed count
  }
}

float start_score(const MixStart& start, const float* inputs) {
  const float local = local_score(start, inputs);
  const std::size_t global = start.first_input() + static_cast<std::size_t>(start.global);
  return local > 0 ? 1 + local : global_score(start, inputs[global]);
}

KeyMix::KeyMix(const MixStart& start, std::span<const std::array<float, 2>> ranges)
    : weights(ranges.size() * kWeights), start_(&start), ranges_(ranges.size()) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const float width = ranges[i][1] - ranges[i][0];
    ranges_[i] = {ranges[i][0], width > 0 ? static_cast<float>(kKnots - 1) / width : 1};
  }
}

float KeyMix::logit(const float* inputs) const {
  float sum = bias + scale * start_score(*start_, inputs);
  for (std::size_t i = 0; i < num_inputs(); ++i) sum += part(i, inputs[i]);
  return sum;
}

void KeyMix::add_function(std::size_t input, std::span<const float> x, float* sums) const {
  const PiecewiseLinear function{ranges_[input][0], ranges_[input][1],
                                 weights.data() + input * kWeights};
  kernels().add_piecewise(function, x.data(), x.size(), sums);
}

void place_keys(const float* keys, std::size_t width, float* inputs) {
  std::copy_n(keys, kNumLinkKeys, inputs);
  std::copy(keys + kNumLinkKeys, keys + width, inputs + kTypedInput);
}

void KeyMix::mix(std::span<const float> keys, std::span<float> logits) const {
  std::array<float, kTypedMixInputs> inputs{};
  const std::size_t width = num_inputs() - 1;
  for (std::size_t c = 0; c < logits.size(); ++c) {
    if (std::isnan(logits[c])) continue;
    place_keys(keys.data() + c * width, width, inputs.data());
    inputs[kNetworkInput] = logits[c];
    logits[c] = logit(inputs.data());
  }
}

void KeyMix::save(Document& document, const std::string& prefix) const {
  std::vector<float> ranges;
  for (const auto& range : ranges_) ranges.insert(ranges.end(), range.begin(), range.end());
  document.tensors.push_back(
      Tensor::copy_of<float>(prefix + kMixRanges, {num_inputs(), 2}, ranges));
  document.tensors.push_back(
      Tensor::copy_of<float>(prefix + kMixWeights, {num_inputs(), kWeights}, weights));
  document.tensors.push_back(
      Tensor::copy_of<float>(prefix + kMixScale, {2}, std::array<float, 2>{scale, bias}));
}

KeyMix KeyMix::load(const Document& document, const std::string& path, const std::string& prefix,
                    const MixStart& start, bool typed) {
  KeyMix mix;
  mix.start_ = &start;
  const std::size_t inputs = typed ? kTypedMixInputs : kMixInputs;
  const auto ranges = shaped_tensor(document, path, prefix + kMixRanges, {inputs, 2}).as<float>();
  mix.ranges_.resize(inputs);
  for (std::size_t i = 0; i < inputs; ++i) mix.ranges_[i] = {ranges[2 * i], ranges[2 * i + 1]};
  const auto weights =
      shaped_tensor(document, path, prefix + kMixWeights, {inputs, kWeights}).as<float>();
  mix.weights.assign(weights.begin(), weights.end());
  const auto scale = shaped_tensor(document, path, prefix + kMixScale, {2}).as<float>();
  mix.scale = scale[0];
  mix.bias = scale[1];
  return mix;
}

void LinkMix::save(Document& document) const {
  std::string start(mix.start().name);
  double unit = time_unit;
  write_metadata(described(start, unit, mix.typed()), kMixPrefix, document.metadata);
  mix.save(document, "mix.");
  keys.save(document, "mix.keys.");
}

bool LinkMix::has(const Document& document) { return document.metadata.contains(kStartKey); }

LinkMix LinkMix::load(const Document& document, const std::string& path, bool typed) {
  LinkMix mix;
  std::string name;
  read_metadata(described(name, mix.time_unit, typed), kMixPrefix, document.metadata, path);
  const auto* const start = std::find_if(std::begin(kStarts), std::end(kStarts),
                                         [&](const MixStart& one) { return one.name == name; });
  mix.mix = KeyMix::load(document, path, "mix.", *start, typed);
  mix.keys = KeyMix::load(document, path, "mix.keys.", *start, typed);
  return mix;
}

}  // namespace frugal::tgn
