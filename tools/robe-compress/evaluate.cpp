#include "tools/robe-compress/evaluate.h"

#include "tools/robe-compress/click_model.h"
#include "tools/robe-compress/data/click_source.h"

namespace frugal {
namespace {

constexpr std::size_t kBatch = 8192;

}  // namespace

BinaryMetrics evaluate(ClickPredictor& predictor, ClickBatches& batches,
                       const std::function<void(std::uint64_t)>& progress) {
  BinaryMetrics metrics;
  ClickBatch batch;
  while (batches.next(batch, kBatch)) {
    metrics.add(predictor.logits(batch), batch.labels);
    if (progress) progress(metrics.samples());
  }
  return metrics;
}

BinaryMetrics evaluate_model(const EvalOptions& options,
                             const std::function<void(std::uint64_t)>& progress) {
  const ClickModel model = load_model(options.model, options.precision);
  ClickPredictor predictor(*model.embedding, *model.network);
  ClickSource source(options.data, options.input, model.encoder, Labels::required);
  return evaluate(predictor, source, progress);
}

std::vector<std::pair<std::string, double>> metric_values(const BinaryMetrics& m) {
  return {{"auc", m.auc()},
          {"log_loss", m.log_loss()},
          {"normalized_entropy", m.normalized_entropy()},
          {"accuracy", m.accuracy()},
          {"calibration", m.calibration()}};
}

}  // namespace frugal
