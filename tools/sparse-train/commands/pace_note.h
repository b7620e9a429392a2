#pragma once
#include <string>

#include "libcore/base/text.h"

namespace frugal::sparse {

/// Says once, some seconds into a training that takes over a minute, how long it will take: a
/// million classes can be hours. The first steps touch memory for the first time and say nothing of
/// the rest: the note waits until two stretches in a row have about the same pace. Seconds are
/// those of any clock that does not go back.
class PaceNote {
 public:
  void begin(int passes) { passes_ = passes; }
  /// passes: done so far. "" unless it is time to say something.
  std::string text(double passes, double now) {
    if (said_ || passes <= 0) return "";
    if (reports_++ == 0) return begin_stretch(passes, now);
    if (now - began_ < kSecondsToMeasure || reports_ <= kReports || passes <= passes_then_)
      return "";
    const double pace = (now - began_) / (passes - passes_then_);
    said_ = pace < kSamePace * last_pace_ && last_pace_ < kSamePace * pace;
    last_pace_ = pace;
    if (!said_) return begin_stretch(passes, now);
    const double left = pace * (passes_ - passes);
    return left < kSecondsWorthSaying
               ? ""
               : "at this pace, training takes another " + format_seconds(left);
  }

 private:
  static constexpr double kSecondsToMeasure = 3;
  static constexpr int kReports = 5;
  static constexpr double kSamePace = 1.25;
  static constexpr double kSecondsWorthSaying = 60;

  std::string begin_stretch(double passes, double now) {
    began_ = now;
    passes_then_ = passes;
    reports_ = 1;
    return "";
  }

  double passes_ = 0;
  double began_ = 0;
  double passes_then_ = 0;
  double last_pace_ = 0;  ///< seconds a pass, of the stretch before; 0 = none
  int reports_ = 0;
  bool said_ = false;
};

}  // namespace frugal::sparse
