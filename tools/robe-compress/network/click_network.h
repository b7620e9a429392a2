#pragma once
#include <string>
#include <vector>

#include "libcore/nn/mlp.h"
#include "tools/robe-compress/network/architecture.h"

namespace frugal::robe {

/// The network of every architecture: bottom layers, interaction, top layers.
class ClickNetwork : public Network {
 public:
  /// All weights are 0. The options have passed check_network().
  ClickNetwork(const NetworkOptions& options, const NetworkShape& shape);
  void randomize(std::uint64_t seed);
  void load(const Document& document, const std::string& path);

  const std::string& architecture() const override { return options_.architecture; }
  const NetworkShape& shape() const override { return shape_; }
  std::uint64_t num_parameters() const override;
  std::unique_ptr<NetworkBatch> make_batch(std::size_t size, bool training) const override;
  void forward(const NetworkInput& input, NetworkBatch& batch,
               std::span<float> logits) const override;
  void backward(const NetworkInput& input, NetworkBatch& batch, std::span<const float> gradient,
                MatrixView<float> dembeddings) const override;
  void prepare_training(const OptimizerOptions& optimizer) override;
  std::size_t num_pieces() const override { return pieces_.size(); }
  void step_piece(std::size_t piece, const NetworkInput& input, NetworkBatch& batch,
                  float rate) override;
  std::size_t gradient_size() const override { return gradient_size_; }
  void piece_gradient(std::size_t piece, const NetworkInput& input, NetworkBatch& batch,
                      std::span<float> gradients) const override;
  void apply_gradient(std::size_t piece, std::span<const float> gradients, float rate) override;
  std::vector<NamedLayer> layers() override;
  void save(Document& document) const override;
  void save_state(Document& document) const override;
  void load_state(const Document& document, const std::string& path) override;

 private:
  enum class Part { bottom, interaction, top };
  struct Slot {
    std::string name;
    DenseLayer* layer;
    Part part;
    std::size_t index;  ///< among the layers of the part
  };
  struct Piece {
    std::size_t slot, piece;
    std::size_t begin = 0, size = 0;  ///< of its gradient among all
  };
  class Batch;

  void list_slots();
  void list_pieces();
  LayerRows rows_of(const Slot& slot, const NetworkInput& input, NetworkBatch& batch) const;
  InteractionInput vectors(const NetworkInput& input, Batch& batch) const;

  NetworkOptions options_;
  NetworkShape shape_;
  std::unique_ptr<Interaction> interaction_;
  Mlp bottom_;  ///< without numbers: no layers, no units
  Mlp top_;
  std::vector<Slot> slots_;
  std::size_t gradient_size_ = 0;
  std::vector<Piece> pieces_;  ///< the dearest first, so that threads finish together
};

}  // namespace frugal::robe
