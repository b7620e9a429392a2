#include "tools/tgn-train/link_evaluation.h"

#include <algorithm>

namespace frugal {
namespace {

/// Destinations that are embedded at a time.
constexpr std::size_t kRows = 4096;

}  // namespace

LinkMetrics LinkEvaluation::run(EventPart part, bool inductive, const NegativeSampler* ranks) {
  LinkMetrics metrics;
  session_.planner().use(data_.all_neighbors());
  session_.planner().draw_by(kEvaluationDraws);
  EventId at = data_.split().begin(part);
  std::vector<EventId> events;
  for (data_.next(part, inductive, batch_, at, events); !events.empty();
       data_.next(part, inductive, batch_, at, events)) {
    score(events, inductive, ranks, metrics);
  }
  return metrics;
}

void LinkEvaluation::score(std::span<const EventId> events, bool inductive,
                           const NegativeSampler* ranks, LinkMetrics& metrics) {
  draw(events, inductive, ranks);
  const std::size_t chunk = std::max<std::size_t>(1, kRows / per_event_);
  const bool in_turn = session_.options().mode == MemoryMode::window;
  const bool at_once = in_turn || chunk >= events.size();
  const std::size_t rows = 2 + per_event_;
  for (std::size_t begin = 0; begin < events.size(); begin += chunk) {
    const std::size_t n = std::min(chunk, events.size() - begin);
    const auto others =
        std::span<const NodeId>(others_).subspan(begin * per_event_, n * per_event_);
    const MatrixView<const float> embeddings =
        step(events.subspan(begin, n), others,
             at_once ? StepKind::queries_and_updates : StepKind::queries, events.front());
    if (ranks == nullptr) {
      const MatrixView<const float> logits = session_.model().link_logits(plan_);
      for (std::size_t i = 0; i < n; ++i) metrics.add(logits(i, 0), logits(i, 1));
      continue;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const LinkRows rows_here{embeddings.rows_between(i * rows, (i + 1) * rows), i};
      add_ranked(begin + i, rows_here, metrics);
    }
  }
  if (!at_once) session_.learn(events, plan_);
}

/// Sets what the events are told apart from.
void LinkEvaluation::draw(std::span<const EventId> events, bool inductive,
                          const NegativeSampler* ranks) {
  drawn_.clear();
  num_ranked_.clear();
  std::vector<NodeId> ranked;
  for (const EventId event : events) {
    if (ranks != nullptr) ranks->draw(event, ranked);
    drawn_.push_back(inductive ? negatives_.draw_inductive(event) : negatives_.draw(event));
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

void LinkEvaluation::add_ranked(std::size_t event, const LinkRows& rows, LinkMetrics& metrics) {
  const std::size_t scored = 2 + num_ranked_[event], first = rows.number * (1 + per_event_);
  const MatrixView<const float> pairs = plan_.pair_rows();
  logits_.resize(scored);
  session_.model().decoder().score(
      rows.embeddings.rows_between(0, 1), rows.embeddings.rows_between(1, 1 + scored),
      pairs.rows == 0 ? pairs : pairs.rows_between(first, first + scored), logits_);
  metrics.add(logits_[0], logits_[1]);
  if (num_ranked_[event] == 0) return;
  metrics.add_ranked(logits_[0], std::span<const float>(logits_).subspan(2));
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

LinkTests test_links(const LinkData& data, const EvaluationNegatives& negatives,
                     StreamSession& session, const LinkRanks& ranks, std::size_t batch) {
  LinkEvaluation evaluation(data, negatives, session, batch);
  LinkTests tests;
  const auto test = [&](EventPart part, const NegativeSampler* ranked,
                        std::optional<LinkMetrics>& inductive, std::optional<LinkMetrics>& all) {
    if (data.split().num_new_node_events(part) != 0) {
      session.keep_state();
      inductive = evaluation.run(part, true, ranked);
      session.restore();
    }
    all = evaluation.run(part, false, ranked);
  };
  test(EventPart::valid, ranks.valid, tests.inductive_valid, tests.valid);
  test(EventPart::test, ranks.test, tests.inductive_test, tests.test);
  return tests;
}

MatrixView<const float> LinkEvaluation::step(std::span<const EventId> events,
                                             std::span<const NodeId> others, StepKind kind,
                                             EventId batch_begin) {
  session_.planner().plan(events, others, kind, plan_, batch_begin);
  const MatrixView<const float> embeddings = session_.runner().embed(plan_, {});
  if (kind != StepKind::queries) session_.runner().store(plan_);
  return embeddings;
}

}  // namespace frugal
