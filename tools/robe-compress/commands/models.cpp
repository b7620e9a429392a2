#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/report/report.h"
#include "libcore/system/clock.h"
#include "tools/robe-compress/columns/click_fields.h"
#include "tools/robe-compress/columns/click_options.h"
#include "tools/robe-compress/commands/tool.h"
#include "tools/robe-compress/commands/train_report.h"

namespace frugal::robe {
namespace {

void describe_evaluation(const ResultFields& f, const EvalResult& r, double seconds) {
  describe_click_metrics(f, "", r.metrics);
  describe_unknown(f, "", r.unknown);
  f.add("seconds", seconds, "time of the command, reading included");
}

void describe_answers(const ResultFields& f, const ClickPredictResult& r, double seconds) {
  f.add("samples", r.samples, "number of samples predicted");
  describe_unknown(f, "", r.unknown);
  f.add("seconds", seconds, "time of the command, reading included");
}

ExitStatus run_eval(EvalOptions options, Run& run) {
  options.precision = run.precision();
  options.device = run.options().device;
  run.reads(options.model);
  run.reads(options.data);
  const double began = wall_seconds();
  const auto progress = run.progress("evaluating", 0, "samples");
  const EvalResult evaluated = evaluate_model(
      options, [&](std::uint64_t samples) { progress->update(static_cast<double>(samples)); });
  progress->finish();
  const BinaryMetrics& metrics = evaluated.metrics;
  describe_evaluation(ResultFields(run.result()), evaluated, wall_seconds() - began);
  for (const auto& [name, value] : metric_values(metrics)) {
    run.say(name + " " + format_number(value, kMetricDigits));
  }
  run.say("samples " + std::to_string(metrics.samples()));
  warn_if_nothing_learnt(learnt_figures(metrics), "these samples");
  if (!run.options().report.empty()) add_eval_report(metrics, run.report());
  return ExitStatus::ok;
}

void add_model_options(const OptionFields& f, std::string& model, std::string& data,
                       ClickOptions& input, const std::string& what) {
  f.add("model", model, "model file written by train").required().metavar("MODEL");
  f.add("data", data, what).metavar("DATA");
  describe_reading(f, input);
}

}  // namespace

void describe_click_metrics(const ResultFields& f, const std::string& part,
                            const BinaryMetrics& metrics) {
  f.add_metrics(part, metric_values(metrics),
                {"auc", "log_loss", "normalized_entropy", "accuracy", "calibration"});
  f.add(metric_name(part, "auc_uncertainty"), metrics.auc_uncertainty(),
        "bound of the error of auc, which is computed from a histogram");
  f.add(metric_name(part, "mean_label"), metrics.mean_label(), "share of clicks");
  f.add(metric_name(part, "mean_prediction"), metrics.mean_prediction(),
        "mean predicted probability of a click");
  f.add(metric_name(part, "samples"), metrics.samples(), "number of samples evaluated");
}

void describe_unknown(const ResultFields& f, const std::string& part,
                      const std::vector<UnknownValues>& columns) {
  auto unknown = nlohmann::ordered_json::object();
  for (const UnknownValues& column : columns) unknown[column.column] = column.unknown;
  f.add(metric_name(part, "unknown"), unknown,
        "for each column, number of values that have no row of their own in the model");
}

Command eval_command(EvalOptions& o) {
  Command command;
  command.name = "eval";
  command.summary = "evaluate a model on labelled samples";
  command.description =
      "Reads samples as train did, in one pass and constant memory, and tests the model on them. "
      "Metrics are the area under the ROC curve, log-loss, accuracy at a probability of one half, "
      "and calibration. Calibration is the mean prediction divided by the share of clicks. "
      "normalized_entropy is the log-loss divided by the log-loss of always predicting the mean. "
      "Without samples, or with samples of one class only, metrics are not defined and the exit "
      "status is 65.";
  command.examples = {
      {"robe-compress eval clicks.model test.tsv", "AUC, log-loss and calibration on test samples"},
      {"robe-compress eval clicks.model day.tsv --lines 13/14:1 --json",
       "only the last fourteenth of a file"}};
  command.often = {"--format", "--json"};
  command.describe = [&o](const OptionFields& f) {
    add_model_options(f, o.model, o.data, o.input, "file of labelled samples; - is stdin");
  };
  command.uses = {.precision = true, .device = true, .engine = "robe.predict"};
  command.describe_results = [](const ResultFields& f) { describe_evaluation(f, {}, 0); };
  command.run = [&o](Run& run) { return run_eval(o, run); };
  return command;
}

Command predict_command(ClickPredictOptions& o) {
  Command command;
  command.name = "predict";
  command.summary = "write the probability of a click for each sample";
  command.description =
      "Reads samples, and writes a line with the probability of a click for each, in order and in "
      "constant memory. Labels may be missing, and are ignored. In a pipe, probabilities are "
      "written as soon as whole lines arrive.\n\n"
      "A model whose name ends in .safetensors is not compressed, and can be mapped. A small file, "
      "and lines of a pipe, then read only the rows of the tables that they use. --device auto is "
      "the CPU for such input.";
  command.examples = {
      {"robe-compress predict clicks.model requests.tsv -o answers.txt", "one probability a line"},
      {"tail -f requests.tsv | robe-compress predict clicks.model", "predict in a pipe"}};
  command.often = {"--output", "--format", "--logits"};
  command.describe = [&o](const OptionFields& f) {
    add_model_options(f, o.model, o.data, o.input, "file of samples; - is stdin");
    f.add("-o,--output", o.output, "file to write the probabilities to; - is stdout")
        .metavar("FILE");
    f.add("--logits", o.logits, "write logits instead of probabilities");
  };
  command.uses = {.precision = true, .device = true, .engine = "robe.predict"};
  command.describe_results = [](const ResultFields& f) { describe_answers(f, {}, 0); };
  command.run = [&o](Run& run) {
    ClickPredictOptions options = o;
    options.precision = run.precision();
    options.device = run.options().device;
    run.reads(options.model);
    run.reads(options.data);
    run.writes(options.output);
    const double began = wall_seconds();
    const ClickPredictResult answered = predict_clicks(options);
    describe_answers(ResultFields(run.result()), answered, wall_seconds() - began);
    return ExitStatus::ok;
  };
  return command;
}

}  // namespace frugal::robe
