#include "tools/tgn-train/mix/mix_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcore/base/rng.h"
#include "libcore/metrics/ranking.h"

namespace frugal::tgn {
namespace {

/// Passes over the samples, samples in a step of Adam, and the first rate, which falls to 0.
constexpr std::size_t kMixPasses = 12, kMixBatch = 64;
constexpr double kMixRate = 0.05;
/// Decay of the weights, and the weight of the loss of single pairs.
constexpr double kWeightDecay = 1e-3, kPairLoss = 0.1;
/// Least factor of the start's score, so that its order remains.
constexpr float kLeastScale = 1e-3F;
constexpr std::uint64_t kOrderStream = 0x4d495831;

using Samples = std::span<const MixSample>;

const float* inputs_of(const MixSample& sample, std::size_t candidate) {
  return sample.inputs.data() + candidate * sample.num_inputs();
}

/// Inputs whose functions are fitted.
enum class Fitted : std::uint8_t { none, keys, all };

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// Fits a mix by Adam (Kingma, Ba, 2015). The loss of a sample is the cross-entropy of its
/// destination among all destinations, estimated by the counts, and a tenth of the logistic loss of
/// the destination and the negative, which sets the scale for pairs of different sources.
class MixFitting {
 public:
  MixFitting(KeyMix& mix, Samples samples, std::uint64_t seed, const std::function<void()>& check)
      : mix_(mix), samples_(samples), seed_(seed), check_(check) {}

  /// Fits the factor of the start, the constant, and these functions.
  void run(Fitted functions);

 private:
  struct Moments {
    double first = 0, second = 0;
  };
  void add_gradient(const MixSample& sample);
  void step(std::size_t size, double rate, Fitted functions);
  float moved(float value, std::size_t parameter, double gradient, double rate);

  KeyMix& mix_;
  Samples samples_;
  std::uint64_t seed_;
  const std::function<void()>& check_;
  std::size_t steps_ = 0;
  std::vector<double> gradient_;  ///< of the weights, the scale and the bias
  std::vector<Moments> moments_;
  std::vector<double> logits_, slopes_;
};

void MixFitting::add_gradient(const MixSample& sample) {
  const std::size_t n = sample.candidates.size();
  logits_.resize(n);
  slopes_.assign(n, 0);
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < n; ++c) {
    logits_[c] = mix_.logit(inputs_of(sample, c));
    if (sample.counts[c] > 0) highest = std::max(highest, logits_[c]);
  }
  double sum = 0;
  for (std::size_t c = 0; c < n; ++c) {
    if (sample.counts[c] == 0) continue;
    slopes_[c] = sample.counts[c] * std::exp(logits_[c] - highest);
    sum += slopes_[c];
  }
  for (double& slope : slopes_) slope /= sum;
  slopes_[0] -= 1;
  slopes_[0] += kPairLoss * (logistic(logits_[0]) - 1);
  slopes_[1] += kPairLoss * logistic(logits_[1]);
  const std::size_t scale = gradient_.size() - 2;
  for (std::size_t c = 0; c < n; ++c) {
    const float* const inputs = inputs_of(sample, c);
    for (std::size_t i = 0; i < mix_.num_inputs(); ++i) {
      const KeyMix::Place place = mix_.place(i, inputs[i]);
      gradient_[place.left] += slopes_[c] * (1 - place.share);
      gradient_[place.left + 1] += slopes_[c] * place.share;
    }
    gradient_[scale] += slopes_[c] * start_score(mix_.start(), inputs);
    gradient_[scale + 1] += slopes_[c];
  }
}

float MixFitting::moved(float value, std::size_t parameter, double gradient, double rate) {
  constexpr double kFirst = 0.9, kSecond = 0.999, kEpsilon = 1e-8;
  Moments& moments = moments_[parameter];
  moments.first = kFirst * moments.first + (1 - kFirst) * gradient;
  moments.second = kSecond * moments.second + (1 - kSecond) * gradient * gradient;
  const auto steps = static_cast<double>(steps_);
  const double first = moments.first / (1 - std::pow(kFirst, steps));
  const double second = moments.second / (1 - std::pow(kSecond, steps));
  return static_cast<float>(value - rate * first / (std::sqrt(second) + kEpsilon));
}

void MixFitting::step(std::size_t size, double rate, Fitted functions) {
  ++steps_;
  const std::size_t scale = gradient_.size() - 2;
  for (double& gradient : gradient_) gradient /= static_cast<double>(size);
  const std::size_t weights = functions == Fitted::none ? 0 : mix_.weights.size();
  for (std::size_t w = 0; w < weights; ++w) {
    if (functions == Fitted::keys && w / KeyMix::kWeights == kNetworkInput) continue;
    mix_.weights[w] =
        moved(mix_.weights[w], w, gradient_[w] + kWeightDecay * mix_.weights[w], rate);
  }
  mix_.scale = std::max(kLeastScale, moved(mix_.scale, scale, gradient_[scale], rate));
  mix_.bias = moved(mix_.bias, scale + 1, gradient_[scale + 1], rate);
}

void MixFitting::run(Fitted functions) {
  const std::size_t parameters = mix_.weights.size() + 2;
  moments_.assign(parameters, {});
  steps_ = 0;
  std::vector<std::size_t> order(samples_.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t in_pass = (order.size() + kMixBatch - 1) / kMixBatch;
  Rng rng(seed_, kOrderStream);
  for (std::size_t pass = 0; pass < kMixPasses; ++pass) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    for (std::size_t begin = 0; begin < order.size(); begin += kMixBatch) {
      const std::size_t end = std::min(order.size(), begin + kMixBatch);
      if (check_) check_();
      gradient_.assign(parameters, 0);
      for (std::size_t i = begin; i < end; ++i) add_gradient(samples_[order[i]]);
      const double done = static_cast<double>(steps_) / static_cast<double>(kMixPasses * in_pass);
      step(end - begin, kMixRate * (1 - done), functions);
    }
  }
}

/// Nearly the whole range of each input in the samples.
std::vector<std::array<float, 2>> ranges_of(Samples samples) {
  constexpr std::size_t kTail = 1000;
  std::vector<std::array<float, 2>> ranges(samples.front().num_inputs());
  std::vector<float> values;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    values.clear();
    for (const MixSample& sample : samples) {
      for (std::size_t c = 0; c < sample.candidates.size(); ++c) {
        const float value = inputs_of(sample, c)[i];
        if (std::isfinite(value)) values.push_back(value);
      }
    }
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    const std::size_t tail = values.size() / kTail;
    ranges[i] = {values[tail], values[values.size() - 1 - tail]};
  }
  return ranges;
}

KeyMix fitted(Samples samples, const MixStart& start, Fitted functions, std::uint64_t seed,
              const std::function<void()>& check) {
  if (check) check();
  KeyMix mix(start, ranges_of(samples));
  MixFitting fitting(mix, samples, seed, check);
  fitting.run(Fitted::none);
  if (functions != Fitted::none) fitting.run(functions);
  return mix;
}

MixMerit merit_of_mix(Samples samples, const KeyMix& mix) {
  return merit_of(samples, [&](const float* inputs) { return mix.logit(inputs); });
}

const MixStart& best_start(Samples samples) {
  const MixStart* best = nullptr;
  double most = -1;
  for (const MixStart& start : mix_starts(samples.front().num_inputs() == kTypedMixInputs)) {
    const MixMerit merit =
        merit_of(samples, [&](const float* inputs) { return start_score(start, inputs); });
    if (merit.mean() <= most) continue;
    best = &start;
    most = merit.mean();
  }
  return *best;
}

}  // namespace

MixMerit merit_of(Samples samples, const std::function<float(const float* inputs)>& score) {
  MixMerit merit;
  std::vector<float> scores;
  std::vector<std::uint8_t> is_link;
  for (const MixSample& sample : samples) {
    const float link = score(inputs_of(sample, 0));
    double rank = 1;
    for (std::size_t c = 1; c < sample.candidates.size(); ++c) {
      const float other = score(inputs_of(sample, c));
      rank += sample.counts[c] * (other > link ? 1.0 : other == link ? 0.5 : 0.0);
      if (c == 1) scores.insert(scores.end(), {link, other});
    }
    is_link.insert(is_link.end(), {1, 0});
    merit.mrr += 1 / rank / static_cast<double>(samples.size());
  }
  merit.average_precision = average_precision(scores, is_link);
  return merit;
}

MixChoice choose_mix(const std::vector<MixSample>& samples, std::size_t fit, double time_unit,
                     std::uint64_t seed, const std::function<void()>& check) {
  const Samples all = samples, first = all.first(fit), rest = all.subspan(fit);
  const MixStart& start = best_start(first);
  MixChoice choice;
  choice.start = start.name;
  choice.fit_events = first.size();
  choice.choice_events = rest.size();
  choice.heuristic =
      merit_of(rest, [&](const float* inputs) { return start_score(start, inputs); });
  choice.network = merit_of(rest, [](const float* inputs) { return inputs[kNetworkInput]; });
  const KeyMix mix = fitted(first, start, Fitted::all, seed, check);
  choice.mixed = merit_of_mix(rest, mix);
  const bool mixes = choice.mixed.covers(choice.heuristic) &&
                     choice.mixed.mean() > std::max(choice.heuristic.mean(), choice.network.mean());
  const bool heuristic = choice.heuristic.mean() > choice.network.mean();
  choice.predictor = mixes ? "mix" : heuristic ? "heuristic" : "network";
  for (std::size_t i = 0; mixes && i < mix.num_inputs(); ++i) {
    if (check) check();
    KeyMix without = mix;
    std::fill_n(without.weights.begin() + static_cast<std::ptrdiff_t>(i * KeyMix::kWeights),
                KeyMix::kWeights, 0.0F);
    choice.contributions.emplace_back(mix_input_name(i),
                                      choice.mixed.mean() - merit_of_mix(rest, without).mean());
  }
  if (!mixes && !heuristic) return choice;
  choice.mix =
      LinkMix{fitted(all, start, mixes ? Fitted::all : Fitted::none, seed, check),
              fitted(all, start, mixes ? Fitted::keys : Fitted::none, seed, check), time_unit};
  return choice;
}

}  // namespace frugal::tgn
