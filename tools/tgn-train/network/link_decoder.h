#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/nn/row_store.h"
#include "tools/tgn-train/network/parameter_steps.h"
#include "tools/tgn-train/network/step_plan.h"
#include "tools/tgn-train/network/tgn_options.h"

namespace frugal::tgn {

/// Factor of the features of pairs, which are of the order of 1. Their initial weights are divided
/// by it, so the function is the same. With Adam, these weights then learn that many times faster
/// than the others, whose inputs change during training. With it, two epochs of --architecture
/// tgn-id --memory-dim 64 on Wikipedia's edits reach a mean reciprocal rank among all destinations
/// of 0.808, without it 0.784. A power of two loses no bit.
inline constexpr float kPairScale = 8;

/// Predicts the probability of an event between two nodes from their embeddings, by two fully
/// connected layers (twitter-research/tgn's MergeLayer). The first layer is a sum of one part for
/// each node, so a node that is paired with many others is multiplied once. Features of the pair,
/// if there are any, add a third part.
class LinkDecoder {
 public:
  /// pair_features: number of features of a pair that it reads besides the embeddings.
  LinkDecoder(const TgnOptions& options, std::size_t pair_features);

  void randomize(std::uint64_t seed, std::uint64_t stream);

  /// embeddings: [(2 + others) events, dim], for each event its source, its destination and other
  /// destinations. pairs: [(1 + others) events, pair features], of the source with each. logits:
  /// [events, 1 + others], of the pairs.
  void forward(MatrixView<const float> embeddings, MatrixView<const float> pairs,
               MatrixView<float> logits);
  /// dlogits: shaped as logits. Overwrites dembeddings.
  void backward(MatrixView<const float> dlogits, MatrixView<float> dembeddings,
                ParameterSteps& steps);
  /// As forward(), for pairs that are not trained on, whose queries may share rows of embeddings.
  /// rows: the row of each query (StepPlan::shared_rows). A row that is the destination of many
  /// pairs is multiplied once.
  void score(MatrixView<const float> embeddings, std::span<const std::uint32_t> rows,
             MatrixView<const float> pairs, MatrixView<float> logits);

  void visit_parameters(const ParameterVisit& each);
  void save(Document& document) const;
  void load(const Document& document, const std::string& path);

 private:
  void add_parts(const float* source, const float* destination, float* hidden) const;
  std::size_t num_inputs() const { return 2 * dim_ + pair_dim_; }
  void add_pairs(MatrixView<const float> pairs, MatrixView<float> parts);
  void add_embedding(const float* embedding, std::size_t row);
  void multiply_embeddings(std::size_t sources);
  void list_destinations(MatrixView<const float> embeddings, std::span<const std::uint32_t> rows,
                         MatrixView<const float> logits);

  std::size_t dim_, pair_dim_;
  DenseLayer source_, destination_, second_;
  std::optional<DenseLayer> pairs_;
  RowStore embeddings_;  ///< [events + pairs, dim + 1], all sources, then all destinations
  RowStore parts_;       ///< [events + pairs, dim] outputs of source_ and destination_
  RowStore pair_rows_;   ///< [pairs, pair features]
  RowStore hidden_;      ///< [pairs, dim + 1]
  RowStore pair_parts_;  ///< score(): [pairs, dim] sums of the parts of destination and pair
  /// score(): [rows of embeddings] the row in parts_ of each that is a destination, or kNoRow
  std::vector<std::uint32_t> places_;
  RowStore d_hidden_, d_parts_, d_embeddings_, d_logits_;
};

}  // namespace frugal::tgn
