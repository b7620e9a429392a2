#include "tools/tgn-train/serve/predict.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/clock.h"
#include "libcore/system/output_file.h"
#include "libcore/system/signals.h"
#include "tools/tgn-train/data/event_parser.h"
#include "tools/tgn-train/model/model_file.h"
#include "tools/tgn-train/model/prediction_state.h"
#include "tools/tgn-train/serve/predict_checks.h"
#include "tools/tgn-train/serve/prediction_answers.h"
#include "tools/tgn-train/serve/prediction_mix.h"
#include "tools/tgn-train/serve/prediction_types.h"

namespace frugal::tgn {
namespace {

/// Scored at once where it changes nothing but the speed.
constexpr std::size_t kBatch = 200;
/// How long a signal may wait for its answer while there is no input.
constexpr double kWaitSeconds = 0.2;

/// One run of `predict`: model, stream, and the loop over lines.
class PredictRun {
 public:
  explicit PredictRun(const PredictOptions& options)
      : options_(options),
        reader_(options.events),
        output_(options.output, {.binary = false}),
        answers_(options.answers, options.logits ? ScoreForm::logit : ScoreForm::probability,
                 options.rank || options.top != 0) {}
  PredictResult run();

 private:
  void load();
  void replay_history();
  void begin_without_past();
  void read_layout();
  bool wait_for_input();
  bool next(TextEvent& event, bool may_wait);
  bool read_batch();
  void add(const TextEvent& event);
  void ask(const TextEvent& event);
  NodeId asked(std::string_view name, bool as_destination, std::string_view source);
  void rank(const TextEvent& event, const MixEvent& asked);
  void check_features(std::string_view name) const;
  NodeId node_of(std::string_view name, bool as_destination);
  void skip(const Error& error);
  void answer();
  void stop_at_line(const Error& error);
  void save();
  bool has_past() const { return !options_.history.empty() || !options_.state.empty(); }

  PredictOptions options_;
  TgnModelFile stored_;
  std::string fingerprint_;
  std::size_t batch_ = kBatch;
  std::unique_ptr<LiveSession> session_;
  std::unique_ptr<EventStream> history_;
  PredictionState state_;
  PieceReader reader_;
  OutputFile output_;
  EventLayout layout_;
  EventTextOptions text_;
  std::unique_ptr<EventLines> lines_;
  PredictionAnswers answers_;
  PredictionMix mix_;
  std::unique_ptr<PredictionLabels> labels_;  ///< null if links are predicted
  std::vector<std::uint64_t> question_keys_;  ///< of nodes, and of two that questions may bring
  PredictResult result_;
};

PredictResult PredictRun::run() {
  const double began = wall_seconds();
  check_output(options_.save_state);
  reader_.set_pace(Pace::prompt);
  load();
  const double read = wall_seconds();
  result_.read_seconds = read - began;
  const std::size_t known = state_.nodes.size();
  if (wait_for_input() && !reader_.head().empty()) {
    read_layout();
    while (!result_.stopped && read_batch()) answer();
  }
  if (lines_) lines_->comments().tell(reader_.name());
  output_.commit();
  if (!options_.save_state.empty()) save();
  result_.nodes = state_.nodes.size();
  result_.new_nodes = state_.nodes.size() - known;
  result_.kept_events = session_->events().size();
  result_.seconds = wall_seconds() - read;
  return result_;
}

void PredictRun::load() {
  Document document = read_document(options_.model);
  fingerprint_ = model_fingerprint(document);
  stored_ = load_model(std::move(document), options_.model, options_.precision);
  check_architecture(stored_, options_.model);
  state_.types = stored_.types;
  labels_ = predicted_labels(options_, stored_);
  if (labels_) stored_.window = stored_.label_batch;
  if (stored_.session.mode != MemoryMode::window) batch_ = stored_.window;
  if (options_.batch != 0) batch_ = options_.batch;
  mix_ = PredictionMix(stored_.mix && !labels_ ? &*stored_.mix : nullptr);
  const LiveOptions live{.batch = batch_, .ties = ties_for(options_.ties, stored_.session.mode)};
  session_ = std::make_unique<LiveSession>(*stored_.model, stored_.session, live);
  if (labels_) {
    session_->on_embeddings([this](MatrixView<const float> rows) { labels_->take(rows); });
  }
  if (!options_.state.empty()) {
    state_ = PredictionState::load(options_.state, *session_, fingerprint_, mix_.keys(),
                                   labels_ ? labels_->history() : nullptr);
    check_node_features(stored_, state_.feature_rows(), options_.state);
  } else if (!options_.history.empty()) {
    replay_history();
  } else {
    begin_without_past();
  }
}

/// The memory goes through the events as in training.
void PredictRun::replay_history() {
  history_ = std::make_unique<EventStream>(options_.history, stored_.types);
  const EventStream& stream = *history_;
  check_inputs(stored_, stream, options_.model);
  state_.nodes = LiveNodes(stream);
  state_.dates = stream.has_dates();
  session_->set_nodes(stream.num_nodes(), state_.nodes.keys());
  mix_.make_room_for(stream, options_.model);
  if (labels_) labels_->pass(stream, options_.model);
  state_.is_destination.resize(stream.num_nodes());
  if (!stream.node_features().empty()) {
    const FeatureRows& rows = stream.node_features();
    state_.node_features = Tensor::make("node_features", rows.dtype, {rows.rows, rows.dim});
    std::copy_n(rows.data, rows.rows * rows.row_bytes(), state_.node_features.bytes.data());
    session_->set_node_features(state_.feature_rows());
  }
  if (!stream.times().is_whole()) session_->make_times_real();
  // Labels were trained on the memory that the final weights make.
  const TrainedMemory* const trained = labels_ ? nullptr : memory_for(stored_, stream);
  result_.memory_of_model = trained != nullptr;
  const EventId from = trained == nullptr ? 0 : trained->events;
  const FeatureRows rows = stream.edge_features().without_types();
  std::vector<float> features(rows.dim);
  for (EventId e = 0; e < stream.num_events(); ++e) {
    if (stop_requested()) fail(stop_status(false), "stopped within ", options_.history);
    if (!features.empty()) rows.read(e, features.data());
    const MixEvent event{stream.sources()[e], stream.destinations()[e],
                         stream.types().empty() ? std::uint16_t{0} : stream.types()[e],
                         stream.times().between(0, e)};
    session_->add(event.source, event.destination, stream.times().at(e), features, event.type);
    state_.is_destination[event.destination] = 1;
    mix_.pass(event);
    if (e + 1 == from) {
      session_->go_on_from(trained->state, trained->path);
    } else if (e >= from && (e + 1 - from) % stored_.window == 0) {
      session_->learn();
    }
    ++result_.history_events;
  }
  session_->learn();
}

void PredictRun::begin_without_past() {
  if (stored_.model->inputs().node_features) {
    fail(ExitStatus::usage, options_.model,
         ": the model takes features of nodes, expected --history EVENTS that has them");
  }
}

/// Determines the layout of the columns and the naming of nodes.
void PredictRun::read_layout() {
  if (has_past() && (options_.ids != "auto" || options_.bipartite != "auto")) {
    fail(ExitStatus::usage, options_.ids != "auto" ? "--ids" : "--bipartite",
         " does not go with --history or --state, which say how nodes are named; leave it out");
  }
  EventLayoutOptions layout = options_.layout;
  layout.ids = event_ids(options_.ids);
  layout.labels = stored_.label_task.type;
  read_columns_of(stored_, layout);
  if (has_past()) {
    layout.ids = state_.nodes.naming().names ? EventIds::any : EventIds::number;
    layout.times = state_.dates ? TimeForm::date : TimeForm::number;
  }
  layout_ = event_layout(reader_, layout);
  if (!has_past()) {
    const bool own_ids =
        options_.bipartite == "auto" ? layout_.own_ids : options_.bipartite == "yes";
    state_.dates = layout_.times == TimeForm::date;
    state_.nodes = LiveNodes({layout_.names, own_ids, layout_.first_id, layout_.whole_sources,
                              layout_.whole_destinations});
  }
  layout_.first_id = state_.nodes.naming().first_id;
  const std::size_t features = stored_.model->inputs().edge_features - stored_.types.size();
  const bool reads_labels = !options_.query && labels_ && labels_->history() != nullptr;
  layout_.leave_out_label(features, reads_labels);
  if (reads_labels && !layout_.label) {
    log_info(reader_.name(),
             ": has no column of labels; later answers miss the labels of its lines");
  }
  if (!options_.query) layout_.take_features(stored_.features, reader_.name());
  if (options_.query) layout_.features.clear();
  check_columns(stored_, layout_, reader_.name(), options_.model, options_.query);
  text_.names = layout_.names;
  text_.order_hint = "";
  lines_ = std::make_unique<EventLines>(reader_, layout_, text_);
  if (options_.on_error == "skip") lines_->skip_bad([this](const Error& error) { skip(error); });
  const bool has_names = layout_.form.header_line != 0 || layout_.format->json;
  const LabelTask task = labels_ ? labels_->task() : LabelTask();
  const std::string header = has_names ? answers_.header(task, !stored_.types.empty()) : "";
  output_.write(header.data(), header.size());
}

/// False where a signal ends the run or nothing will come.
bool PredictRun::wait_for_input() {
  while (!stop_requested()) {
    if (!options_.save_state.empty() && take_checkpoint_request()) save();
    if (reader_.wait(kWaitSeconds)) return true;
  }
  result_.stopped = true;
  return false;
}

bool PredictRun::next(TextEvent& event, bool may_wait) {
  while (!lines_->next(event, false)) {
    if (lines_->at_end() || !may_wait || !wait_for_input()) return false;
  }
  return true;
}

/// As many events as are there, at least one; false at the end.
bool PredictRun::read_batch() {
  if (!options_.save_state.empty() && take_checkpoint_request()) save();
  if (stop_requested()) {
    result_.stopped = true;
    return false;
  }
  answers_.clear();
  const std::uint64_t before = result_.events;
  try {
    TextEvent event;
    while (result_.events - before < batch_ && next(event, result_.events == before)) {
      if (lines_->take([&] { add(event); })) ++result_.events;
    }
  } catch (const Error& error) {
    // Answers the events before the wrong line first.
    if (result_.events != before) answer();
    if (error.status() == ExitStatus::bad_input) stop_at_line(error);
    throw;
  }
  return result_.events != before;
}

void PredictRun::skip(const Error& error) {
  constexpr std::uint64_t kTold = 10;
  if (++result_.skipped > kTold) return;
  log_warning(error.what(), result_.skipped < kTold ? "; skipped" : "; skipped, as more may be");
}

/// Writes the answers and the state before the wrong line, so that a service can continue after it.
void PredictRun::stop_at_line(const Error& error) {
  if (options_.save_state.empty() || session_->events().size() == 0) return;
  output_.commit();
  save();
  fail(error.status(), error.what(), "; answers and ", options_.save_state,
       " are of the lines before it");
}

void PredictRun::add(const TextEvent& event) {
  if (result_.events == 0 && session_->events().size() != 0) {
    check_first_time(session_->events(), event.time,
                     options_.state.empty() ? options_.history : options_.state);
  }
  if (session_->events().has_whole_times() && !event.time.is_whole) session_->make_times_real();
  if (options_.query) return ask(event);
  // A wrong label fails before anything changes.
  const float label = labels_ ? labels_->label_of(event) : 0;
  const std::uint16_t type = type_of(event, stored_);
  const NodeId source = node_of(event.source, false);
  const NodeId destination = node_of(event.destination, true);
  session_->set_nodes(state_.nodes.size(), state_.nodes.keys());
  state_.is_destination.resize(state_.nodes.size());
  const EventTime time{event.time.whole, event.time.value()};
  session_->add(source, destination, time, event.features, type);
  state_.is_destination[destination] = 1;
  mix_.grow(state_.nodes.size());
  const double since = session_->events().since_first(time);
  mix_.expect({source, destination, type, since});
  if (labels_) {
    labels_->grow(state_.nodes.size());
    labels_->expect(source, destination, since, {event.features, type}, label);
  }
  answers_.ask(event, state_.nodes.naming().names);
}

/// The memory is not told of a question.
void PredictRun::ask(const TextEvent& event) {
  // Behind the nodes that there are stand two for those that are asked about and unknown.
  const std::size_t known = state_.nodes.size();
  if (question_keys_.empty()) {
    question_keys_.assign(state_.nodes.keys().begin(), state_.nodes.keys().end());
    question_keys_.resize(known + 2);
    session_->set_nodes(known + 2, question_keys_);
    mix_.grow(known + 2);
    if (labels_) labels_->grow(known + 2);
  }
  const std::uint16_t type = type_of(event, stored_);
  const NodeId source = asked(event.source, false, event.source);
  const NodeId destination = asked(event.destination, true, event.source);
  const EventTime time{event.time.whole, event.time.value()};
  const MixEvent asked{source, destination, type, session_->events().since_first(time)};
  if (options_.rank || options_.top != 0) return rank(event, asked);
  const std::span<const NodeId> one(&destination, 1);
  const std::span<const float> network = session_->ask(source, one, time, type);
  if (labels_) {
    answers_.ask(event, state_.nodes.naming().names);
    labels_->expect(source, destination, asked.time, {{}, type}, NAN);
    return;
  }
  const float logit = mix_.asked(asked, one, network)[0];
  answers_.add(event.destination, event, state_.nodes.naming().names, logit, {});
}

/// Among all that were destinations and the one that is asked about.
void PredictRun::rank(const TextEvent& event, const MixEvent& asked) {
  std::vector<NodeId> nodes = state_.destinations();
  if (options_.top == 0 || nodes.empty()) nodes.push_back(asked.destination);
  const EventTime time{event.time.whole, event.time.value()};
  std::optional<double> by_keys;
  if (options_.top == 0) by_keys = mix_.shorten_for_rank(asked, LinkMix::kShortlist, nodes);
  const std::size_t best = std::max(LinkMix::kShortlist, options_.top);
  if (options_.top != 0) mix_.shorten_to_best(asked, best, nodes);
  const std::span<const float> logits =
      mix_.asked(asked, nodes, session_->ask(asked.source, nodes, time, asked.type));
  const auto add = [&](NodeId node, float logit) {
    answers_.add(node < state_.nodes.size() ? state_.nodes.name(node) : event.destination, event,
                 state_.nodes.naming().names, logit,
                 by_keys ? *by_keys : rank_among(nodes, node, logit, logits));
  };
  if (options_.top == 0) return add(asked.destination, logits.back());
  for (const std::size_t i : highest(logits, options_.top)) add(nodes[i], logits[i]);
}

NodeId PredictRun::node_of(std::string_view name, bool as_destination) {
  if (const auto known = state_.nodes.find(name, as_destination)) return *known;
  check_features(name);
  ++(as_destination ? result_.unknown_destinations : result_.unknown_sources);
  return state_.nodes.number(name, as_destination);
}

/// A node that a question is about; names that nobody knows are not kept.
NodeId PredictRun::asked(std::string_view name, bool as_destination, std::string_view source) {
  if (const auto known = state_.nodes.find(name, as_destination)) return *known;
  check_features(name);
  ++(as_destination ? result_.unknown_destinations : result_.unknown_sources);
  const bool is_source = !as_destination || state_.nodes.is_one(source, name);
  const auto node = static_cast<NodeId>(state_.nodes.size() + (is_source ? 0 : 1));
  session_->set_key(node, state_.nodes.key_of_new(name, as_destination));
  return node;
}

/// Checks the features of a new node.
void PredictRun::check_features(std::string_view name) const {
  if (!stored_.model->inputs().node_features) return;
  fail(ExitStatus::bad_input, "node '", printable(name),
       "' has no features, which the model takes, expected one of ",
       options_.state.empty() ? options_.history : options_.state);
}

void PredictRun::answer() {
  if (labels_) session_->score();
  const std::string& text = labels_
                                ? answers_.text(labels_->answers(answers_.form(), answers_.json()))
                            : options_.query ? answers_.text()
                                             : answers_.text(mix_.answers(session_->score()));
  output_.write(text.data(), text.size());
}

void PredictRun::save() {
  state_.save(options_.save_state, *session_, mix_.keys(), labels_ ? labels_->history() : nullptr,
              fingerprint_, options_.history_entry);
}

}  // namespace

PredictResult predict_events(const PredictOptions& options) {
  check_predict_options(options);
  return PredictRun(options).run();
}

}  // namespace frugal::tgn
