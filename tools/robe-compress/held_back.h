#pragma once
#include <vector>

#include "libcore/metrics/binary_metrics.h"
#include "tools/robe-compress/data/click_data.h"

namespace frugal {
class Embedding;
}  // namespace frugal

namespace frugal::robe {

class Network;

/// Holds training samples back while it lives, for trials to be graded on: one of every ten,
/// 50,000 at most. What was held out for validation stays unseen, so that its figures tell of new
/// samples.
class HeldBack {
 public:
  explicit HeldBack(ClickData& data);
  ~HeldBack() { data_.hold_back(0); }
  HeldBack(const HeldBack&) = delete;
  HeldBack& operator=(const HeldBack&) = delete;

  /// Whether there are samples of both classes, and not a mere handful.
  bool suffices();
  /// The log-loss of each, and metrics of all.
  struct Grade {
    std::vector<float> losses;
    BinaryMetrics metrics;
  };
  Grade grade(const Embedding& embedding, const Network& network);

 private:
  ClickData& data_;
};

/// How much lower the losses of the second are on the same samples: the mean, and its standard
/// error.
struct PairedGain {
  double mean = 0;
  double error = 0;

  /// Beyond what chance alone gives one time in forty.
  bool is_clear() const { return mean > 2 * error; }
};
PairedGain paired_gain(const std::vector<float>& before, const std::vector<float>& after);

}  // namespace frugal::robe
