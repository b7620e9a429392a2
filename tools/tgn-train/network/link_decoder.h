#pragma once
#include <optional>
#include <span>
#include <string>

#include "libcore/nn/row_store.h"
#include "tools/tgn-train/network/parameter_steps.h"
#include "tools/tgn-train/network/parameter_visit.h"
#include "tools/tgn-train/network/tgn_options.h"

namespace frugal::tgn {

/// Features of pairs are of the order of 1; the decoder gets them so many times larger, and draws
/// their weights so many times smaller: with Adam these then learn so many times faster than the
/// others, whose inputs change as they learn. On Wikipedia's edits two epochs of --architecture
/// tgn-id
/// --memory-dim 64 then rank destinations among all with a mean reciprocal rank of 0.808, else
/// 0.784. A power of two: no bit is lost.
inline constexpr float kPairScale = 8;

/// The probability of an event between two nodes, by their embeddings: two fully connected layers
/// (twitter-research/tgn's MergeLayer). The first is a sum of a part for each node, so that a node
/// that is paired with many is multiplied once; features of the pair, where there are any, add a
/// third.
class LinkDecoder {
 public:
  /// pair_features: numbers of each pair, besides the embeddings, that it looks at.
  LinkDecoder(const TgnOptions& options, std::size_t pair_features);

  std::uint64_t num_parameters() const;
  void randomize(std::uint64_t seed, std::uint64_t stream);

  /// Of each event three embeddings, behind each other: source, destination, and the destination of
  /// an event that did not happen. pairs: [2 events, pair features] of the source with either.
  /// logits: [events, 2], of the two pairs.
  void forward(MatrixView<const float> embeddings, MatrixView<const float> pairs,
               MatrixView<float> logits);
  /// dlogits as logits; dembeddings is written.
  void backward(MatrixView<const float> dlogits, MatrixView<float> dembeddings,
                ParameterSteps& steps);
  /// Logits of one source and many destinations. pairs: [destinations, pair features].
  void score(MatrixView<const float> source, MatrixView<const float> destinations,
             MatrixView<const float> pairs, std::span<float> logits);
  /// Of each event two embeddings, behind each other: source and destination. pairs: [events, pair
  /// features]. logits: [events].
  void score_pairs(MatrixView<const float> embeddings, MatrixView<const float> pairs,
                   std::span<float> logits);

  void visit_parameters(const ParameterVisit& each);
  void save(Document& document) const;
  void load(const Document& document, const std::string& path);
  void save_state(Document& document) const;
  void load_state(const Document& document, const std::string& path);

 private:
  template <class Decoder, class Visit>
  static void visit(Decoder& self, const Visit& visit);
  void add_parts(const float* source, const float* destination, float* hidden) const;
  std::size_t num_inputs() const { return 2 * dim_ + pair_dim_; }
  void add_pairs(MatrixView<const float> pairs, MatrixView<float> parts);

  std::size_t dim_, pair_dim_;
  DenseLayer source_, destination_, second_;
  std::optional<DenseLayer> pairs_;
  RowStore embeddings_;  ///< [3 events, dim and 1], the sources, then the others
  RowStore parts_;       ///< [3 events, dim] what source_ and destination_ make of them
  RowStore pair_rows_;   ///< [2 events, pair features]
  RowStore hidden_;      ///< [2 events, dim and 1]
  RowStore d_hidden_, d_parts_, d_embeddings_, d_logits_;
};

}  // namespace frugal::tgn
