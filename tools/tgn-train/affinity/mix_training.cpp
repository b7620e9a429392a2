#include "tools/tgn-train/affinity/mix_training.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/metrics/ndcg.h"
#include "libcore/nn/optimizer.h"
#include "libcore/threading/parallel.h"

namespace frugal::tgn {
namespace {

/// First gate of the family that a mix starts with, and decay of the gates.
constexpr float kStartGate = 3, kDecay = 0.002F;
/// Added to scores, which are 0 for classes that no average has.
constexpr double kLeastScore = 1e-6;
constexpr std::size_t kParameters = kMixParts * AverageMix::kGateInputs;
constexpr std::uint64_t kOrderStream = 0x41464649;

std::vector<float> dense_weights(const LabelVectors& vectors, std::size_t vector) {
  std::vector<float> weights(vectors.num_classes());
  for (std::size_t i = 0; i < vectors.classes(vector).size(); ++i) {
    weights[vectors.classes(vector)[i]] = vectors.weights(vector)[i];
  }
  return weights;
}

/// Sets the mean and the scale of the facts to those of the queries.
void measure_facts(const std::vector<AffinityQuery>& queries, AverageMix& mix) {
  for (std::size_t f = 0; f < kNodeFacts; ++f) {
    double sum = 0, squares = 0;
    for (const AffinityQuery& query : queries) sum += query.facts[f];
    const double mean = sum / static_cast<double>(queries.size());
    for (const AffinityQuery& query : queries) {
      squares += (query.facts[f] - mean) * (query.facts[f] - mean);
    }
    const double deviation = std::sqrt(squares / static_cast<double>(queries.size()));
    mix.mean[f] = static_cast<float>(mean);
    mix.scale[f] = deviation > 1e-6 ? static_cast<float>(1 / deviation) : 0;
  }
}

}  // namespace

double mix_loss(const AverageMix& mix, const AffinityQuery& query, std::span<const float> shared,
                const LabelVectors& vectors, std::span<float> gradient) {
  const auto classes = vectors.classes(query.vector);
  const auto weights = vectors.weights(query.vector);
  const double best = best_dcg_at(AffinityTally::kRanks, weights);
  std::vector<float> scores, slopes;
  mix.score_some(mix.shares(query.facts), query, shared, classes, scores);
  double loss = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const double weight = weights[i] / best, score = scores[i] + kLeastScore;
    loss -= weight * std::log(score);
    slopes.push_back(static_cast<float>(-weight / score));
  }
  mix.add_gradient(query, shared, classes, slopes, gradient);
  return loss;
}

double mix_ndcg(const AverageMix& mix, const AffinityQueries& queries,
                const LabelVectors& vectors) {
  std::vector<double> ndcg(queries.queries.size());
  parallel_ranges(ndcg.size(), [&](std::size_t begin, std::size_t end, int) {
    std::vector<float> scores(vectors.num_classes());
    for (std::size_t q = begin; q < end; ++q) {
      const AffinityQuery& query = queries.queries[q];
      mix.score(mix.shares(query.facts), query.own, queries.shared[query.period], scores);
      ndcg[q] = ndcg_at(AffinityTally::kRanks, scores, dense_weights(vectors, query.vector));
    }
  });
  return std::accumulate(ndcg.begin(), ndcg.end(), 0.0) / static_cast<double>(ndcg.size());
}

namespace {

/// Epochs of Adam (Kingma, Ba, 2015) on the gates and the scale of the scores.
class MixEpochs {
 public:
  MixEpochs(AverageMix& mix, const LabelVectors& vectors, const AffinityQueries& train,
            const MixTrainingOptions& options)
      : mix_(mix),
        vectors_(vectors),
        train_(train),
        options_(options),
        optimizer_(adam(), kParameters),
        parameters_(mix.weights.begin(), mix.weights.end()),
        order_(train.queries.size()),
        losses_(options.batch),
        gradients_(options.batch * kParameters),
        gradient_(kParameters) {}

  /// Returns the mean loss.
  double run(std::uint64_t epoch) {
    std::iota(order_.begin(), order_.end(), 0);
    shuffle(order_.data(), order_.size(), Rng(options_.seed, hash_combine(kOrderStream, epoch)));
    double loss = 0;
    for (std::size_t begin = 0; begin < order_.size(); begin += options_.batch) {
      loss +=
          step(std::span(order_).subspan(begin, std::min(options_.batch, order_.size() - begin)));
    }
    return loss / static_cast<double>(order_.size());
  }

 private:
  static OptimizerOptions adam() {
    OptimizerOptions options;
    options.kind = OptimizerKind::adam;
    options.corrected_epsilon = true;
    return options;
  }

  /// Returns the sum of the losses.
  double step(std::span<const std::size_t> batch) {
    std::fill(gradients_.begin(), gradients_.end(), 0.0F);
    parallel_ranges(batch.size(), [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        const AffinityQuery& query = train_.queries[batch[i]];
        losses_[i] = mix_loss(mix_, query, train_.shared[query.period], vectors_,
                              std::span(gradients_).subspan(i * kParameters, kParameters));
      }
    });
    for (std::size_t p = 0; p < kParameters; ++p) {
      const bool decays = (p + 1) % AverageMix::kGateInputs != 0;
      float sum = 0;
      for (std::size_t i = 0; i < batch.size(); ++i) sum += gradients_[i * kParameters + p];
      gradient_[p] =
          sum / static_cast<float>(batch.size()) + (decays ? kDecay * parameters_[p] : 0);
    }
    optimizer_.step(parameters_, gradient_, static_cast<float>(options_.learning_rate));
    std::copy(parameters_.begin(), parameters_.end(), mix_.weights.begin());
    return std::accumulate(losses_.begin(),
                           losses_.begin() + static_cast<std::ptrdiff_t>(batch.size()), 0.0);
  }

  AverageMix& mix_;
  const LabelVectors& vectors_;
  const AffinityQueries& train_;
  const MixTrainingOptions& options_;
  DenseOptimizer optimizer_;
  std::vector<float> parameters_;  ///< the gates' weights
  std::vector<std::size_t> order_;
  std::vector<double> losses_;
  std::vector<float> gradients_, gradient_;  ///< [batch, parameters], [parameters]
};

}  // namespace

MixTrainingResult train_mix(AverageMix& mix, AverageFamily start, const MixData& data,
                            const MixTrainingOptions& options,
                            const std::function<void(int, double, double)>& trained) {
  measure_facts(data.train.queries, mix);
  mix.weights.fill(0);
  mix.weights[(static_cast<std::size_t>(start) + 1) * AverageMix::kGateInputs - 1] = kStartGate;
  MixEpochs epochs(mix, data.vectors, data.train, options);
  MixTrainingResult result;
  result.best_ndcg = mix_ndcg(mix, data.valid, data.vectors);
  AverageMix best = mix;
  const auto is_over = [&] {
    return result.epochs >= options.epochs ||
           (options.patience > 0 && result.epochs - result.best_epoch >= options.patience);
  };
  while (!is_over()) {
    const double loss = epochs.run(static_cast<std::uint64_t>(result.epochs));
    if (!std::isfinite(loss)) {
      fail(ExitStatus::bad_input, "epoch ", result.epochs + 1,
           ": the loss is not finite; try a lower --learning-rate");
    }
    const double ndcg = mix_ndcg(mix, data.valid, data.vectors);
    trained(++result.epochs, loss, ndcg);
    if (ndcg <= result.best_ndcg) continue;
    result.best_ndcg = ndcg;
    result.best_epoch = result.epochs;
    best = mix;
  }
  mix = best;
  return result;
}

}  // namespace frugal::tgn
