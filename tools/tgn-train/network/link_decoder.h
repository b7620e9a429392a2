#pragma once
#include <span>
#include <string>

#include "libcore/nn/row_store.h"
#include "tools/tgn-train/network/parameter_steps.h"
#include "tools/tgn-train/network/tgn_options.h"

namespace frugal {

/// The probability of an event between two nodes, by their embeddings: two fully connected layers
/// (twitter-research/tgn's MergeLayer). The first is a sum of a part for each node, so that a node
/// that is paired with many is multiplied once.
class LinkDecoder {
 public:
  explicit LinkDecoder(const TgnOptions& options);

  std::uint64_t num_parameters() const;
  void randomize(std::uint64_t seed, std::uint64_t stream);

  /// Of each event three embeddings, behind each other: source, destination, and the destination of
  /// an event that did not happen. logits: [events, 2], of the two pairs.
  void forward(MatrixView<const float> embeddings, MatrixView<float> logits);
  /// dlogits as logits; dembeddings is written.
  void backward(MatrixView<const float> dlogits, MatrixView<float> dembeddings,
                ParameterSteps& steps);
  /// Logits of one source and many destinations.
  void score(MatrixView<const float> source, MatrixView<const float> destinations,
             std::span<float> logits);
  /// Of each event two embeddings, behind each other: source and destination. logits: [events].
  void score_pairs(MatrixView<const float> embeddings, std::span<float> logits);

  void prepare_training(const OptimizerOptions& optimizer);
  void save(Document& document) const;
  void load(const Document& document, const std::string& path);
  void save_state(Document& document) const;
  void load_state(const Document& document, const std::string& path);

 private:
  void add_parts(const float* source, const float* destination, float* hidden) const;

  std::size_t dim_;
  DenseLayer source_, destination_, second_;
  RowStore embeddings_;  ///< [3 events, dim and 1], the sources, then the others
  RowStore parts_;       ///< [3 events, dim] what source_ and destination_ make of them
  RowStore hidden_;      ///< [2 events, dim and 1]
  RowStore d_hidden_, d_parts_, d_embeddings_, d_logits_;
};

}  // namespace frugal
