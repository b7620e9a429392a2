#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/nn/loss.h"
#include "tools/tgn-train/network/common_decoder.h"
#include "tools/tgn-train/network/embedding_layer.h"
#include "tools/tgn-train/network/gradient_layout.h"
#include "tools/tgn-train/network/link_decoder.h"
#include "tools/tgn-train/network/memory_updater.h"
#include "tools/tgn-train/network/pair_network.h"

namespace frugal::tgn {

/// Loss of an event among its negatives. one_vs_all: cross-entropies of the event's pair and of the
/// others, which together weigh as much as it. softmax: cross-entropy of the event's destination
/// among all, estimated by the negatives drawn (Bengio, Senecal, 2008).
struct LinkLoss {
  LossKind kind = LossKind::one_vs_all;
  std::size_t destinations = 0;  ///< softmax: number of nodes that negatives are drawn from
};

/// A temporal graph network (Rossi et al. 2020): memory updater, embedding layers and link decoder,
/// with the rows of the step that they compute. A step is begin(), writing the loaded memory into
/// its slots, embed(), score(), and for training train_links(). With a PairNetwork in place
/// of layers and decoder, or a CommonDecoder, the row of a destination is the logit of its pair.
/// Logits of no_network() are left as they are.
class TgnModel {
 public:
  TgnModel(const TgnOptions& options, const TgnInputs& inputs);

  const TgnOptions& options() const { return options_; }
  const TgnInputs& inputs() const { return inputs_; }
  std::uint64_t num_parameters() const;
  void randomize(std::uint64_t seed);

  /// Returns the plan's slots, [num_slots, memory_dim], all zero.
  MatrixView<float> begin(const StepPlan& plan);
  MatrixView<const float> slots() const { return slots_.view(); }
  /// Computes the updates, then returns the embeddings of the last layer's queries, [queries,
  /// memory_dim]. For DyRep, returns the memory of the queried nodes, [answers, memory_dim]. With a
  /// PairNetwork or a CommonDecoder, returns [queries, 1]: the logit of each destination with its
  /// source.
  /// messages: loaded messages of the updates (UpdateRows::kept), [updates, other | edge | time].
  MatrixView<const float> embed(const StepPlan& plan, const StepFeatures& features,
                                MatrixView<const float> messages, const TgnPass& pass);
  /// Embeddings of the last layer's queries.
  MatrixView<const float> embeddings() const { return outputs_.back().view(); }
  /// Logits, [events, 1 + others], of a plan whose queries are, for each event, its source, its
  /// destination and StepPlan::others other destinations. embeddings: what embed() returned, maybe
  /// on a device. Valid until the next call.
  MatrixView<const float> score(const StepPlan& plan, MatrixView<const float> embeddings);
  /// Makes an optimiser step on the LinkLoss, averaged over the events. Returns that loss.
  double train_links(const StepPlan& plan, const StepFeatures& features, float rate);
  // Parts of a step over several batches, whose gradients ranks add up.
  /// As train_links(), but leaves the gradient, [gradient_size()], to take_gradient(). of_events:
  /// number of events that the gradient is averaged over, if the plan has only a part of them; 0:
  /// the plan's.
  double backward_links(const StepPlan& plan, const StepFeatures& features,
                        std::size_t of_events = 0);
  std::size_t gradient_size() { return gradient_layout().size(); }
  std::vector<float> take_gradient();
  /// Makes an optimiser step by the gradient. Parameters that no batch reached do not change.
  void apply_gradient(std::span<const float> gradient, float rate);

  const TimeEncoder& time() const { return time_; }

  void prepare_training(const OptimizerOptions& optimizer, const LinkLoss& loss = {});
  // Visits to the parameters. Every training step changes them, except those of the message
  // function and the updater in a step without updates.
  void visit_time(const ParameterVisit& visit);
  void visit_updater(const ParameterVisit& visit);
  void visit_layers(const ParameterVisit& visit);
  void visit_decoder(const ParameterVisit& visit) {
    if (decoder_) decoder_->visit_parameters(visit);
    if (common_) common_->visit_parameters(visit);
  }
  /// Uses the names and shapes of twitter-research/tgn.
  void save(Document& document) const;
  /// Fails (bad_input) with `path` if a tensor is missing or has another shape.
  void load(const Document& document, const std::string& path);
  void save_state(Document& document);
  void load_state(const Document& document, const std::string& path);

 private:
  void visit_all(const ParameterVisit& visit);
  /// Rows that the decoder reads: embeddings, or memory in DyRep.
  MatrixView<const float> answers() const {
    return options_.dyrep || pair_ || common_ ? answers_.view() : embeddings();
  }
  void embed_pairs(const StepPlan& plan, const StepFeatures& features, const TgnPass& pass);
  CommonDecoder::Input common_input(const StepPlan& plan);
  MatrixView<float> below(std::size_t layer);
  void add_node_features(const StepPlan& plan, const FeatureRows& nodes);
  LayerInput layer_input(const StepPlan& plan, const StepFeatures& features, std::size_t layer);
  void backward(const StepPlan& plan, const StepFeatures& features, MatrixView<float> dout);
  bool reaches_time(const StepPlan& plan) const;
  GradientLayout gradient_layout();
  MatrixView<const float> link_logits(const StepPlan& plan);
  MatrixView<float> make_logits(const StepPlan& plan, std::size_t queries);
  double logistic_of_pairs(std::size_t pairs);
  double softmax_of_events(std::size_t pairs);

  TgnOptions options_;
  TgnInputs inputs_;
  TimeEncoder time_;
  std::optional<MemoryUpdater> updater_;
  std::vector<std::unique_ptr<EmbeddingLayer>> layers_;
  std::optional<LinkDecoder> decoder_;
  std::optional<CommonDecoder> common_;  ///< in place of decoder_
  std::unique_ptr<PairNetwork> pair_;    ///< in place of layers and decoder; null: none

  // Rows of the last step.
  RowStore slots_, base_;            ///< memory; memory plus node features, if there are any
  std::vector<RowStore> outputs_;    ///< [layers]
  RowStore answers_;                 ///< DyRep: memory of the queried nodes; or logits of pairs
  std::vector<RowStore> gradients_;  ///< of each layer's output; gradients_[0]: of the updates
  LinkLoss loss_;
  std::vector<float> logits_, d_logits_, weights_;
  std::vector<std::uint32_t> own_rows_;  ///< 0, 1, 2, ...: queries that share no rows
  ParameterSteps steps_;
};

}  // namespace frugal::tgn
