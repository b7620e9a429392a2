#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/tgn-train/network/embedding_layer.h"
#include "tools/tgn-train/network/gradient_layout.h"
#include "tools/tgn-train/network/link_decoder.h"
#include "tools/tgn-train/network/memory_updater.h"

namespace frugal::tgn {

/// Features of the stream that steps read.
struct StepFeatures {
  FeatureRows edges, nodes;
};

/// A temporal graph network (Rossi et al. 2020): memory updater, embedding layers and the decoder
/// of links, with the rows of the step that they work on. A step is begin(), writing the loaded
/// rows of memory into their slots, embed(), link_logits(), and where it trains train_links().
class TgnModel {
 public:
  TgnModel(const TgnOptions& options, const TgnInputs& inputs);

  const TgnOptions& options() const { return options_; }
  const TgnInputs& inputs() const { return inputs_; }
  std::uint64_t num_parameters() const;
  void randomize(std::uint64_t seed);

  /// Room for the plan's rows of memory, all zero: [num_slots, memory_dim].
  MatrixView<float> begin(const StepPlan& plan);
  MatrixView<const float> slots() const { return slots_.view(); }
  /// Makes the updates, then the embeddings of the last layer's queries: [queries, memory_dim]; of
  /// DyRep gives the memory that answers, [answers, memory_dim].
  /// messages: of the updates where they are kept as they were made, [other | edge | time].
  MatrixView<const float> embed(const StepPlan& plan, const StepFeatures& features,
                                MatrixView<const float> messages, const TgnPass& pass);
  /// Of the last layer's queries.
  MatrixView<const float> embeddings() const { return outputs_.back().view(); }
  /// Of a plan whose queries are triples (source, destination, other destination): [events, 2].
  MatrixView<const float> link_logits(const StepPlan& plan) { return link_logits(plan, answers()); }
  /// The same of answers that embed() gave elsewhere.
  MatrixView<const float> link_logits(const StepPlan& plan, MatrixView<const float> triples);
  /// Of a plan whose queries are pairs (source, destination): [events].
  std::span<const float> pair_logits(const StepPlan& plan);

  LinkDecoder& decoder() { return decoder_; }
  /// One optimiser step on the mean over the events of the cross-entropies of both pairs, which it
  /// returns.
  double train_links(const StepPlan& plan, const StepFeatures& features, float rate);
  // The parts of a step of several batches, whose gradients ranks add up.
  /// As train_links(), but the gradient, [gradient_size()], is left to take_gradient(). of_events:
  /// over which its mean is, where the plan has but some of a step's events; 0: over the plan's.
  double backward_links(const StepPlan& plan, const StepFeatures& features,
                        std::size_t of_events = 0);
  std::size_t gradient_size() { return gradient_layout().size(); }
  std::vector<float> take_gradient();
  /// Parameters that no batch reached stay as they are.
  void apply_gradient(std::span<const float> gradient, float rate);

  const TimeEncoder& time() const { return time_; }

  void prepare_training(const OptimizerOptions& optimizer);
  // Parameters. Every step of training steps them but for the message function's and the updater's,
  // which steps leave alone that make no updates.
  void visit_time(const ParameterVisit& visit);
  void visit_updater(const ParameterVisit& visit);
  void visit_layers(const ParameterVisit& visit);
  void visit_decoder(const ParameterVisit& visit) { decoder_.visit_parameters(visit); }
  /// With the names and shapes of twitter-research/tgn.
  void save(Document& document) const;
  /// Fails (bad_input) with `path` where a tensor is missing or another.
  void load(const Document& document, const std::string& path);
  void save_state(Document& document) const;
  void load_state(const Document& document, const std::string& path);

 private:
  /// What links are told by.
  MatrixView<const float> answers() const {
    return options_.dyrep ? answers_.view() : embeddings();
  }
  MatrixView<float> below(std::size_t layer);
  void add_node_features(const StepPlan& plan, const FeatureRows& nodes);
  LayerInput layer_input(const StepPlan& plan, const StepFeatures& features, std::size_t layer);
  void backward(const StepPlan& plan, const StepFeatures& features, MatrixView<float> dout);
  bool reaches_time(const StepPlan& plan) const;
  GradientLayout gradient_layout();

  TgnOptions options_;
  TgnInputs inputs_;
  TimeEncoder time_;
  std::optional<MemoryUpdater> updater_;
  std::vector<std::unique_ptr<EmbeddingLayer>> layers_;
  LinkDecoder decoder_;

  // Of the last step.
  RowStore slots_, base_;            ///< memory; with features of nodes, where there are any
  std::vector<RowStore> outputs_;    ///< of each layer
  RowStore answers_;                 ///< of DyRep
  std::vector<RowStore> gradients_;  ///< of each layer's output, gradients_[0] of the updates
  std::vector<float> logits_, d_logits_;
  ParameterSteps steps_;
};

}  // namespace frugal::tgn
