#include "tools/robe-compress/sweep/sweep.h"

#include <algorithm>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/embedding/embedding.h"
#include "libcore/metrics/sample_mean.h"
#include "libcore/system/clock.h"
#include "libcore/system/signals.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/data/column_warnings.h"
#include "tools/robe-compress/model/click_model.h"
#include "tools/robe-compress/serve/evaluate.h"

namespace frugal {
class Embedding;
}  // namespace frugal

namespace frugal::robe {
namespace {

constexpr std::size_t kTimedSamples = 16384;
constexpr std::size_t kLookupBatch = 64;
constexpr double kSeconds = 0.1;

/// Rows looked up in a second on one thread: uniformly random rows of all tables, sample by sample,
/// in batches that stay in the cache. Takes about a tenth of a second.
double measure_lookups(const Embedding& embedding) {
  const TableSet& tables = embedding.tables();
  const std::size_t fields = tables.size();
  if (fields == 0) return 0;
  std::vector<std::uint32_t> rows(kTimedSamples * fields);
  Rng rng(1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<std::uint32_t>(rng.below(tables.table(i % fields).rows));
  }
  std::vector<float> out(kLookupBatch * fields * tables.dim());
  const auto look_up = [&](std::size_t begin) {
    embedding.lookup({rows.data() + begin * fields, kLookupBatch, fields},
                     {out.data(), kLookupBatch, fields * tables.dim()});
  };
  for (std::size_t begin = 0; begin < kTimedSamples; begin += kLookupBatch) look_up(begin);
  std::size_t samples = 0;
  const double began = wall_seconds();
  double seconds = 0;
  while ((seconds = wall_seconds() - began) < kSeconds) {
    look_up(samples % kTimedSamples);
    samples += kLookupBatch;
  }
  return static_cast<double>(samples * fields) / seconds;
}

constexpr int kSweepDigits = 6;
constexpr int kMeasurements = 3;

/// In quotes, as RFC 4180 has them.
std::string csv_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

/// Trains all seeds of a point.
class PointRun {
 public:
  PointRun(ClickData& data, const SweepOptions& options) : data_(data), options_(options) {}

  /// False where a signal stopped it.
  bool run(SweepPoint& point) {
    const SweepPoint asked = point;
    std::vector<double> losses;
    for (int seed = 0; seed < options_.seeds; ++seed) {
      TrainResult result;
      const TrainOptions options = options_of(asked, seed);
      try {
        result = train(data_, options, {});
      } catch (const Error& error) {  // the options were checked: the bytes do not suffice
        if (error.status() != ExitStatus::usage) throw;
        point.refused = error.what();
        return true;
      }
      if (result.stopped) return false;
      take(result, point, losses);
    }
    const SampleMean auc = sample_mean(point.aucs), loss = sample_mean(losses);
    point.auc = auc.mean;
    point.auc_deviation = auc.deviation;
    point.log_loss = loss.mean;
    point.log_loss_deviation = loss.deviation;
    return true;
  }

  /// Measures look-ups in tables like the point's, untrained, when nothing else is running.
  void measure(SweepPoint& point) const {
    EmbeddingOptions embedding = options_of(point, 0).embedding;
    embedding.hot_share = point.hot_share;
    auto tables = make_embedding(tables_of(data_.encoder(), options_.train.dim), embedding,
                                 row_counts_of(data_.encoder()));
    round_to_storage(tables, embedding);
    for (int i = 0; i < kMeasurements; ++i) {
      point.lookups_per_second = std::max(point.lookups_per_second, measure_lookups(*tables));
    }
  }

 private:
  TrainOptions options_of(const SweepPoint& point, int seed) const {
    TrainOptions options = options_.train;
    options.model.clear();
    options.device = "cpu";
    options.exact_size = true;
    options.embedding.method = point.method;
    options.embedding.compression = point.asked;
    const bool one = options_.storages.size() == 1;
    const std::string storage = point.storage.empty() && one ? options_.storages[0] : point.storage;
    if (!storage.empty()) {
      options.find_storage = storage == "auto";
      if (!options.find_storage) options.embedding.storage = storage_from_name(storage);
    }
    options.seed = options_.train.seed + static_cast<std::uint64_t>(seed);
    return options;
  }

  static void take(const TrainResult& result, SweepPoint& point, std::vector<double>& losses) {
    const BinaryMetrics& metrics = result.test ? *result.test : *result.validation;
    if (!metrics.has_both_classes()) fail(ExitStatus::bad_input, one_class_text(metrics));
    point.bytes = result.facts.embedding_bytes;
    point.hot_share = result.hot_share;
    point.storage = result.facts.storage;
    if (find_method(point.method).has_one_size()) {
      point.compression =
          static_cast<double>(result.facts.full_bytes) / static_cast<double>(point.bytes);
    }
    point.aucs.push_back(metrics.auc());
    losses.push_back(metrics.log_loss());
    point.samples_per_second = std::max(point.samples_per_second,
                                        static_cast<double>(result.samples) / result.fit_seconds);
  }

  ClickData& data_;
  const SweepOptions& options_;
};

std::vector<SweepPoint> planned_points(const SweepOptions& options) {
  std::vector<SweepPoint> points;
  for (const std::string& method : options.methods) {
    const bool has_one_size = find_method(method).has_one_size();
    const auto plan = [&](const std::string& storage, double compression) {
      SweepPoint point;
      point.method = method;
      point.storage = storage;
      point.asked = point.compression = compression;
      points.push_back(std::move(point));
    };
    if (has_one_size) {
      plan("", 1);
      continue;
    }
    const std::vector<std::string> as_told = {""};
    for (const std::string& storage : options.storages.empty() ? as_told : options.storages) {
      for (const double compression : options.compressions) plan(storage, compression);
    }
  }
  return points;
}

/// Where nothing could be trained there is nothing to compare.
void expect_a_model(const std::vector<SweepPoint>& points) {
  std::string reasons;
  for (const SweepPoint& point : points) {
    if (point.refused.empty()) return;
    (reasons += reasons.empty() ? "" : "; ") +=
        point.name() + " " + format_number(point.compression) + "x: " + point.refused;
  }
  fail(ExitStatus::usage, "no model could be trained: ", reasons);
}

}  // namespace

std::vector<SweepPoint> sweep(const SweepOptions& options,
                              const std::function<void(const SweepPoint&)>& tell,
                              const std::function<void(double done, double total)>& progress) {
  check_network_options(options.train.network, options.train.dim);
  if (find_architecture(options.train.network.architecture).is_linear) {
    fail(ExitStatus::usage,
         "a sweep compares how embedding tables are kept, and --architecture linear has none: name "
         "another architecture");
  }
  for (const std::string& method : options.methods) {
    EmbeddingOptions embedding = options.train.embedding;
    embedding.method = method;
    check_embedding_options(embedding, options.train.dim);
  }
  if (options.train.stream) {
    fail(ExitStatus::usage, "a sweep passes over the samples several times: leave out --stream");
  }
  ClickData data(options.train.data, options.train.input);
  if (options.train.test.empty() && options.train.validation.empty() && data.num_held_out() == 0) {
    fail(ExitStatus::usage,
         "a sweep compares models on samples that they were not trained on: name --test FILE, "
         "--validation FILE or --held-out RULE");
  }
  if (data.encoder().num_fields() == 0) {
    fail(ExitStatus::usage, "a sweep compares embedding tables: no column is a category");
  }
  check_columns(options.train, data.encoder());
  warn_of_columns(data.encoder());
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
  expect_a_model(done);
  for (SweepPoint& point : done) {
    if (point.refused.empty()) run.measure(point);
  }
  return done;
}

std::string sweep_csv(const std::vector<SweepPoint>& points, const std::string& part) {
  std::string text = "method,compression,bytes";
  for (const char* metric : {"_auc", "_auc_deviation", "_log_loss", "_log_loss_deviation"}) {
    text.append(",").append(part).append(metric);
  }
  text += ",seeds,lookups_per_second,samples_per_second,storage,refused\n";
  for (const SweepPoint& p : points) {
    text += p.method + ',' + format_number(p.compression) + ',';
    if (!p.refused.empty()) {
      text += ",,,,,0,,," + p.storage + ',' + csv_text(p.refused) + '\n';
      continue;
    }
    text += std::to_string(p.bytes);
    for (const double value :
         {p.auc, p.auc_deviation, p.log_loss, p.log_loss_deviation,
          static_cast<double>(p.aucs.size()), p.lookups_per_second, p.samples_per_second}) {
      text += ',' + format_number(value, kSweepDigits);
    }
    text += ',' + p.storage + ",\n";
  }
  return text;
}

}  // namespace frugal::robe
