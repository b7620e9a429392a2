#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/nn/row_store.h"
#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/network/parameter_steps.h"
#include "tools/tgn-train/network/parameter_visit.h"
#include "tools/tgn-train/network/step_plan.h"
#include "tools/tgn-train/network/tgn_options.h"
#include "tools/tgn-train/network/time_encoder.h"

namespace frugal::tgn {

/// Message function and memory updater (Rossi et al. 2020, equations 1 and 3): a node's memory
/// after an event, of its memory before, the other node's, the event's features and the time since
/// the node's last one, by a GRU or an RNN cell as PyTorch's. Gradients reach the parameters
/// through one update: what a message is made of is constant.
///
/// Where a message begins with the node's own memory, that is the cell's hidden state, too: both
/// products with it are one. The two matrices have the same gradient and so would take the same
/// steps with Adam; the one that stands for them takes their sum as its input is doubled. The
/// biases likewise.
class MemoryUpdater {
 public:
  MemoryUpdater(const TgnOptions& options, const TgnInputs& inputs);

  std::uint64_t num_parameters() const;
  /// As PyTorch's cells and layers begin.
  void randomize(std::uint64_t seed, std::uint64_t stream);

  /// What messages are made of besides memory.
  struct MessageInput {
    FeatureRows edges;
    /// [other | edge features | time encoding] of each update whose message is kept as it was made.
    MatrixView<const float> kept;
    const TimeEncoder* time = nullptr;
    /// Rounds new states to bf16, as a memory in bf16 keeps them.
    bool to_bf16 = false;
  };
  /// Makes the rows of updates in `slots`, level by level.
  void forward(const UpdateRows& updates, const MessageInput& input, MatrixView<float> slots);
  /// dout: gradient of the rows that forward() made, in the order of the updates. time: to which
  /// the gradient of encodings goes, where they learn; else null.
  void backward(const UpdateRows& updates, MatrixView<const float> dout, TimeEncoder* time,
                ParameterSteps& steps);

  void visit_parameters(const ParameterVisit& each);
  /// With the names and shapes of twitter-research/tgn.
  void save(Document& document) const;
  void load(const Document& document, const std::string& path);
  void save_state(Document& document) const;
  void load_state(const Document& document, const std::string& path);

 private:
  /// The cell's parameters as PyTorch keeps them.
  struct Cell {
    std::vector<float> weight_ih, weight_hh, bias_ih, bias_hh;
  };
  Cell empty_cell() const;
  void set_cell(const Cell& cell);
  Cell get_cell() const;
  std::size_t num_gates() const { return gru_ ? 3 : 1; }
  /// Of gates_: r and z, or all that an RNN has.
  std::size_t summed_dim() const { return gru_ ? 2 * dim_ : dim_; }
  bool own_is_first() const { return !mlp_first_; }
  std::size_t raw_dim() const { return 2 * dim_ + edge_dim_ + time_dim_; }
  /// Of the cell's input as PyTorch counts.
  std::size_t message_dim() const { return own_is_first() ? x_dim_ + dim_ : x_dim_; }
  // Columns of inputs_.
  std::size_t x_begin() const { return dim_ + 1; }
  std::size_t own_begin() const { return x_begin() + x_dim_ + (own_is_first() ? 0 : 1); }
  std::size_t num_columns() const { return gru_ ? own_begin() + dim_ + 1 : x_begin() + x_dim_; }

  void fill_constants(const UpdateRows& updates, const MessageInput& input);
  void fill_ones(std::size_t n);
  void fill_memory(const UpdateRows& updates, std::size_t begin, std::size_t end,
                   MatrixView<const float> slots);
  void make_messages(std::size_t begin, std::size_t end);
  void run_cell(std::size_t begin, std::size_t end);
  void backward_input();
  void backward_message(ParameterSteps& steps);
  template <class Layers, class Visit>
  static void visit(Layers& self, const Visit& visit);

  bool gru_;
  std::size_t dim_, edge_dim_, time_dim_;
  std::size_t x_dim_;  ///< numbers of the cell's input that are not its own memory
  std::optional<DenseLayer> mlp_first_, mlp_second_;  ///< message function, unless it is identity
  std::optional<DenseLayer> gates_;                   ///< [own | 1 | x]
  std::optional<DenseLayer> candidate_;  ///< n from [x | own | 1], without own after an MLP
  std::optional<DenseLayer> hidden_;     ///< n from [own | 1]

  // Of the updates of the last forward(), in their order.
  RowStore raw_, mlp_hidden_;  ///< where there is a message function
  RowStore inputs_;            ///< [own | 1 | x | 1 after an MLP | own | 1]
  RowStore gate_rows_, nx_, nh_, made_;
  RowStore d_inputs_, d_mlp_hidden_, d_raw_;
};

}  // namespace frugal::tgn
