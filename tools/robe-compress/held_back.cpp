#include "tools/robe-compress/held_back.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "libcore/metrics/logistic_loss.h"
#include "tools/robe-compress/click_model.h"

namespace frugal::robe {
namespace {

constexpr std::uint64_t kEvery = 10, kMost = 50'000, kFewest = 50;
constexpr std::size_t kHeldBackBatch = 8192;

}  // namespace

HeldBack::HeldBack(ClickData& data) : data_(data) {
  data.hold_back(std::max(kEvery, (data.size() + kMost - 1) / kMost));
}

bool HeldBack::suffices() {
  if (data_.num_held_back() < kFewest) return false;
  data_.start_held_back();
  ClickBatch batch;
  bool positive = false, negative = false;
  while (!(positive && negative) && data_.next(batch, kHeldBackBatch)) {
    for (const float label : batch.labels) (label > 0.5F ? positive : negative) = true;
  }
  return positive && negative;
}

HeldBack::Grade HeldBack::grade(const Embedding& embedding, const Network& network) {
  Grade grade;
  ClickPredictor predictor(embedding, network);
  data_.start_held_back();
  ClickBatch batch;
  while (data_.next(batch, kHeldBackBatch)) {
    const std::span<const float> logits = predictor.logits(batch);
    grade.metrics.add(logits, batch.labels);
    for (std::size_t i = 0; i < logits.size(); ++i) {
      grade.losses.push_back(static_cast<float>(logistic_loss(logits[i], batch.labels[i])));
    }
  }
  return grade;
}

PairedGain paired_gain(const std::vector<float>& before, const std::vector<float>& after) {
  assert(before.size() == after.size() && before.size() > 1);
  const auto n = static_cast<double>(before.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double gain = static_cast<double>(before[i]) - static_cast<double>(after[i]);
    sum += gain;
    squares += gain * gain;
  }
  const double mean = sum / n;
  const double variance = std::max(0.0, squares / n - mean * mean) / (n - 1);
  return {mean, std::sqrt(variance)};
}

}  // namespace frugal::robe
