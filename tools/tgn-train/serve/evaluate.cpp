#include "tools/tgn-train/serve/evaluate.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "libcore/arrays/row_file.h"
#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/device/registry.h"
#include "libcore/system/clock.h"
#include "libcore/system/limits.h"
#include "libcore/system/output_file.h"
#include "tools/tgn-train/data/event_parser.h"
#include "tools/tgn-train/data/live_nodes.h"
#include "tools/tgn-train/links/given_negatives.h"
#include "tools/tgn-train/links/link_data.h"
#include "tools/tgn-train/links/rank_source.h"
#include "tools/tgn-train/mix/stream_keys.h"
#include "tools/tgn-train/model/model_file.h"
#include "tools/tgn-train/serve/prediction_answers.h"
#include "tools/tgn-train/serve/rank_scores.h"

namespace frugal::tgn {
namespace {

/// Scores of a test, a line each: part, source and destination as the input calls them, time, label
/// and score, the probability.
class PredictionFile {
 public:
  /// data: outlives this. Nothing appears at `path` before commit().
  PredictionFile(const std::string& path, const LinkData& data, ScoreForm form,
                 const LabelTask& task);

  /// An event, label 1, and the destination that it is told apart from, label 0.
  void add_link(EventId event, float link, NodeId negative, float negative_logit);
  /// The predicted label of an event, with the label that it has.
  void add_label(EventId event, const LabelTask& task, float label, std::span<const float> outputs);
  void commit() { output_.commit(); }

 private:
  void add(EventId event, NodeId destination, const std::string& label, const std::string& answer);

  const LinkData& data_;
  NodeNaming naming_;
  HeaderNames types_;
  ScoreForm form_;
  OutputFile output_;
};

std::string time_text(const EventStream& stream, EventId event) {
  const EventTime time = stream.times().at(event);
  return TextTime{stream.times().is_whole(), time.whole, time.real, stream.has_dates()}.text();
}

/// The fewest digits that are read as the same number.
std::string short_text(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number).ptr};
}

PredictionFile::PredictionFile(const std::string& path, const LinkData& data, ScoreForm form,
                               const LabelTask& task)
    : data_(data),
      naming_(naming_of(data.stream())),
      types_(data.stream().type_names()),
      form_(form),
      output_(path, {.binary = false}) {
  const std::string header = "part,source,destination,time," +
                             std::string(types_.empty() ? "" : "edge_type,") + "label," +
                             label_header(task, form) + '\n';
  output_.write(header.data(), header.size());
}

void PredictionFile::add_link(EventId event, float link, NodeId negative, float negative_logit) {
  add(event, data_.stream().destinations()[event], "1", score_text(link, form_));
  add(event, negative, "0", score_text(negative_logit, form_));
}

void PredictionFile::add_label(EventId event, const LabelTask& task, float label,
                               std::span<const float> outputs) {
  const std::string text = std::isnan(label) ? ""
                           : task.type == LabelType::classes
                               ? csv_field(task.classes[static_cast<std::size_t>(label)])
                               : short_text(label);
  add(event, data_.stream().destinations()[event], text, label_answer(task, outputs, form_, false));
}

void PredictionFile::add(EventId event, NodeId destination, const std::string& label,
                         const std::string& answer) {
  const EventStream& stream = data_.stream();
  const bool tests = event >= data_.split().begin(EventPart::test);
  const std::string line = std::string(tests ? "test," : "validation,") +
                           csv_field(node_name(stream, naming_, stream.sources()[event])) + ',' +
                           csv_field(node_name(stream, naming_, destination)) + ',' +
                           time_text(stream, event) + ',' +
                           (types_.empty() ? "" : csv_field(types_[stream.types()[event]]) + ',') +
                           label + ',' + answer + '\n';
  output_.write(line.data(), line.size());
}

/// Null where none is asked for.
std::unique_ptr<PredictionFile> prediction_file(const EvalOptions& options, const LinkData& data,
                                                const LabelTask& task = {}) {
  if (options.predictions.empty()) return nullptr;
  return std::make_unique<PredictionFile>(
      options.predictions, data, options.logits ? ScoreForm::logit : ScoreForm::probability, task);
}

/// As the label decoder was trained: from the network that is beside it in the file.
EvalResult evaluate_labels(const EvalOptions& options, TgnModelFile& stored, double began) {
  EvalResult result;
  const LabelTask& task = stored.label_task;
  check_logits(options.logits, task);
  EventSplitOptions split = stored.split;
  split.new_nodes = 0;
  const LinkData data(options.events, split, stored.types);
  check_inputs(stored, data.stream(), options.model);
  EventLabels event_labels(data);
  event_labels.check(options.baselines);
  event_labels.fit(task, options.model);
  result.parameters = stored.model->num_parameters() + stored.labels->num_parameters();
  const double read = wall_seconds();
  result.read_seconds = read - began;
  StreamSession session(*stored.model, data.events(), data.all_neighbors(), data.features(),
                        stored.session);
  const LabelInputs inputs =
      label_inputs(session, data, event_labels, task, stored.label_batch, {});
  LabelTests& labels = result.labels.emplace();
  labels.type = task.type;
  labels.reads = label_reads(task, *stored.model);
  labels.valid_events = data.split().num_events(EventPart::valid);
  labels.test_events = data.split().num_events(EventPart::test);
  labels.valid_labelled = event_labels.count(EventPart::valid);
  labels.test_labelled = event_labels.count(EventPart::test);
  const std::unique_ptr<PredictionFile> predictions = prediction_file(options, data, task);
  const auto test = [&](EventPart part) {
    const auto tested = [&](EventId event, std::span<const float> outputs) {
      if (predictions) predictions->add_label(event, task, event_labels.at(event), outputs);
    };
    return test_labels(*stored.labels, task, event_labels,
                       {data.split().begin(part), data.split().end(part)}, inputs, tested);
  };
  labels.valid = test(EventPart::valid);
  labels.test = test(EventPart::test);
  if (options.baselines) labels.baselines = test_label_baselines(data, event_labels, task);
  if (predictions) predictions->commit();
  result.seconds = wall_seconds() - read;
  return result;
}

bool asks_for_labels(const EvalOptions& options, const TgnModelFile& stored) {
  if (options.task == "auto") return stored.labels != nullptr;
  if (options.task == "link") {
    check_has_network(stored, options.model);
    return false;
  }
  if (!stored.labels) {
    fail(ExitStatus::usage, options.model, ": knows no labels; train --task ", options.task,
         " makes a model that does");
  }
  if (stored.label_task.of_event != (options.task == "event-label")) {
    fail(ExitStatus::usage, options.model, ": a model of --task ",
         stored.label_task.of_event ? "event-label" : "node-label", ", not ", options.task);
  }
  return true;
}

void write_rank_scores(const EvalOptions& options, const RankScores& scores) {
  Document document = scores.document();
  append_history(document.metadata, options.history_entry);
  write_arrays(options.rank_scores, document);
}

/// Number of events of validation and test whose negative is a given one.
std::uint64_t count_given(const EvaluationNegatives& negatives, const LinkData& data) {
  std::uint64_t count = 0;
  for (EventId e = data.split().begin(EventPart::valid); e < data.split().end(EventPart::test);
       ++e) {
    count += negatives.given(e) ? 1 : 0;
  }
  return count;
}

std::vector<BaselineResult> test_baselines(const LinkData& data,
                                           const EvaluationNegatives& negatives,
                                           const LinkRanks& ranks, Ties ties) {
  BaselineOptions baselines;
  baselines.valid_ranks = ranks.valid;
  baselines.test_ranks = ranks.test;
  baselines.strictly_earlier = ties == Ties::strict;
  return evaluate_baselines(data.events(), data.parts(), negatives, baselines);
}

void check_for_mix(const EvalOptions& options, const TgnModelFile& stored, bool labels) {
  if (options.for_mix.empty() || (stored.mix && !labels)) return;
  fail(ExitStatus::usage, options.model, ": ",
       labels ? "the labels are tested" : "answers without a mix", ", expected no ",
       options.for_mix.front());
}

void check_room_for_mix(const std::string& model, const LinkData& data) {
  check_memory(model + ": its mix, which train --mix none leaves out,",
               2 * StreamKeys::most_bytes(data.events()));
}

}  // namespace

EvalResult evaluate(const EvalOptions& options) {
  const double began = wall_seconds();
  check_output(options.predictions);
  check_output(options.rank_scores);
  TgnModelFile stored = read_model(options.model, options.precision, options.place);
  stored.session.place = options.place;
  const bool labels = asks_for_labels(options, stored);
  check_for_mix(options, stored, labels);
  if (labels) {
    check_device(options.device, "tgn-train eval of labels", "");
    return evaluate_labels(options, stored, began);
  }
  EvalResult result;
  const Ties ties = ties_for(options.ties, stored.session.mode);
  const LinkData data(options.events, stored.split, stored.types);
  check_inputs(stored, data.stream(), options.model);
  const std::uint64_t seed = stored.split.seed + options.seed;
  const EvaluationNegatives negatives(data.events(), data.parts(), seed,
                                      given_negatives(options.negatives, data, seed));
  if (options.negatives != "uniform") result.given_negatives = count_given(negatives, data);
  const RankSource source({options.ranks, options.num_ranked, options.seed}, data);
  result.parameters = stored.model->num_parameters();
  StreamSession session(*stored.model, data.events(), data.training_neighbors(), data.features(),
                        stored.session);
  session.compute_on({options.device, "tgn-train eval", options.batch}, std::nullopt);
  const double read = wall_seconds();
  result.read_seconds = read - began;
  result.memory_of_model = begin_behind_training(stored, data, session);
  const std::unique_ptr<PredictionFile> predictions = prediction_file(options, data);
  LinkObserver observer;
  if (predictions) {
    observer = [&](EventId event, float link, NodeId negative, float negative_logit) {
      predictions->add_link(event, link, negative, negative_logit);
    };
  }
  if (stored.mix) check_room_for_mix(options.model, data);
  RankScores rank_scores(data, source.ranks());
  RankObserver decided;
  if (!options.rank_scores.empty()) {
    decided = [&](EventId event, std::span<const float> logits) { rank_scores.add(event, logits); };
  }
  result.tests = test_links(data, negatives, session, source.ranks(),
                            {.batch = options.batch,
                             .ties = ties,
                             .observer = observer,
                             .decided = decided,
                             .mix = stored.mix ? &*stored.mix : nullptr,
                             .shortlist = options.shortlist});
  if (predictions) predictions->commit();
  if (decided) write_rank_scores(options, rank_scores);
  const double tested = wall_seconds();
  result.seconds = tested - read;
  if (options.baselines) {
    result.baselines = test_baselines(data, negatives, source.ranks(), ties);
    result.baseline_seconds = wall_seconds() - tested;
  }
  return result;
}

}  // namespace frugal::tgn
