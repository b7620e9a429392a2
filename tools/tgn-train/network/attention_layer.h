#pragma once
#include <string>
#include <vector>

#include "tools/tgn-train/network/attention_heads.h"

namespace frugal::tgn {

/// Temporal graph attention (Rossi et al. 2020, equations 6 to 9). A node attends to its neighbours
/// with several heads. Two fully connected layers merge the result with the node's own row. With
/// x_j = [neighbour | edge | phi(t - t_j)], the products are reassociated: score_j = (W_k^T q) .
/// x_j and sum_j a_j W_v x_j = W_v sum_j a_j x_j, so no matrix is applied to each neighbour. The
/// bias of the keys shifts all scores of a query alike, so it has no effect.
class AttentionLayer : public EmbeddingLayer {
 public:
  AttentionLayer(const TgnOptions& options, const TgnInputs& inputs, std::size_t layer);

  void randomize(std::uint64_t seed, std::uint64_t stream) override;
  void forward(const LayerInput& input, const TgnPass& pass, MatrixView<float> out) override;
  void backward(const LayerInput& input, MatrixView<float> dout, MatrixView<float> dbelow,
                ParameterSteps& steps) override;
  void visit_parameters(const ParameterVisit& each) override;
  void save(Document& document) const override;
  void load(const Document& document, const std::string& path) override;

 private:
  std::size_t query_dim() const { return dim_ + time_dim_; }
  std::size_t head_dim() const { return heads_.head_dim(); }
  std::size_t width() const { return heads_.width(); }
  /// Columns of head h in a matrix of all heads' queries or values.
  MatrixView<float> head(RowStore& rows, std::size_t h) const {
    return rows.columns(h * head_dim(), (h + 1) * head_dim());
  }
  void make_queries(const LayerInput& input);
  void attend(const LayerInput& input);
  void merge(const QueryRows& queries, MatrixView<float> out);
  void merge_backward(const QueryRows& queries, MatrixView<float> dout, ParameterSteps& steps);
  void queries_backward(const LayerInput& input, ParameterSteps& steps);
  void own_backward(const DenseLayer& layer, MatrixView<const float> dy,
                    const std::vector<std::uint32_t>& gradient_rows, MatrixView<float> dbelow);
  void values_backward(ParameterSteps& steps);

  std::string name_;
  std::size_t dim_, time_dim_;
  AttentionHeads heads_;
  DenseLayer query_;                       ///< own row -> queries of all heads
  DenseLayer query_time_;                  ///< phi(0) -> a vector that is added to all queries
  std::vector<DenseLayer> keys_, values_;  ///< of each head: query -> width, width -> value
  VectorParameter value_bias_;
  DenseLayer output_;                                  ///< values of all heads -> query_dim
  DenseLayer merge_first_, merge_own_, merge_second_;  ///< fc1, split into output and own row; fc2
  std::vector<float> key_bias_;                        ///< only for the file: it has no effect

  // Rows of the last pass.
  RowStore own_, now_, now_query_, queries_, values_rows_, attended_, hidden_;
  RowStore d_hidden_, d_attended_, d_values_, d_queries_, d_now_query_;
  /// the rows of d_queries_ or d_hidden_ whose own row needs a gradient
  RowStore learning_, d_own_;
};

}  // namespace frugal::tgn
