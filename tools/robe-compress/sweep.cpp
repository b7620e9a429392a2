#include "tools/robe-compress/sweep.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/metrics/sample_mean.h"
#include "libcore/system/signals.h"
#include "tools/robe-compress/data/click_data.h"

namespace frugal {
namespace {

constexpr int kDigits = 6;

/// Trains all seeds of a point.
class PointRun {
 public:
  PointRun(ClickData& data, const SweepOptions& options) : data_(data), options_(options) {}

  /// False where a signal stopped it.
  bool run(SweepPoint& point) {
    std::vector<double> losses;
    for (int seed = 0; seed < options_.seeds; ++seed) {
      TrainOptions train_options = options_.train;
      train_options.model.clear();
      train_options.measure_lookups = true;
      train_options.embedding.method = point.method;
      train_options.embedding.compression = point.compression;
      train_options.seed = options_.train.seed + static_cast<std::uint64_t>(seed);
      TrainResult result;
      try {
        result = train(data_, train_options, {});
      } catch (const Error& error) {  // the options were checked: the bytes do not suffice
        if (error.status() != ExitStatus::usage) throw;
        point.refused = error.what();
        return true;
      }
      if (result.stopped || !result.validation) return false;
      point.bytes = result.facts.embedding_bytes;
      if (find_method(point.method).has_one_size()) {
        point.compression =
            static_cast<double>(result.facts.full_bytes) / static_cast<double>(point.bytes);
      }
      point.aucs.push_back(result.validation->auc());
      losses.push_back(result.validation->log_loss());
      point.lookups_per_second = std::max(point.lookups_per_second, result.lookups_per_second);
      point.samples_per_second =
          std::max(point.samples_per_second,
                   static_cast<double>(result.trained_samples) / result.fit_seconds);
    }
    const SampleMean auc = sample_mean(point.aucs), loss = sample_mean(losses);
    point.auc = auc.mean;
    point.auc_deviation = auc.deviation;
    point.log_loss = loss.mean;
    point.log_loss_deviation = loss.deviation;
    return true;
  }

 private:
  ClickData& data_;
  const SweepOptions& options_;
};

std::vector<SweepPoint> planned_points(const SweepOptions& options) {
  std::vector<SweepPoint> points;
  for (const std::string& method : options.methods) {
    const bool has_one_size = find_method(method).has_one_size();
    for (const double compression : options.compressions) {
      SweepPoint point;
      point.method = method;
      point.compression = has_one_size ? 1 : compression;
      points.push_back(std::move(point));
      if (has_one_size) break;
    }
  }
  return points;
}

}  // namespace

std::vector<SweepPoint> sweep(const SweepOptions& options,
                              const std::function<void(const SweepPoint&)>& tell,
                              const std::function<void(double done, double total)>& progress) {
  check_network_options(options.train.network, options.train.dim);
  for (const std::string& method : options.methods) {
    EmbeddingOptions embedding = options.train.embedding;
    embedding.method = method;
    check_embedding_options(embedding, options.train.dim);
  }
  if (options.train.stream) {
    fail(ExitStatus::usage, "a sweep passes over the samples several times: leave out --stream");
  }
  ClickData data(options.train.data, options.train.input);
  if (options.train.validation.empty() && data.num_held_out() == 0) {
    fail(ExitStatus::usage,
         "a sweep compares models on samples that they were not trained on: name --validation FILE "
         "or --held-out RULE");
  }
  std::vector<SweepPoint> points = planned_points(options);
  std::vector<SweepPoint> done;
  PointRun run(data, options);
  for (SweepPoint& point : points) {
    if (!run.run(point) || stop_requested()) {
      fail(stop_status(false), "stopped after ", done.size(), " of ", points.size(), " points");
    }
    if (tell) tell(point);
    done.push_back(std::move(point));
    if (progress) progress(static_cast<double>(done.size()), static_cast<double>(points.size()));
  }
  return done;
}

std::string sweep_csv(const std::vector<SweepPoint>& points) {
  std::string text =
      "method,compression,bytes,auc,auc_deviation,log_loss,log_loss_deviation,seeds,"
      "lookups_per_second,samples_per_second\n";
  for (const SweepPoint& p : points) {
    if (!p.refused.empty()) continue;
    text += p.method + ',' + format_number(p.compression) + ',' + std::to_string(p.bytes);
    for (const double value :
         {p.auc, p.auc_deviation, p.log_loss, p.log_loss_deviation,
          static_cast<double>(p.aucs.size()), p.lookups_per_second, p.samples_per_second}) {
      text += ',' + format_number(value, kDigits);
    }
    text += '\n';
  }
  return text;
}

}  // namespace frugal
