#pragma once
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "tools/tgn-train/evaluation/link_metrics.h"
#include "tools/tgn-train/links/link_data.h"
#include "tools/tgn-train/memory/stream_session.h"
#include "tools/tgn-train/memory/waiting_events.h"

namespace frugal::tgn {

struct StoredTgn;

/// Is told of an event's logit and of that of the destination which it is told apart from.
using LinkObserver =
    std::function<void(EventId event, float link, NodeId negative, float negative_logit)>;

/// Scores events and destinations that they did not have, while the memory goes on with the events.
class LinkEvaluation {
 public:
  struct Options {
    std::size_t batch = 200;   ///< events that are worked on at once
    Ties ties = Ties::strict;  ///< what events of one time know, in turn
    /// Is told of every score of runs that are not inductive; null: nobody is.
    LinkObserver observer;
  };
  /// All outlive the evaluation. Where the memory is not told of events in turn, it knows none of a
  /// batch before all of it were scored.
  LinkEvaluation(const LinkData& data, const EvaluationNegatives& negatives, StreamSession& session,
                 const Options& options);

  /// From where the session stands, behind the part before: of its events, or those with new
  /// nodes; the others then pass the memory by, as in twitter-research/tgn. ranks: what
  /// destinations are ranked among; null: no ranks.
  LinkMetrics run(EventPart part, bool inductive, const NegativeSampler* ranks);

 private:
  bool in_turn() const { return session_.options().mode == MemoryMode::window; }
  void draw(std::span<const EventId> events, bool inductive, const NegativeSampler* ranks);
  /// next: the event behind them, or kNoEvent.
  void score(std::span<const EventId> events, EventId next, bool inductive,
             const NegativeSampler* ranks, LinkMetrics& metrics);
  /// What a step has of an event.
  struct LinkRows {
    MatrixView<const float> embeddings;  ///< of source, destination and others
    std::size_t number = 0;              ///< of the event in its step
  };
  /// The logits of the event and its negative.
  std::array<float, 2> add_ranked(std::size_t event, const LinkRows& rows, LinkMetrics& metrics);
  /// Some of the events in work, scored in one step.
  struct Scored {
    std::span<const EventId> events;  ///< all in work
    std::size_t begin = 0, count = 0;
    bool inductive = false, ranked = false;
  };
  void add_scores(const Scored& scored, MatrixView<const float> embeddings, LinkMetrics& metrics);
  void plan_in_turn(std::span<const EventId> events, std::span<const NodeId> others, EventId next);

  const LinkData& data_;
  const EvaluationNegatives& negatives_;
  StreamSession& session_;
  Options options_;
  EventTimes times_;
  WaitingEvents waiting_;
  StepPlan plan_;
  /// Of each event in work: the negative and what is ranked, then, up to `per_event_`, any node.
  std::vector<NodeId> others_, drawn_;
  std::size_t per_event_ = 1;
  std::vector<std::size_t> num_ranked_;
  std::vector<float> logits_;
};

/// What a model is tested on; parts without events are missing. Inductive: events with nodes that
/// training did not see.
struct LinkTests {
  std::optional<LinkMetrics> valid, test, inductive_valid, inductive_test;
};

/// How destinations are ranked in tests; null: they are not.
struct LinkRanks {
  const NegativeSampler* valid = nullptr;
  const NegativeSampler* test = nullptr;
};

/// Lets the memory know the events from `from` on that train, `batch` at once.
void learn_training(const LinkData& data, StreamSession& session, EventId from, std::size_t batch);

/// The same of all of them, by fixed weights, whatever the session knew.
void learn_anew(const LinkData& data, StreamSession& session, std::size_t batch);

/// Brings a session of the model's behind the events that train: with the memory that training
/// left, or made of these events where it left none of this stream. Returns whether with that.
bool begin_behind_training(StoredTgn& stored, const LinkData& data, StreamSession& session);

/// Tests the session's model as twitter-research/tgn does: the memory, behind the events that
/// train, goes through validation into the test; events with new nodes are tested for themselves
/// from the same states.
LinkTests test_links(const LinkData& data, const EvaluationNegatives& negatives,
                     StreamSession& session, const LinkRanks& ranks,
                     const LinkEvaluation::Options& options);

}  // namespace frugal::tgn
