#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/nn/row_store.h"
#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/network/parameter_steps.h"
#include "tools/tgn-train/network/step_plan.h"
#include "tools/tgn-train/network/tgn_options.h"
#include "tools/tgn-train/network/time_encoder.h"

namespace frugal::tgn {

/// Message function and memory updater (Rossi et al. 2020, equations 1 and 3). A GRU or RNN cell,
/// as PyTorch's, computes a node's memory after an event. Its inputs are the node's memory before,
/// the other node's memory, the event's features and the time since the node's last event.
/// Gradients reach the parameters through one update: the inputs of a message are constant.
///
/// If a message begins with the node's own memory, that is also the cell's hidden state, so one
/// product serves both. The two matrices have the same gradient and would take the same steps with
/// Adam. The one matrix that replaces them moves as their sum would, because its input is doubled.
/// The biases are treated likewise.
class MemoryUpdater {
 public:
  MemoryUpdater(const TgnOptions& options, const TgnInputs& inputs);

  /// Draws initial weights as PyTorch's cells and layers do.
  void randomize(std::uint64_t seed, std::uint64_t stream);

  /// Inputs of messages besides the memory.
  struct MessageInput {
    FeatureRows edges;
    /// [other | edge features | time encoding] of each update, if messages are loaded
    /// (UpdateRows::kept).
    MatrixView<const float> kept;
    const TimeEncoder* time = nullptr;
    /// Rounds new states to bf16, as a bf16 memory stores them.
    bool to_bf16 = false;
  };
  /// Computes the rows of all updates in `slots`, level by level.
  void forward(const UpdateRows& updates, const MessageInput& input, MatrixView<float> slots);
  /// dout: gradient of the rows that forward() computed, in the order of the updates. time: encoder
  /// that receives the gradient of the messages' time encodings; null if they do not learn.
  void backward(const UpdateRows& updates, MatrixView<const float> dout, TimeEncoder* time,
                ParameterSteps& steps);

  void visit_parameters(const ParameterVisit& each);
  /// Uses the names and shapes of twitter-research/tgn.
  void save(Document& document) const;
  void load(const Document& document, const std::string& path);

 private:
  /// The cell's parameters in PyTorch's layout.
  struct Cell {
    std::vector<float> weight_ih, weight_hh, bias_ih, bias_hh;
  };
  Cell empty_cell() const;
  void set_cell(const Cell& cell);
  Cell get_cell() const;
  std::size_t num_gates() const { return gru_ ? 3 : 1; }
  /// Outputs of gates_: gates r and z of a GRU, or the whole RNN cell.
  std::size_t summed_dim() const { return gru_ ? 2 * dim_ : dim_; }
  bool own_is_first() const { return !mlp_first_; }
  std::size_t raw_dim() const { return 2 * dim_ + edge_dim_ + time_dim_; }
  /// Size of the cell's input in PyTorch's layout.
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

  bool gru_;
  std::size_t dim_, edge_dim_, time_dim_;
  std::size_t x_dim_;  ///< size of the cell's input without the own memory
  std::optional<DenseLayer> mlp_first_, mlp_second_;  ///< message function; empty for identity
  std::optional<DenseLayer> gates_;                   ///< [own | 1 | x]
  std::optional<DenseLayer> candidate_;  ///< n from [x | own | 1], without own after an MLP
  std::optional<DenseLayer> hidden_;     ///< n from [own | 1]

  // Rows of the updates of the last forward(), in their order.
  RowStore raw_, mlp_hidden_;  ///< inputs and hidden units of the message function
  RowStore inputs_;            ///< [own | 1 | x | 1 after an MLP | own | 1]
  RowStore gate_rows_, nx_, nh_, made_;
  RowStore d_inputs_, d_mlp_hidden_, d_raw_;
};

}  // namespace frugal::tgn
