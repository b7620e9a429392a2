#pragma once
/// The network of a click model on the device, with the same layers as on the CPU.
#include <memory>
#include <string>
#include <vector>

#include "libcore/device/cuda/engines/dense_layer.h"
#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/kernels/interactions.h"

namespace frugal::cuda {

/// Computes the top layers' input features from a sample's vectors.
class DeviceInteraction {
 public:
  virtual ~DeviceInteraction() = default;
  virtual std::uint32_t num_features() const = 0;
  /// Writes features [samples, num_features()], and, if has_terms(), terms [samples]: a part of the
  /// logit that bypasses the top layers.
  virtual bool has_terms() const { return false; }
  virtual void forward(const Vectors& vectors, float* features, float* terms,
                       cudaStream_t stream) = 0;
  virtual void backward(const Vectors& vectors, const float* dfeatures, const float* dlogits,
                        const VectorGradients& out, cudaStream_t stream) = 0;
  /// Rounding and step of its own layers, if it has any: see LayerWeights.
  virtual void round(cudaStream_t) const {}
  virtual void step(StepList&) const {}
};

/// Makes the interaction named by the setting "network.architecture". vectors: number per sample;
/// dense: one of them is the bottom layers' output.
std::unique_ptr<DeviceInteraction> make_interaction(const Settings& settings,
                                                    const BatchFacts& batch, std::uint32_t vectors,
                                                    bool dense, Room& room, NamedArrays& arrays);

/// Bottom layers, interaction and top layers. Arrays: those of its layers (dense_layer.h), named as
/// the model's tensors: "network.bottom.0" ....
class ClickLayers {
 public:
  ClickLayers(const Settings& settings, const BatchFacts& batch, Room& room, NamedArrays& arrays);

  /// Computes logits [samples] from numbers [samples, numbers] and embeddings [samples, fields,
  /// dim].
  void forward(const float* numbers, const float* embeddings, cudaStream_t stream);
  /// After forward(), with dlogits() filled: computes the layers' gradients and dembeddings.
  void backward(const float* numbers, const float* embeddings, float* dembeddings,
                cudaStream_t stream);
  /// Renews the bf16 copies of the weights. Call it after weights were set.
  void round(cudaStream_t stream) const;
  void step(cudaStream_t stream) const;

  float* logits() { return top_.back().output(); }
  float* dlogits() { return top_.back().output_gradient(); }

 private:
  Vectors vectors(const float* embeddings) const;
  RowsIn features() const { return {features_.data(), interaction_->num_features()}; }

  BatchFacts batch_;
  RuleChoice rule_;
  std::uint32_t numbers_, fields_, dim_;
  std::vector<DeviceLayer> bottom_, top_;
  std::unique_ptr<DeviceInteraction> interaction_;
  DeviceArray<float> features_, dfeatures_, terms_;
};

}  // namespace frugal::cuda
