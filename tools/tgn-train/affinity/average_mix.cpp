#include "tools/tgn-train/affinity/average_mix.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/nn/state_tensors.h"

namespace frugal::tgn {
namespace {

constexpr char kGates[] = "affinity.gates", kFacts[] = "affinity.facts", kPart[] = "affinity.part_";

}  // namespace

std::array<float, AverageMix::kGateInputs> AverageMix::inputs(const NodeFacts& facts) const {
  std::array<float, kGateInputs> inputs = {};
  for (std::size_t f = 0; f < kNodeFacts; ++f) inputs[f] = (facts[f] - mean[f]) * scale[f];
  inputs[kNodeFacts] = 1;
  return inputs;
}

AverageMix::Shares AverageMix::shares(const NodeFacts& facts) const {
  const auto in = inputs(facts);
  Shares shares = {};
  for (std::size_t p = 0; p < kMixParts; ++p) {
    for (std::size_t i = 0; i < kGateInputs; ++i) shares[p] += weights[p * kGateInputs + i] * in[i];
  }
  const float highest = *std::max_element(shares.begin(), shares.end());
  float sum = 0;
  for (float& share : shares) sum += share = std::exp(share - highest);
  for (float& share : shares) share /= sum;
  return shares;
}

void AverageMix::score(const Shares& shares, const NodeAverages& own, std::span<const float> shared,
                       std::span<float> scores) const {
  const std::size_t classes = scores.size();
  for (std::size_t c = 0; c < classes; ++c) {
    scores[c] = shares[kOwnParts] * shared[c] + shares[kOwnParts + 1] * shared[classes + c];
  }
  for (std::size_t i = 0; i < own.classes.size(); ++i) {
    for (std::size_t p = 0; p < kOwnParts; ++p) {
      scores[own.classes[i]] += shares[p] * own.values[i * kOwnParts + p];
    }
  }
}

template <class Each>
void AverageMix::visit(const AffinityQuery& query, std::span<const float> shared,
                       std::span<const std::uint32_t> classes, const Each& each) {
  const std::size_t num_classes = shared.size() / kSharedParts;
  std::size_t place = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto& own = query.own.classes;
    while (place < own.size() && own[place] < classes[i]) ++place;
    PartValues values = {};
    if (place < own.size() && own[place] == classes[i]) {
      std::copy_n(query.own.values.data() + place * kOwnParts, kOwnParts, values.begin());
    }
    for (std::size_t p = 0; p < kSharedParts; ++p) {
      values[kOwnParts + p] = shared[p * num_classes + classes[i]];
    }
    each(i, values);
  }
}

void AverageMix::score_some(const Shares& shares, const AffinityQuery& query,
                            std::span<const float> shared, std::span<const std::uint32_t> classes,
                            std::vector<float>& scores) const {
  scores.assign(classes.size(), 0);
  visit(query, shared, classes, [&](std::size_t i, const PartValues& values) {
    for (std::size_t p = 0; p < kMixParts; ++p) scores[i] += shares[p] * values[p];
  });
}

void AverageMix::add_gradient(const AffinityQuery& query, std::span<const float> shared,
                              std::span<const std::uint32_t> classes, std::span<const float> slopes,
                              std::span<float> gradient) const {
  PartValues by_share = {};
  visit(query, shared, classes, [&](std::size_t i, const PartValues& values) {
    for (std::size_t p = 0; p < kMixParts; ++p) by_share[p] += slopes[i] * values[p];
  });
  const Shares now = shares(query.facts);
  const auto in = inputs(query.facts);
  float mean_slope = 0;
  for (std::size_t p = 0; p < kMixParts; ++p) mean_slope += now[p] * by_share[p];
  for (std::size_t p = 0; p < kMixParts; ++p) {
    const float slope = now[p] * (by_share[p] - mean_slope);
    for (std::size_t i = 0; i < kGateInputs; ++i) gradient[p * kGateInputs + i] += slope * in[i];
  }
}

void AverageMix::save(Document& document) const {
  for (std::size_t p = 0; p < kMixParts; ++p) {
    document.metadata[kPart + std::to_string(p)] = parts[p].name();
  }
  std::vector<float> facts(mean.begin(), mean.end());
  facts.insert(facts.end(), scale.begin(), scale.end());
  document.tensors.push_back(Tensor::copy_of<float>(kFacts, {2, kNodeFacts}, facts));
  document.tensors.push_back(Tensor::copy_of<float>(kGates, {kMixParts, kGateInputs}, weights));
}

AverageMix AverageMix::load(const Document& document, const std::string& path) {
  AverageMix mix;
  for (std::size_t p = 0; p < kMixParts; ++p) {
    const std::string key = kPart + std::to_string(p);
    const auto found = document.metadata.find(key);
    if (found == document.metadata.end()) {
      fail(ExitStatus::bad_input, path, ": metadata lack ", key, ", expected an average");
    }
    mix.parts[p] = average_named(found->second, path);
    if (static_cast<std::size_t>(mix.parts[p].family) == p) continue;
    fail(ExitStatus::bad_input, path, ": ", key, " is ", printable(found->second),
         ", expected an average of another family");
  }
  const auto facts = shaped_tensor(document, path, kFacts, {2, kNodeFacts}).as<float>();
  std::copy_n(facts.begin(), kNodeFacts, mix.mean.begin());
  std::copy_n(facts.begin() + kNodeFacts, kNodeFacts, mix.scale.begin());
  const auto gates = shaped_tensor(document, path, kGates, {kMixParts, kGateInputs}).as<float>();
  std::copy(gates.begin(), gates.end(), mix.weights.begin());
  return mix;
}

Average average_named(const std::string& name, const std::string& path) {
  for (const Average& average : all_averages()) {
    if (average.name() == name) return average;
  }
  fail(ExitStatus::bad_input, path, ": no average is called ", printable(name),
       ", expected one such as ema_0.2");
}

}  // namespace frugal::tgn
