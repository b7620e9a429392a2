#include "tools/robe-compress/sweep/sweep.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/embedding/embedding.h"
#include "libcore/kernels/kernels.h"
#include "libcore/streams/input_stream.h"
#include "libcore/system/clock.h"
#include "libcore/threading/parallel.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/data/column_warnings.h"
#include "tools/robe-compress/model/click_model.h"
#include "tools/robe-compress/serve/evaluate.h"
#include "tools/robe-compress/settings/train_fields.h"

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

TrainOptions options_of(const SweepOptions& sweep, const SweepPoint& point, std::uint64_t seed) {
  TrainOptions options = sweep.train;
  options.seed = seed;
  options.model.clear();
  options.device = "cpu";
  options.exact_size = true;
  options.embedding.method = point.method;
  options.embedding.compression = find_method(point.method).has_one_size() ? 1 : point.asked;
  const bool one = sweep.storages.size() == 1;
  const std::string storage = point.storage.empty() && one ? sweep.storages[0] : point.storage;
  if (!storage.empty()) {
    options.find_storage = storage == "auto";
    if (!options.find_storage) options.embedding.storage = storage_from_name(storage);
  }
  return options;
}

/// Measures look-ups in tables like the point's, untrained, when nothing else is running.
void measure(const ClickEncoder& encoder, const SweepOptions& options, SweepPoint& point) {
  EmbeddingOptions embedding = options_of(options, point, 0).embedding;
  embedding.hot_share = point.mean("hot_share").mean;
  auto tables =
      make_embedding(tables_of(encoder, options.train.dim), embedding, row_counts_of(encoder));
  round_to_storage(tables, embedding);
  for (int i = 0; i < kMeasurements; ++i) {
    point.lookups_per_second = std::max(point.lookups_per_second, measure_lookups(*tables));
  }
}

/// Hash of the bytes of a file; 0 for "".
std::uint64_t content_hash(const std::string& path) {
  if (path.empty()) return 0;
  InputStream in(path);
  std::vector<char> block(std::size_t{1} << 20);
  std::uint64_t hash = 1;
  while (const std::size_t size = in.read(block.data(), block.size())) {
    hash = hash_bytes(block.data(), size, hash);
  }
  return hash;
}

/// How many times smaller than full tables a model's are: what was asked for, if they come close to
/// it. Methods that divide tables by a whole number do not.
double compression_of(const TrainFacts& facts, const EmbeddingOptions& asked) {
  constexpr double kClose = 0.01;
  const double found = static_cast<double>(facts.full_bytes) /
                       static_cast<double>(std::max<std::uint64_t>(1, facts.embedding_bytes));
  const bool is_close = std::abs(found / asked.compression - 1) <= kClose;
  return is_close && !find_method(asked.method).has_one_size() ? asked.compression : found;
}

/// Trains and grades a model; nothing if a signal stopped it.
std::optional<NamedValues> values_of(ClickData& data, const TrainOptions& options) {
  const TrainResult result = train(data, options, {});
  if (result.stopped) return std::nullopt;
  const BinaryMetrics& metrics = result.test ? *result.test : *result.validation;
  if (!metrics.has_both_classes()) fail(ExitStatus::bad_input, one_class_text(metrics));
  NamedValues values = {
      {"auc", metrics.auc()},
      {"log_loss", metrics.log_loss()},
      {"bytes", static_cast<double>(result.facts.embedding_bytes)},
      {"compression", compression_of(result.facts, options.embedding)},
      {"hot_share", result.hot_share},
      {"samples_per_second", static_cast<double>(result.samples) / result.fit_seconds}};
  if (const std::string& storage = result.facts.storage; !storage.empty())
    values.emplace_back("storage", static_cast<double>(storage_from_name(storage)));
  return values;
}

/// Fails (bad_input) if a run of the log has not the values of values_of().
void check_kept(const std::string& log, const SweepRun& run) {
  NamedValues limits = {{"auc", 1},
                        {"bytes", 0x1p53},
                        {"compression", 0x1p53},
                        {"hot_share", 1},
                        {"samples_per_second", 0x1p53}};
  const auto find = [&run](const std::string& name) {
    return std::find_if(run.values.begin(), run.values.end(),
                        [&](const auto& value) { return value.first == name; });
  };
  if (find("storage") != run.values.end())
    limits.emplace_back("storage", storage_names().size() - 1);
  for (const auto& [name, most] : limits) {
    const auto found = find(name);
    if (found == run.values.end() || !(found->second >= 0 && found->second <= most)) {
      fail(ExitStatus::bad_input, log, ": a run with seed ", run.seed, " has no ", name,
           " from 0 to ", format_number(most), ", expected a run of this command; remove its line");
    }
  }
}

}  // namespace

std::vector<SweepPoint> sweep_points(const SweepOptions& options) {
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

void sweep(const SweepOptions& options, std::vector<SweepPoint>& points, SweepPlan plan) {
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
  plan.SweepSettings::operator=(options);
  plan.ends_at_errors = true;  // but where the bytes do not suffice
  std::string samples;
  if (!options.log.empty()) {
    samples = " samples=" + data.fingerprint() +
              " validation=" + std::to_string(content_hash(options.train.validation)) +
              " test=" + std::to_string(content_hash(options.train.test)) +
              " threads=" + std::to_string(num_threads()) + " simd=" + kernels().name;
  }
  plan.identity = [&](std::size_t i, std::uint64_t seed) {
    return option_line(training_options(options_of(options, points[i], seed))) + samples;
  };
  plan.describe = [&](std::size_t i) { return json_of(points[i]); };
  plan.train = [&](std::size_t i, std::uint64_t seed, const SweepProgress&) {
    return values_of(data, options_of(options, points[i], seed));
  };
  plan.finished = [&, tell = std::move(plan.finished)](std::size_t i) {
    SweepPoint& point = points[i];
    for (const SweepRun& one : point.runs) {
      if (one.kept) check_kept(options.log, one);
    }
    if (point.num_trained() != 0) {
      const std::vector<double> storages = point.values("storage");
      point.storage = storages.empty() ? "" : storage_name(static_cast<Storage>(storages[0]));
      point.compression = point.values("compression")[0];
    }
    if (tell) tell(i);
  };
  run_sweep(points, plan);
  for (SweepPoint& point : points) {
    if (point.num_trained() != 0) measure(data.encoder(), options, point);
  }
}

nlohmann::ordered_json json_of(const SweepPoint& p) {
  return {{"method", p.method}, {"storage", p.storage}, {"compression", p.compression}};
}

double SweepPoint::samples_per_second() const {
  const std::vector<double> speeds = values("samples_per_second");
  return *std::max_element(speeds.begin(), speeds.end());
}

std::string sweep_csv(const std::vector<SweepPoint>& points, const std::string& part) {
  std::string text = "method,compression,bytes";
  for (const char* metric : {"_auc", "_auc_deviation", "_log_loss", "_log_loss_deviation"}) {
    text.append(",").append(part).append(metric);
  }
  text += ",seeds,lookups_per_second,samples_per_second,storage,refused\n";
  for (const SweepPoint& p : points) {
    text += p.method + ',' + format_number(p.compression) + ',';
    if (p.num_trained() == 0) {
      text += ",,,,,0,,," + p.storage + ',' + csv_text(p.failure()) + '\n';
      continue;
    }
    const SampleMean auc = p.mean("auc"), loss = p.mean("log_loss");
    text += std::to_string(p.bytes());
    for (const double value :
         {auc.mean, auc.deviation, loss.mean, loss.deviation, static_cast<double>(p.num_trained()),
          p.lookups_per_second, p.samples_per_second()}) {
      text += ',' + format_number(value, kSweepDigits);
    }
    text += ',' + p.storage + ",\n";
  }
  return text;
}

}  // namespace frugal::robe
