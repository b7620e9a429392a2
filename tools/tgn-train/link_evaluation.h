#pragma once
#include <functional>
#include <vector>

#include "tools/tgn-train/evaluation/link_metrics.h"
#include "tools/tgn-train/link_data.h"
#include "tools/tgn-train/memory/step_planner.h"
#include "tools/tgn-train/memory/step_runner.h"

namespace frugal {

struct LinkEvaluationOptions {
  MemoryMode mode = MemoryMode::window;
  /// Events that are worked on at once. window: no matter; else the memory knows none of them
  /// before all were scored.
  std::size_t batch = 200;
};

/// Scores events and destinations that they did not have, while the memory goes on with the events.
class LinkEvaluation {
 public:
  /// All outlive the evaluation; runner and planner stand where the part begins.
  LinkEvaluation(const LinkData& data, const EvaluationNegatives& negatives, StepRunner& runner,
                 StepPlanner& planner, const LinkEvaluationOptions& options)
      : data_(data), negatives_(negatives), runner_(runner), planner_(planner), options_(options) {}

  /// Of the part's events, or those with new nodes; the others then pass the memory by, as in
  /// twitter-research/tgn. ranks: what destinations are ranked among; null: no ranks.
  LinkMetrics run(EventPart part, bool inductive, const NegativeSampler* ranks);
  /// Lets the memory know the events that train, from the beginning on.
  void replay_training();

 private:
  void draw(std::span<const EventId> events, bool inductive, const NegativeSampler* ranks);
  void score(std::span<const EventId> events, bool inductive, const NegativeSampler* ranks,
             LinkMetrics& metrics);
  void add_ranked(std::size_t event, MatrixView<const float> embeddings, LinkMetrics& metrics);
  MatrixView<const float> step(std::span<const EventId> events, std::span<const NodeId> others,
                               StepKind kind);

  const LinkData& data_;
  const EvaluationNegatives& negatives_;
  StepRunner& runner_;
  StepPlanner& planner_;
  LinkEvaluationOptions options_;
  StepPlan plan_;
  /// Of each event in work: the negative and what is ranked, then, up to `per_event_`, any node.
  std::vector<NodeId> others_, drawn_;
  std::size_t per_event_ = 1;
  std::vector<std::size_t> num_ranked_;
  std::vector<float> logits_;
};

}  // namespace frugal
