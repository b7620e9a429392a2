#include "tools/tgn-train/affinity/averages.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"

namespace frugal::tgn {
namespace {

constexpr std::size_t kSpans[] = {2, 3, 5, 7, 10, 20};
constexpr double kRates[] = {0.05, 0.1, 0.2, 0.3, 0.5, 0.7};
constexpr double kDecays[] = {0.7, 0.85, 0.95};
constexpr double kGlobalRates[] = {0.001, 0.01, 0.1};
constexpr std::size_t kMostRecent = 20;
constexpr double kLeastFactor = 1e-8;

// Sums of a node and a class.
constexpr std::size_t kMean = 0, kEma = 1, kActivity = kEma + std::size(kRates),
                      kSums = kActivity + std::size(kDecays);

std::vector<Average> make_averages() {
  std::vector<Average> averages;
  const auto add = [&](AverageFamily family, std::size_t settings) {
    for (std::size_t s = 0; s < settings; ++s) averages.push_back({family, s});
  };
  add(AverageFamily::last, 1);
  add(AverageFamily::moving_average, std::size(kSpans));
  add(AverageFamily::mean, 1);
  add(AverageFamily::ema, std::size(kRates));
  add(AverageFamily::activity, std::size(kDecays));
  add(AverageFamily::global, std::size(kGlobalRates));
  add(AverageFamily::previous, 1);
  return averages;
}

float log1p_of(std::size_t count) { return std::log1p(static_cast<float>(count)); }

}  // namespace

std::string Average::name() const {
  constexpr int kDigits = 6;
  switch (family) {
    case AverageFamily::last: return "last";
    case AverageFamily::moving_average: return "moving_average_" + std::to_string(kSpans[setting]);
    case AverageFamily::mean: return "mean";
    case AverageFamily::ema: return "ema_" + format_number(kRates[setting], kDigits);
    case AverageFamily::activity: return "activity_" + format_number(kDecays[setting], kDigits);
    case AverageFamily::global: return "global_" + format_number(kGlobalRates[setting], kDigits);
    case AverageFamily::previous: return "previous";
  }
  return "";
}

std::span<const Average> all_averages() {
  static const std::vector<Average> averages = make_averages();
  return averages;
}

AverageHistory::AverageHistory(const LabelVectors& vectors)
    : vectors_(vectors),
      nodes_(vectors.num_nodes()),
      global_(std::size(kGlobalRates), std::vector<float>(vectors.num_classes())),
      global_factors_(std::size(kGlobalRates), 1),
      previous_(vectors.num_classes()) {}

void AverageHistory::learn() {
  const std::size_t begin = vectors_.begin(period_), end = vectors_.begin(period_ + 1);
  std::fill(previous_.begin(), previous_.end(), 0.0F);
  for (std::size_t v = begin; v < end; ++v) {
    learn(v);
    const auto classes = vectors_.classes(v);
    const auto weights = vectors_.weights(v);
    for (std::size_t s = 0; s < global_.size(); ++s) {
      // Decay by a common factor: what a vector costs does not depend on the number of classes.
      double& factor = global_factors_[s];
      factor *= 1 - kGlobalRates[s];
      if (factor < kLeastFactor) {
        for (float& value : global_[s]) value *= static_cast<float>(factor);
        factor = 1;
      }
      for (std::size_t i = 0; i < classes.size(); ++i) {
        global_[s][classes[i]] +=
            static_cast<float>(kGlobalRates[s] / factor * weights[i] / vectors_.total(v));
      }
    }
    for (std::size_t i = 0; i < classes.size(); ++i) {
      previous_[classes[i]] += weights[i] / vectors_.total(v) / static_cast<float>(end - begin);
    }
  }
  ++period_;
}

/// Makes room for new classes of a node.
void AverageHistory::extend(Node& node, std::span<const std::uint32_t> classes) const {
  std::vector<std::uint32_t> all;
  std::set_union(node.classes.begin(), node.classes.end(), classes.begin(), classes.end(),
                 std::back_inserter(all));
  if (all.size() == node.classes.size()) return;
  std::vector<float> values(all.size() * kSums);
  for (std::size_t from = 0, to = 0; from < node.classes.size(); ++to) {
    if (all[to] != node.classes[from]) continue;
    std::copy_n(node.values.data() + from++ * kSums, kSums, values.data() + to * kSums);
  }
  node.classes = std::move(all);
  node.values = std::move(values);
}

void AverageHistory::learn(std::size_t vector) {
  Node& node = nodes_[vectors_.node(vector)];
  const auto classes = vectors_.classes(vector);
  const auto weights = vectors_.weights(vector);
  extend(node, classes);
  const bool first = node.vectors == 0;
  for (std::size_t c = 0, i = 0; c < node.classes.size(); ++c) {
    const bool has = i < classes.size() && classes[i] == node.classes[c];
    const float weight = has ? weights[i++] : 0, share = weight / vectors_.total(vector);
    float* const sums = node.values.data() + c * kSums;
    sums[kMean] += share;
    for (std::size_t r = 0; r < std::size(kRates); ++r) {
      const float rate = first ? 1 : static_cast<float>(kRates[r]);
      sums[kEma + r] += rate * (share - sums[kEma + r]);
    }
    for (std::size_t d = 0; d < std::size(kDecays); ++d) {
      sums[kActivity + d] =
          static_cast<float>(kDecays[d]) * sums[kActivity + d] + std::sqrt(weight);
    }
  }
  ++node.vectors;
  node.when = vectors_.when(period_);
  if (node.recent.size() == kMostRecent) node.recent.erase(node.recent.begin());
  node.recent.push_back(static_cast<std::uint32_t>(vector));
}

template <class Add>
void AverageHistory::each(const Average& average, const Node& node, const Add& add) const {
  if (node.vectors == 0) return;
  std::size_t column = kMean;
  switch (average.family) {
    case AverageFamily::last:
    case AverageFamily::moving_average: {
      const std::size_t most = average.family == AverageFamily::last ? 1 : kSpans[average.setting];
      const std::size_t count = std::min(most, node.recent.size());
      for (std::size_t i = node.recent.size() - count; i < node.recent.size(); ++i) {
        const auto classes = vectors_.classes(node.recent[i]);
        const auto weights = vectors_.weights(node.recent[i]);
        // In double, as a total may be near the highest or the lowest float.
        const double scale =
            1 / (static_cast<double>(vectors_.total(node.recent[i])) * static_cast<double>(count));
        for (std::size_t c = 0; c < classes.size(); ++c) {
          add(classes[c], static_cast<float>(weights[c] * scale));
        }
      }
      return;
    }
    case AverageFamily::mean: break;
    case AverageFamily::ema: column = kEma + average.setting; break;
    case AverageFamily::activity: column = kActivity + average.setting; break;
    case AverageFamily::global:
    case AverageFamily::previous: return;
  }
  float sum = 0;
  for (std::size_t c = 0; c < node.classes.size(); ++c) sum += node.values[c * kSums + column];
  if (sum == 0) return;
  for (std::size_t c = 0; c < node.classes.size(); ++c) {
    add(node.classes[c], node.values[c * kSums + column] / sum);
  }
}

void AverageHistory::add(const Average& average, NodeId node, float factor,
                         std::span<float> scores) const {
  if (average.family >= AverageFamily::global) {
    const std::vector<float> values = shared(average);
    for (std::size_t c = 0; c < values.size(); ++c) scores[c] += factor * values[c];
    return;
  }
  each(average, nodes_[node], [&](std::uint32_t c, float value) { scores[c] += factor * value; });
}

void AverageHistory::read(std::span<const Average> averages, NodeId node, NodeAverages& out) const {
  const Node& from = nodes_[node];
  out.classes = from.classes;
  out.values.assign(from.classes.size() * averages.size(), 0);
  for (std::size_t a = 0; a < averages.size(); ++a) {
    each(averages[a], from, [&](std::uint32_t c, float value) {
      const auto at = std::lower_bound(from.classes.begin(), from.classes.end(), c);
      const auto place = static_cast<std::size_t>(at - from.classes.begin());
      out.values[place * averages.size() + a] += value;
    });
  }
}

std::vector<float> AverageHistory::shared(const Average& average) const {
  std::vector<float> values =
      average.family == AverageFamily::global ? global_[average.setting] : previous_;
  float sum = 0;
  for (const float value : values) sum += value;
  if (sum > 0) {
    for (float& value : values) value /= sum;
  }
  return values;
}

NodeFacts AverageHistory::facts(NodeId node, std::int64_t when) const {
  const Node& of = nodes_[node];
  if (of.vectors == 0) return {};
  const std::uint32_t last = of.recent.back();
  const auto classes = static_cast<float>(vectors_.num_classes());
  return {log1p_of(of.vectors), std::log1p(static_cast<float>(when - of.when)),
          std::log1p(vectors_.total(last)),
          static_cast<float>(vectors_.classes(last).size()) / classes,
          static_cast<float>(of.classes.size()) / classes};
}

}  // namespace frugal::tgn
