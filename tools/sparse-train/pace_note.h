#pragma once
#include <string>

#include "libcore/base/text.h"

namespace frugal {

/// Says once, some seconds into a training that takes over a minute, how long it will take: a
/// million classes can be hours. Seconds are those of any clock that does not go back.
class PaceNote {
 public:
  void begin(int passes, double now) {
    passes_ = passes;
    began_ = now;
  }
  /// passes: done so far. "" unless it is time to say something.
  std::string text(double passes, double now) {
    const double seconds = now - began_;
    if (said_ || seconds < kSecondsToMeasure || passes <= 0) return "";
    said_ = true;
    const double left = seconds * (passes_ - passes) / passes;
    return left < kSecondsWorthSaying
               ? ""
               : "at this pace, training takes another " + format_seconds(left);
  }

 private:
  static constexpr double kSecondsToMeasure = 3;
  static constexpr double kSecondsWorthSaying = 60;
  double passes_ = 0;
  double began_ = 0;
  bool said_ = false;
};

}  // namespace frugal
