#pragma once
#include <vector>

namespace frugal::sparse {

/// A score and whether its label was right.
struct JudgedScore {
  float score = 0;
  bool right = false;
};

/// Beta calibration (Kull, Silva Filho and Flach, AISTATS 2017): the probability p of a score s in
/// [0, 1] has the log-odds low ln s - high ln (1 - s) + shift, which never falls as s rises. The
/// identity unless fitted.
struct ScoreCalibration {
  double low = 1;
  double high = 1;
  double shift = 0;

  float probability(float score) const;
};

/// The most likely one beside a prior that fades with data; the identity where all scores, or none,
/// are right.
ScoreCalibration fit_calibration(const std::vector<JudgedScore>& scores);

}  // namespace frugal::sparse
