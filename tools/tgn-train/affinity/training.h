#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/trainer_settings.h"
#include "tools/tgn-train/affinity/metrics.h"
#include "tools/tgn-train/affinity/mix_training.h"
#include "tools/tgn-train/affinity/model.h"

namespace frugal::tgn {

struct AffinityOptions : TrainerSettings {
  std::string events, model;
  LabelVectorOptions vectors;
  /// Times at which validation and test begin; empty: at the period of the vector at that quantile.
  std::optional<double> valid_from, test_from;
  bool mixes = true;  ///< trains a mix
  MixTrainingOptions mix;
};

/// NDCG@10 of an average or of the model.
struct AffinityTest {
  AffinityMetrics valid, test;
};

struct AffinityResult {
  std::uint64_t nodes = 0, classes = 0, periods = 0, vectors = 0;
  std::uint64_t parts[3] = {};         ///< vectors of training, validation and test
  std::vector<AffinityTest> averages;  ///< in the order of all_averages()
  AffinityModel model;
  MixTrainingResult mix;
  AverageMix::Shares shares = {};  ///< mean of the gates over the validation's queries
  AffinityTest tests;              ///< of the model
  double read_seconds = 0, fit_seconds = 0, eval_seconds = 0;
};

struct AffinityObserver {
  std::function<void(const AffinityResult&)> begun;
  std::function<void(const AffinityResult&)> chose_average;
  std::function<void(int epoch, double loss, double ndcg)> trained;
};

/// Parts of a stream's periods. Fails (bad_input) with `path` if one has no vectors; (usage) for
/// times in the wrong order.
AffinitySplit split_vectors(const LabelVectors& vectors, const AffinityModel& model,
                            const std::string& path);

/// Called with a vector of validation or test, whether its node has an earlier one, and the model's
/// scores.
using ForecastVisitor =
    std::function<void(bool tests, bool known, std::size_t vector, std::span<const float> scores,
                       std::span<const float> weights)>;
/// Tests a model. Each vector is forecast from strictly earlier periods. visit: may be null.
AffinityTest test_affinity(const LabelVectors& vectors, const AffinityModel& model,
                           const AffinitySplit& split, const ForecastVisitor& visit = nullptr);

/// Chooses the best average on validation, trains a mix that starts from it, keeps the mix if
/// validation says that it is better, and tests and writes the model. Fails (Error) as its parts.
AffinityResult train_affinity(const AffinityOptions& options, const AffinityObserver& observer);

}  // namespace frugal::tgn
