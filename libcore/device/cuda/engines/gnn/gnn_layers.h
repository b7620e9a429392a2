#pragma once
/// Layers of a graph neural network on the device: gnn-sample's gnn_model.h.
#include <memory>
#include <string>
#include <vector>

#include "libcore/device/cuda/engines/gnn/gnn_convs.h"
#include "libcore/device/cuda/kernels/graph/batch_norm.h"

namespace frugal::cuda {

/// Batch normalisation with the moments of the batch. Arrays: NAME.weight and NAME.bias with their
/// states, NAME.running_mean, NAME.running_var.
class DeviceNorm {
 public:
  DeviceNorm(const std::string& name, std::uint32_t dim, const GnnParts& parts);
  /// y = the normalised x, both [rows, dim].
  void forward(std::uint32_t rows, const float* x, float* y, const Stream& stream) const;
  /// Replaces dy by the gradient of x. x must be as in forward().
  void backward(std::uint32_t rows, const float* x, float* dy, const Stream& stream) const;
  void step(const StepValues* values, StepList& list) const;

 private:
  NormMoments moments() const;
  NormWeights weights() const;
  void mean_of(std::uint32_t rows, const float* x, const double* mean, double* out,
               const Stream& stream) const;

  std::uint32_t dim_;
  DeviceVector gamma_, beta_;
  DeviceArray<float> running_mean_, running_variance_;
  DeviceArray<double> parts_, exact_;  ///< partial sums; mean and variance
  DeviceArray<float> factors_;
};

/// Dropout rate as threshold and scale of RowDropout.
struct DropoutRate {
  std::uint32_t threshold = 0;
  float scale = 1;
  explicit DropoutRate(float rate);
  RowDropout with(std::uint64_t key) const { return {key, threshold, scale}; }
};

/// Normalisation, residual connection, activation and dropout that follow a convolution.
struct GnnLayerShape {
  std::uint32_t in = 0;
  std::string norm;      ///< name of the normalisation, or ""
  std::string shortcut;  ///< name of its weights; "" if the widths are equal or there is none
  RowActivation activation = RowActivation::none;
  float dropout = 0;
  std::uint32_t block = 0;
  bool dense = false;     ///< reads only the block's targets, not its edges
  bool residual = false;  ///< adds the targets' input rows to the outputs
  bool reads_joined = false;
};

class GnnLayer {
 public:
  GnnLayer(const GnnLayerShape& shape, std::unique_ptr<GnnConv> conv, const GnnParts& parts);
  const GnnLayerShape& shape() const { return shape_; }
  std::uint32_t width() const { return conv_->num_outputs(); }
  void lay_out(Workspace& room, const GnnSizes& sizes);

  /// key: of this step's dropout.
  void forward(const GnnCall& call, std::uint64_t key) const;
  /// Backward pass from gradient(), the gradient of output(). dx: [sources, in], or null if it is
  /// not needed.
  void backward(const GnnCall& call, std::uint64_t key, float* dx) const;
  void step(const StepValues* values, StepList& list) const;

  /// Output [targets, width()], the input of the next layer.
  const float* output() const { return shape_.residual ? states_ : outputs_; }
  float* gradient() const { return gradient_; }

 private:
  RowUnits units(const GnnCall& call, std::uint64_t key) const {
    return {call.block.targets, width(), shape_.activation, dropout_.with(key)};
  }

  GnnLayerShape shape_;
  DropoutRate dropout_;
  std::unique_ptr<GnnConv> conv_;
  std::unique_ptr<DeviceNorm> norm_;
  std::unique_ptr<LayerWeights> shortcut_;
  float *sums_ = nullptr, *outputs_ = nullptr, *states_ = nullptr;
  float *gradient_ = nullptr, *dsums_ = nullptr;
};

/// Makes the layers from the settings "architecture" ... "train_epsilon", named as in the model's
/// metadata.
std::vector<GnnLayer> make_gnn_layers(const Settings& settings, const GnnParts& parts);
/// Whether the last layers read the concatenated outputs of all earlier layers.
inline bool joins_blocks(const Settings& settings) {
  return settings.text("architecture") == "sage-ri";
}

}  // namespace frugal::cuda
