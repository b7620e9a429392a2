#include "tools/tgn-train/evaluate.h"

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "tools/tgn-train/model_file.h"
#include "tools/tgn-train/prediction_file.h"
#include "tools/tgn-train/rank_source.h"

namespace frugal::tgn {
namespace {

/// Null where none is asked for.
std::unique_ptr<PredictionFile> prediction_file(const EvalOptions& options, const LinkData& data) {
  return options.predictions.empty() ? nullptr
                                     : std::make_unique<PredictionFile>(options.predictions, data);
}

/// As the label decoder was trained: from the network that is beside it in the file.
EvalResult evaluate_labels(const EvalOptions& options, StoredTgn& stored, double began) {
  EvalResult result;
  EventSplitOptions split = stored.split;
  split.new_nodes = 0;
  const LinkData data(options.events, split);
  check_inputs(stored, data.stream(), options.model);
  check_labels(data);
  result.parameters = stored.model->num_parameters() + stored.labels->num_parameters();
  const double read = wall_seconds();
  result.read_seconds = read - began;
  StreamSession session(*stored.model, data.events(), data.all_neighbors(), data.features(),
                        stored.session);
  const Array<float> rows = embed_sources(session, data, stored.label_batch, {});
  const MatrixView<const float> embeddings(rows.data(), data.stream().num_events(),
                                           stored.labels->dim());
  LabelTests& labels = result.labels.emplace();
  labels.valid_events = data.split().num_events(EventPart::valid);
  labels.test_events = data.split().num_events(EventPart::test);
  labels.valid_labelled = count_labelled(data, EventPart::valid);
  labels.test_labelled = count_labelled(data, EventPart::test);
  const std::unique_ptr<PredictionFile> predictions = prediction_file(options, data);
  const auto tested = [&](EventId event, float logit) {
    if (predictions) predictions->add_label(event, logit);
  };
  labels.valid = test_labels(*stored.labels, data, EventPart::valid, embeddings, tested);
  labels.test = test_labels(*stored.labels, data, EventPart::test, embeddings, tested);
  if (predictions) predictions->commit();
  result.seconds = wall_seconds() - read;
  return result;
}

bool asks_for_labels(const EvalOptions& options, const StoredTgn& stored) {
  if (options.task == "node-label" && !stored.labels) {
    fail(ExitStatus::usage, options.model,
         ": knows no labels; train --task node-label --from makes a model that does");
  }
  return options.task == "node-label" || (options.task == "auto" && stored.labels);
}

/// Whether with the memory that training left; else it is made of the events that train.
bool begin_behind_training(StoredTgn& stored, const LinkData& data, StreamSession& session) {
  const TrainedMemory* trained = memory_for(stored, data.stream());
  const EventId end = data.split().end(EventPart::train);
  if (trained != nullptr && trained->events > end) {
    log_info(trained->path, ": its memory is of ", trained->events, " events, of which ", end,
             " are the training part of ", data.stream().path(), "; made anew");
    trained = nullptr;
  }
  if (trained != nullptr) {
    trained->give(session);
  } else {
    session.restart(Weights::fixed);
  }
  learn_training(data, session, trained != nullptr ? trained->events : 0, stored.window);
  return trained != nullptr;
}

}  // namespace

EvalResult evaluate(const EvalOptions& options) {
  const double began = wall_seconds();
  check_output(options.predictions);
  StoredTgn stored = read_model(options.model, options.precision, options.place);
  stored.session.place = options.place;
  if (asks_for_labels(options, stored)) return evaluate_labels(options, stored, began);
  EvalResult result;
  const Ties ties = ties_for(options.ties, stored.session.mode);
  const LinkData data(options.events, stored.split);
  check_inputs(stored, data.stream(), options.model);
  const EvaluationNegatives negatives(data.events(), data.parts(), stored.split.seed);
  const RankSource source({options.ranks, options.num_ranked, options.seed}, data);
  result.parameters = stored.model->num_parameters();
  StreamSession session(*stored.model, data.events(), data.training_neighbors(), data.features(),
                        stored.session);
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
  result.tests =
      test_links(data, negatives, session, source.ranks(), {options.batch, ties, observer});
  if (predictions) predictions->commit();
  const double tested = wall_seconds();
  result.seconds = tested - read;
  if (options.baselines) {
    BaselineOptions baselines;
    baselines.valid_ranks = source.ranks().valid;
    baselines.test_ranks = source.ranks().test;
    baselines.strictly_earlier = ties == Ties::strict;
    result.baselines = evaluate_baselines(data.events(), data.parts(), negatives, baselines);
    result.baseline_seconds = wall_seconds() - tested;
  }
  return result;
}

}  // namespace frugal::tgn
