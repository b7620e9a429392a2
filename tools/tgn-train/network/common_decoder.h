#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/nn/row_store.h"
#include "tools/tgn-train/network/parameter_steps.h"
#include "tools/tgn-train/network/step_plan.h"
#include "tools/tgn-train/network/tgn_options.h"

namespace frugal::tgn {

/// Computes the logit of a pair (u, v) from the embeddings of both ends and the memories of their
/// common neighbours (Zhang et al., "Efficient neural common neighbor for temporal graph link
/// prediction", 2024, section 4; its code GraphPKU/TNCN, NCN mode 2):
///
///     x = [ h_u * h_v | [v recently met u] h_u | [u met v] h_v | s_11 | s_12 | s_21 | s_22 ]
///     logit = two fully connected layers of x, with 256 units
///
/// s_ij is the sum of the memories of the nodes i hops from u and j from v, followed by their
/// number. The authors' code gives these nodes the embedding layer's product with their memory plus
/// a bias, which the first layer here contains. Most pairs have no common neighbours, so each part
/// of x is multiplied for the pairs alone that have it.
class CommonDecoder {
 public:
  explicit CommonDecoder(const TgnOptions& options);

  void randomize(std::uint64_t seed, std::uint64_t stream);

  struct Input {
    const CommonRows* common = nullptr;
    std::size_t others = 0;              ///< StepPlan::others
    MatrixView<const float> embeddings;  ///< of each event's source and 1 + others destinations
    MatrixView<const float> memory;      ///< [slots, dim]
  };
  /// Computes the logits, [events * (1 + others)].
  void forward(const Input& input, std::span<float> logits);
  /// Must follow forward(). Overwrites dembeddings.
  void backward(const Input& input, std::span<const float> dlogits, MatrixView<float> dembeddings,
                ParameterSteps& steps);
  /// After backward(), adds the gradient of the common neighbours' memories to [updates, dim].
  void add_memory_gradient(const CommonRows& common, MatrixView<float> dupdates) const;

  void visit_parameters(const ParameterVisit& each);
  void save(Document& document) const;
  void load(const Document& document, const std::string& path);

 private:
  /// A part of the first layer's input, with the pairs that have it.
  struct Part {
    DenseLayer layer;
    std::vector<std::uint32_t> pairs;
    RowStore rows;     ///< [pairs, dim + 1]
    RowStore outputs;  ///< [pairs, units]
    RowStore d_rows, d_outputs;
  };
  /// Queries of the two ends of a pair.
  struct Ends {
    std::size_t source, destination;
  };
  static Ends ends_of(std::size_t pair, std::size_t others) {
    const std::size_t source = pair / (1 + others) * (2 + others);
    return {source, source + 1 + pair % (1 + others)};
  }
  void check_memory(std::size_t pairs);
  void list_pairs(const CommonRows& common);
  void fill(const Input& input, std::size_t number);
  void add_end_gradients(const Input& input, MatrixView<float> dembeddings) const;

  std::size_t dim_;
  std::vector<Part> parts_;
  DenseLayer last_;
  RowStore hidden_, d_hidden_, d_logits_;
  std::size_t checked_pairs_ = 0;  ///< pairs that are known to fit into memory
};

}  // namespace frugal::tgn
