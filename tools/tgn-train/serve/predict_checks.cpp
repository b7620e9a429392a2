#include "tools/tgn-train/serve/predict_checks.h"

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::tgn {

void check_predict_options(const PredictOptions& options) {
  if (options.on_error != "stop" && options.on_error != "skip") {
    fail(ExitStatus::usage, "--on-error is '", printable(options.on_error),
         "', expected stop or skip");
  }
  if (!options.query && (options.rank || options.top != 0)) {
    fail(ExitStatus::usage, options.rank ? "--rank" : "--top-k", " goes with --query");
  }
  if (options.rank && options.top != 0) {
    fail(ExitStatus::usage, "--top-k has the ranks of the best, expected no --rank beside it");
  }
  if (options.query && !options.save_state.empty()) {
    fail(ExitStatus::usage, "--query changes no state, expected no --save-state beside it");
  }
  if (!options.history.empty() && !options.state.empty()) {
    fail(ExitStatus::usage, "--state goes on where a run ended, expected no --history beside it");
  }
}

void check_architecture(const TgnModelFile& stored, const std::string& path) {
  if (!stored.model->options().dyrep) return;
  fail(ExitStatus::usage, path, ": a model of architecture dyrep, which predict does not run");
}

std::unique_ptr<PredictionLabels> predicted_labels(const PredictOptions& options,
                                                   TgnModelFile& stored) {
  const bool of_event = stored.labels && stored.label_task.of_event;
  const bool wants = options.task == (of_event ? "event-label" : "node-label");
  if (options.task != "auto" && options.task != "link" && !(wants && stored.labels)) {
    fail(ExitStatus::usage, options.model, ": predicts no labels of --task ", options.task);
  }
  const bool asks_for_links = options.rank || options.top != 0;
  const bool has_links = !of_event && !stored.model->options().is_empty;
  const bool is_auto = options.task == "auto" && stored.labels && !(asks_for_links && has_links);
  if (!wants && !is_auto) {
    check_has_network(stored, options.model);
    return nullptr;
  }
  check_logits(options.logits, stored.label_task);
  if (asks_for_links) {
    fail(ExitStatus::usage, options.rank ? "--rank" : "--top-k",
         " is of links, expected --task link beside it");
  }
  const TgnInputs& inputs = stored.model->inputs();
  if (options.query && stored.label_task.reads_features && inputs.edge_features > inputs.types) {
    fail(ExitStatus::usage, options.model,
         ": predicts by the features of an event, which --query leaves out; expected no --query, "
         "or a model trained without --event-features");
  }
  return std::make_unique<PredictionLabels>(stored);
}

void check_node_features(const TgnModelFile& stored, const FeatureRows& rows,
                         const std::string& path) {
  const std::size_t want =
      stored.model->inputs().node_features ? stored.model->options().memory_dim : 0;
  if (rows.dim == want) return;
  fail(ExitStatus::bad_input, path, ": nodes have ", format_count(rows.dim, "feature"),
       ", the model takes ", want);
}

void check_first_time(const LiveEvents& events, const TextTime& time, const std::string& past) {
  const EventTime last = events.view(0).times.at(events.size() - 1);
  const TextTime before{events.has_whole_times(), last.whole, last.real};
  if (!is_before(time, before)) return;
  fail(ExitStatus::bad_input, "time ", time.text(), " is before ", before.text(), ", the last of ",
       past, ", expected events in the order of time");
}

}  // namespace frugal::tgn
