#pragma once
#include <optional>
#include <vector>

#include "tools/tgn-train/evaluation/link_metrics.h"
#include "tools/tgn-train/link_data.h"
#include "tools/tgn-train/memory/stream_session.h"

namespace frugal {

/// Scores events and destinations that they did not have, while the memory goes on with the events.
class LinkEvaluation {
 public:
  /// All outlive the evaluation. batch: events that are worked on at once; where they are not told
  /// of in turn, the memory knows none of them before all were scored.
  LinkEvaluation(const LinkData& data, const EvaluationNegatives& negatives, StreamSession& session,
                 std::size_t batch)
      : data_(data), negatives_(negatives), session_(session), batch_(batch) {}

  /// From where the session stands, behind the part before: of its events, or those with new
  /// nodes; the others then pass the memory by, as in twitter-research/tgn. ranks: what
  /// destinations are ranked among; null: no ranks.
  LinkMetrics run(EventPart part, bool inductive, const NegativeSampler* ranks);

 private:
  void draw(std::span<const EventId> events, bool inductive, const NegativeSampler* ranks);
  void score(std::span<const EventId> events, bool inductive, const NegativeSampler* ranks,
             LinkMetrics& metrics);
  /// What a step has of an event.
  struct LinkRows {
    MatrixView<const float> embeddings;  ///< of source, destination and others
    std::size_t number = 0;              ///< of the event in its step
  };
  void add_ranked(std::size_t event, const LinkRows& rows, LinkMetrics& metrics);
  /// batch_begin: as StepPlanner::plan() has it.
  MatrixView<const float> step(std::span<const EventId> events, std::span<const NodeId> others,
                               StepKind kind, EventId batch_begin);

  const LinkData& data_;
  const EvaluationNegatives& negatives_;
  StreamSession& session_;
  std::size_t batch_;
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

/// Tests the session's model as twitter-research/tgn does: the memory, behind the events that
/// train, goes through validation into the test; events with new nodes are tested for themselves
/// from the same states.
LinkTests test_links(const LinkData& data, const EvaluationNegatives& negatives,
                     StreamSession& session, const LinkRanks& ranks, std::size_t batch);

}  // namespace frugal
