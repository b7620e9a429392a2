#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "tools/tgn-train/affinity/average_mix.h"
#include "tools/tgn-train/affinity/metrics.h"

namespace frugal::tgn {

/// Forecasts of known nodes that a mix is fitted or validated on.
struct AffinityQueries {
  std::vector<AffinityQuery> queries;
  std::vector<std::vector<float>> shared;  ///< [periods] shared_parts(), or empty
};

struct MixTrainingOptions {
  int epochs = 30;
  int patience = 5;  ///< epochs without a better validation before the end; 0: never
  std::size_t batch = 64;
  double learning_rate = 0.03;
  /// Most vectors of training that gates are fitted to: the last ones. Validation has all of its.
  std::size_t most_queries = 100'000;
  std::uint64_t seed = 0;
};

/// Loss of the gates on a query: the cross-entropy of the weights of its vector and the scores,
/// divided by the DCG@10 of the best order as NDCG@10 is. Adds its derivatives by the gates to
/// `gradient`, [kMixParts, kGateInputs].
double mix_loss(const AverageMix& mix, const AffinityQuery& query, std::span<const float> shared,
                const LabelVectors& vectors, std::span<float> gradient);

/// Mean NDCG@10 of a mix on queries.
double mix_ndcg(const AverageMix& mix, const AffinityQueries& queries, const LabelVectors& vectors);

struct MixTrainingResult {
  int epochs = 0, best_epoch = 0;
  double best_ndcg = 0;  ///< of validation
};
/// Data of a training; all outlive it.
struct MixData {
  const LabelVectors& vectors;
  const AffinityQueries& train;
  const AffinityQueries& valid;
};
/// Trains the gates of a mix, from gates that mostly answer with the family `start`. The mix is
/// that of the epoch with the best validation. trained: called after each epoch. Fails (bad_input)
/// once the loss is not finite.
MixTrainingResult train_mix(
    AverageMix& mix, AverageFamily start, const MixData& data, const MixTrainingOptions& options,
    const std::function<void(int epoch, double loss, double ndcg)>& trained);

}  // namespace frugal::tgn
