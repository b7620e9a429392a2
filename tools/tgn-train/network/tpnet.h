#pragma once
#include <span>
#include <string>
#include <vector>

#include "tools/tgn-train/network/mixer_layer.h"
#include "tools/tgn-train/network/pair_network.h"

namespace frugal::tgn {

/// TPNet (Lu et al., "Improving temporal link prediction via temporal walk matrix projection",
/// NeurIPS 2024, section 4). A pair (u, v) has two sequences of tokens, the last neighbours of u
/// and those of v:
///
///     token w     [ time encoding of ln(1 + age) | r(w, own end) | r(w, other end) | edge | node ]
///                 -> two fully connected layers -> MLP-Mixers -> mean: the end's embedding
///     r(w, u)     relative encoding: two fully connected layers of the inner products of the
///                 projected walks of w and u
///     logit       two fully connected layers of [ embedding of u | embedding of v | r(u, v) ]
///
/// Products are symmetric, so r reads each of them once. The authors' code gives absent tokens the
/// features of a node number 0; here they are zero throughout, as the paper says.
class Tpnet final : public PairNetwork {
 public:
  Tpnet(const TgnOptions& options, const TgnInputs& inputs);

  void randomize(std::uint64_t seed) override;
  void forward(const PairStep& step, const TgnPass& pass, std::span<float> logits) override;
  void backward(const PairStep& step, std::span<const float> dlogits,
                ParameterSteps& steps) override;
  void visit_parameters(const ParameterVisit& each) override;
  void save(Document& document) const override;
  void load(const Document& document, const std::string& path) override;

 private:
  /// A token: an entry of the queries' neighbours, and its row in WalkRows::others.
  struct Token {
    std::uint32_t entry, other;
  };
  /// Queries of the end that a sequence embeds, and of the other end of its pair.
  struct Ends {
    std::uint32_t own, other;
  };
  struct Range {
    std::size_t begin, end;
  };
  void list_tokens(const StepPlan& plan, Range pairs);
  void resize_rows(Range pairs);
  template <class Body>
  void for_each_range(std::size_t sequences, const Body& body) const;
  void fill_relative(const WalkRows& walks, Range sequences);
  void fill_pair(const WalkRows& walks, std::size_t pair, std::size_t number);
  void encode_relative(Range rows);
  void project(const PairStep& step, Range sequences);
  void decode(Range pairs, std::span<float> logits);
  void decode_backward(std::span<const float> dlogits, ParameterSteps& steps);
  void project_backward(const PairStep& step, ParameterSteps& steps);
  std::uint64_t training_bytes(std::uint64_t pairs) const;
  void check_training_memory(std::size_t pairs);
  std::size_t token_width() const { return project_[0].shape().in; }
  std::size_t pair_row(std::size_t number) const { return 2 * tokens_.tokens() + number; }
  /// The fully connected layers with their names.
  template <class Network>
  static auto layers(Network& network);

  std::size_t channels_, time_dim_, edge_dim_, node_dim_;
  std::size_t own_, cross_;  ///< products of a node with itself, and of two nodes
  std::size_t relative_dim_;
  DenseLayer relative_[2], project_[2], decode_[2];
  std::vector<MixerLayer> mixers_;

  std::size_t checked_pairs_ = 0;  ///< pairs whose training is known to fit into memory

  // Rows of the last pass. The encodings of a token are rows 2 t (own end) and 2 t + 1 of the
  // relative rows; those of the pairs follow.
  TokenRows tokens_;
  std::vector<Token> list_;       ///< [tokens]
  std::vector<Ends> ends_;        ///< [sequences]
  std::size_t next_other_ = 0;    ///< row of WalkRows::others after the listed tokens
  std::vector<double> log_ages_;  ///< [neighbours]
  RowStore times_, relative_in_, relative_hidden_, encodings_;
  RowStore inputs_, hidden_, embeddings_, pair_inputs_, pair_hidden_;
  std::vector<RowStore> rows_;  ///< [mixers] what each reads
  RowStore d_logits_, d_pair_hidden_, d_pair_inputs_, d_embeddings_, d_rows_, d_above_, d_hidden_,
      d_inputs_, d_encodings_, d_relative_hidden_, d_times_;
};

}  // namespace frugal::tgn
