#include "tools/tgn-train/links/link_evaluation.h"

#include <algorithm>

#include "libcore/base/log.h"
#include "tools/tgn-train/model/model_file.h"

namespace frugal::tgn {
namespace {

/// Destinations scored at once. If they share rows, more at once share more.
constexpr std::size_t kDestinations = 4096, kSharedDestinations = 16384;
/// Most shortlists that are kept, of about 1 KB each.
constexpr std::size_t kMostLists = 1 << 16;

}  // namespace

LinkEvaluation::LinkEvaluation(const LinkData& data, const EvaluationNegatives& negatives,
                               StreamSession& session, const Options& options)
    : data_(data),
      negatives_(negatives),
      session_(session),
      options_(options),
      times_(data.stream().times()),
      waiting_(times_, options.ties) {
  if (options.mix != nullptr) keys_.emplace(data.events(), options.mix->time_unit);
}

LinkMetrics LinkEvaluation::run(EventPart part, bool inductive, const NegativeSampler* ranks) {
  LinkMetrics metrics;
  network_ = LinkMetrics();
  session_.bring_model_back();  // the host's decoder computes the scores
  session_.planner().use(data_.all_neighbors());
  session_.planner().draw_by(kEvaluationDraws);
  EventId at = data_.split().begin(part);
  // After the events with new nodes, all events of the part are tested.
  if (keys_ && inductive) keys_->keep(at);
  keeps_lists_ = inductive;
  if (inductive) lists_.clear();
  std::vector<EventId> events, behind;
  for (data_.next(part, inductive, options_.batch, at, events); !events.empty();
       data_.next(part, inductive, options_.batch, at, events)) {
    if (options_.stops && options_.stops()) throw EvaluationStopped();
    EventId from = at;
    data_.next(part, inductive, 1, from, behind);
    score(events, behind.empty() ? kNoEvent : behind.front(), inductive, ranks, metrics);
  }
  if (!waiting_.empty()) session_.learn(waiting_.take_all(), plan_);
  if (network_.ranked_links() != metrics.ranked_links()) network_.remove_ranks();
  return metrics;
}

void LinkEvaluation::score(std::span<const EventId> events, EventId next, bool inductive,
                           const NegativeSampler* ranks, LinkMetrics& metrics) {
  draw(events, inductive, ranks);
  const std::size_t most =
      session_.planner().can_share_rows() ? kSharedDestinations : kDestinations;
  const std::size_t chunk = std::max<std::size_t>(1, most / per_event_);
  const bool at_once = in_turn() || chunk >= events.size();
  for (std::size_t begin = 0; begin < events.size(); begin += chunk) {
    const std::size_t n = std::min(chunk, events.size() - begin);
    const std::span<const EventId> now = events.subspan(begin, n);
    StepEvents step;
    step.queries = now;
    step.others = std::span<const NodeId>(others_).subspan(begin * per_event_, n * per_event_);
    step.window_begin = events.front();
    step.shares_rows = true;
    if (in_turn()) {
      update_in_turn(step, begin + n < events.size() ? events[begin + n] : next);
    } else if (at_once) {
      step.updates = now;
    }
    session_.planner().plan(step, plan_);
    const MatrixView<const float> embeddings = session_.runner().embed(plan_, {});
    if (at_once) session_.runner().store(plan_);
    add_scores({events, begin, n, inductive, ranks != nullptr}, embeddings, metrics);
  }
  if (!at_once) session_.learn(events, plan_);
}

void LinkEvaluation::add_scores(const Scored& scored, MatrixView<const float> embeddings,
                                LinkMetrics& metrics) {
  const MatrixView<const float> logits = session_.model().score(plan_, embeddings);
  for (std::size_t i = 0; i < scored.count; ++i) {
    const std::size_t number = scored.begin + i;
    const EventId event = scored.events[number];
    logits_.assign(logits.row(i), logits.row(i) + 2 + num_ranked_[number]);
    if (options_.ranked && num_ranked_[number] != 0) options_.ranked(event, logits_);
    keys_ ? add_mixed(number, metrics) : add_logits(metrics);
    if (options_.decided && scored.ranked && !scored.inductive) options_.decided(event, logits_);
    if (!options_.observer || scored.inductive) continue;
    options_.observer(event, logits_[0], others_[number * per_event_], logits_[1]);
  }
}

void LinkEvaluation::add_logits(LinkMetrics& metrics) const {
  if (logits_.size() > 2) metrics.add_ranked(logits_[0], std::span(logits_).subspan(2));
  metrics.add(logits_[0], logits_[1]);
}

void LinkEvaluation::shorten(EventId event, NodeId negative, std::vector<NodeId>& ranked) {
  // The stream's keys only go forward: all that the event needs of them is computed here.
  Mixed& mixed = mixed_.emplace_back();
  const NodeId destination = data_.stream().destinations()[event];
  if (ranked.size() > options_.shortlist) {
    candidates_ = {destination};
    candidates_.insert(candidates_.end(), ranked.begin(), ranked.end());
    mixed.list = shortlist(event);
    ranked.clear();
    for (const std::size_t c : mixed.list.best) ranked.push_back(candidates_[c]);
  }
  candidates_ = {destination, negative};
  candidates_.insert(candidates_.end(), ranked.begin(), ranked.end());
  keys_->keys(event, candidates_, mixed.keys);
}

Shortlist LinkEvaluation::shortlist(EventId event) {
  const auto known = lists_.extract(event);
  if (!known.empty()) return std::move(known.mapped());
  Shortlist list = keys_->shortlist(options_.mix->keys, event, candidates_, options_.shortlist);
  if (keeps_lists_ && lists_.size() < kMostLists) lists_.emplace(event, list);
  return list;
}

void LinkEvaluation::add_mixed(std::size_t number, LinkMetrics& metrics) {
  const auto& [list, keys] = mixed_[number];
  const std::vector<float> network = logits_;
  options_.mix->mix.mix(keys, logits_);
  if (list.best.empty()) {
    add_logits(metrics);
    if (network.size() > 2) network_.add_ranked(network[0], std::span(network).subspan(2));
  } else if (list.has_first(options_.shortlist)) {
    add_logits(metrics);
  } else {
    metrics.add_rank(list.above, list.equal);
    metrics.add(logits_[0], logits_[1]);
  }
  network_.add(network[0], network[1]);
}

/// Sets the updates that the step applies, and what its queries see of events at their time.
void LinkEvaluation::update_in_turn(StepEvents& step, EventId next) {
  const std::span<const EventId> events = step.queries;
  while (waiting_.is_backlog(events.front())) {
    session_.learn(waiting_.take_backlog(events.front()), plan_);
  }
  waiting_.add(events);
  step.updates = waiting_.take(events.back(), next);
  step.ties = options_.ties;
}

/// Draws the negatives and the destinations to rank of each event.
void LinkEvaluation::draw(std::span<const EventId> events, bool inductive,
                          const NegativeSampler* ranks) {
  drawn_.clear();
  num_ranked_.clear();
  mixed_.clear();
  std::vector<NodeId> ranked;
  for (const EventId event : events) {
    if (ranks != nullptr) ranks->draw(event, ranked);
    const NodeId negative = inductive ? negatives_.draw_inductive(event) : negatives_.draw(event);
    if (keys_) shorten(event, negative, ranked);
    drawn_.push_back(negative);
    drawn_.insert(drawn_.end(), ranked.begin(), ranked.end());
    num_ranked_.push_back(ranked.size());
  }
  per_event_ = 1 + *std::max_element(num_ranked_.begin(), num_ranked_.end());
  others_.clear();
  const NodeId* from = drawn_.data();
  for (const std::size_t ranked_here : num_ranked_) {
    others_.insert(others_.end(), from, from + 1 + ranked_here);
    others_.insert(others_.end(), per_event_ - 1 - ranked_here, *from);
    from += 1 + ranked_here;
  }
}

void learn_training(const LinkData& data, StreamSession& session, EventId from, std::size_t batch) {
  session.planner().use(data.training_neighbors());
  session.planner().draw_by(kEvaluationDraws);
  StepPlan plan;
  std::vector<EventId> events;
  for (data.next(EventPart::train, false, batch, from, events); !events.empty();
       data.next(EventPart::train, false, batch, from, events)) {
    session.learn(events, plan);
  }
}

void learn_anew(const LinkData& data, StreamSession& session, std::size_t batch) {
  session.restart(Weights::fixed);
  learn_training(data, session, 0, batch);
}

bool begin_behind_training(TgnModelFile& stored, const LinkData& data, StreamSession& session) {
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

LinkTests test_links(const LinkData& data, const EvaluationNegatives& negatives,
                     StreamSession& session, const LinkRanks& ranks,
                     const LinkEvaluation::Options& options) {
  LinkEvaluation evaluation(data, negatives, session, options);
  LinkTests tests;
  const auto test = [&](EventPart part, const NegativeSampler* ranked,
                        std::optional<LinkMetrics>& inductive, std::optional<LinkMetrics>& all) {
    if (data.split().num_new_node_events(part) != 0) {
      session.keep_state();
      inductive = evaluation.run(part, true, ranked);
      session.restore();
    }
    all = evaluation.run(part, false, ranked);
    if (options.mix != nullptr && part == EventPart::test)
      tests.network_test = evaluation.network();
  };
  test(EventPart::valid, ranks.valid, tests.inductive_valid, tests.valid);
  test(EventPart::test, ranks.test, tests.inductive_test, tests.test);
  return tests;
}

}  // namespace frugal::tgn
