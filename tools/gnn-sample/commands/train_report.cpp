#include "tools/gnn-sample/commands/train_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "libcore/base/text.h"
#include "libcore/metrics/run_log.h"
#include "libcore/report/report.h"

namespace frugal::gnn {
namespace {

constexpr int kReportDigits = 4;

}  // namespace

void describe_node_metrics(const ResultFields& f, const std::string& part,
                           const NamedValues& values) {
  const auto value_of = [&values](const std::string& name) {
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const auto& value) { return value.first == name; });
    return found == values.end() ? std::optional<double>() : found->second;
  };
  const auto add = [&](const std::string& name, const std::string& when) {
    f.when(when, value_of(name).has_value(), [&](const ResultFields& metric) {
      metric.add(metric_name(part, name), value_of(name).value_or(0), metric_meaning(name));
    });
  };
  const bool of_numbers = value_of("r2").has_value();
  f.when("classes", !of_numbers, [&](const ResultFields& classes) {
    const std::optional<double> of_labels = value_of("micro_f1");
    classes.add(metric_name(part, "accuracy"), of_labels.value_or(value_of("accuracy").value_or(0)),
                "share of nodes whose class is right; if nodes have several labels, micro_f1");
    add("macro_f1", "one class a node");
    classes.add(metric_name(part, "log_loss"), value_of("log_loss").value_or(0),
                metric_meaning("log_loss"));
    add("auc", "two classes, and nodes of both");
    add("micro_f1", "several labels a node");
  });
  for (const char* name : {"r2", "rmse", "mae"}) add(name, "numbers to predict");
}

void describe_link_metrics(const ResultFields& f, const std::string& part,
                           const NamedValues& values) {
  const auto add = [&](const ResultFields& fields, const std::vector<std::string>& names) {
    NamedValues some;
    for (const auto& value : values) {
      if (std::find(names.begin(), names.end(), value.first) != names.end()) some.push_back(value);
    }
    fields.add_metrics(part, some, names);
  };
  const auto has = [&](const std::string& name) {
    return std::any_of(values.begin(), values.end(),
                       [&](const auto& value) { return value.first == name; });
  };
  add(f, {"mrr", "hits_at_10", "auc", "average_precision", "log_loss", "popularity_mrr"});
  f.when("edges within one type of nodes", has("adamic_adar_mrr"),
         [&](const ResultFields& within) { add(within, {"adamic_adar_mrr"}); });
  for (const char* hits : {"hits_at_20", "hits_at_50", "hits_at_100"}) {
    f.when("negatives of --held-out-edges, enough of them", has(hits),
           [&](const ResultFields& given) { add(given, {hits}); });
  }
}

void describe_link_score(const ResultFields& f, const LinkScore& score) {
  f.add("common_neighbors", score.common_neighbors,
        "weight of common neighbours in the score of a pair");
  f.add("dot_weight", score.dot, "weight of the dot product of the embeddings");
  f.add("score_bias", score.bias, "number added to the score of each pair");
}

void describe_packs(const ResultFields& f, const TrainResult& r) {
  const PackFigures p = r.packs.value_or(PackFigures{});
  f.add("pack_windows", p.windows, "number of windows of mini-batches that were packed");
  f.add("rows_in_memory", r.rows_in_memory, "number of feature rows in memory");
  f.add("memory_hit_share", p.hit_share(),
        "share of the rows of training mini-batches that were in memory");
  f.add("pack_bytes_read", p.bytes_read,
        "bytes of features read from the graph to fill packs, and once to fill memory");
  f.add("pack_bytes_written", p.bytes_written, "bytes of packs, each written and read once");
  f.add("pack_seconds", p.seconds,
        "time of drawing mini-batches ahead and packing their rows, part of fit_seconds and of "
        "waiting_share");
}

void add_train_report(const TrainResult& result, const RunLog& log, Report& report) {
  const TrainFacts& facts = result.facts;
  std::vector<std::pair<std::string, std::string>> key = {
      {"nodes", std::to_string(facts.nodes)},
      {"edges", std::to_string(facts.edges)},
      {"an epoch", format_seconds(result.median_epoch_seconds(result.epochs_here()))}};
  if (result.test) {
    report.summary().baseline = result.test->baseline;
    for (const auto& [name, value] : result.test->values) {
      key.emplace_back("test " + name, format_number(value, kReportDigits));
    }
  }
  report.add_key_figures(key);
  const bool of_numbers = !log.series("validation_r2").empty();
  std::vector<Series> losses = {over_epochs("training, with dropout", log, "loss")};
  // Validation of numbers has an error in their own unit, which has a figure of its own.
  if (!of_numbers) losses.push_back(over_epochs("validation", log, "validation_log_loss"));
  report.add_figure(epoch_figure(
      "Loss", of_numbers ? "squared error, of scaled numbers" : "cross-entropy", losses));
  for (const std::string name : {"accuracy", "micro_f1", "mrr", "r2", "rmse"}) {
    if (log.series("validation_" + name).empty()) continue;
    report.add_figure(
        epoch_figure("Validation", name, {over_epochs(name, log, "validation_" + name)}));
  }
}

void log_facts(const TrainResult& result, RunLog& log) {
  log.step(static_cast<std::int64_t>(result.steps),
           {{"features", static_cast<double>(result.facts.features)},
            {"features_per_node", result.facts.features_per_node},
            {"outputs", static_cast<double>(result.facts.outputs)},
            {"train_seeds", static_cast<double>(result.facts.train_seeds)}});
}

}  // namespace frugal::gnn
