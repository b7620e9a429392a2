#include <string>
#include <vector>

#include "libcore/device/cuda/engines/click_layers.h"

namespace frugal::cuda {
namespace {

/// A thread for each of n numbers of every sample of a full batch.
template <class... Parameters, class... Arguments>
void for_samples(void (*kernel)(Parameters...), const BatchFacts& batch, std::uint64_t n,
                 cudaStream_t stream, Arguments... arguments) {
  launch(kernel, grid_for(batch.most * n), dim3(kThreads), stream, arguments...);
}

class DotProducts : public DeviceInteraction {
 public:
  DotProducts(const BatchFacts& batch, std::uint32_t vectors, std::uint32_t dim, bool dense,
              bool diagonal)
      : batch_(batch),
        vectors_(vectors),
        dim_(dim),
        passed_(dense ? dim : vectors * dim),
        diagonal_(diagonal) {}

  std::uint32_t num_features() const override {
    return passed_ + vectors_ * (diagonal_ ? vectors_ + 1 : vectors_ - 1) / 2;
  }
  void forward(const Vectors& v, float* features, float*, cudaStream_t stream) override {
    const bool fit = fit_pairs(vectors_, dim_, 0);
    launch(fit ? dot_features<true> : dot_features<false>, dim3(batch_.most), dim3(kPairThreads),
           stream, v, batch_.values, diagonal_, passed_, num_features(), features);
  }
  void backward(const Vectors& v, const float* dfeatures, const float*, const VectorGradients& out,
                cudaStream_t stream) override {
    const bool fit = fit_pairs(vectors_, dim_, num_features() - passed_);
    launch(fit ? dot_gradients<true> : dot_gradients<false>, dim3(batch_.most), dim3(kPairThreads),
           stream, v, batch_.values, diagonal_, passed_, num_features(), dfeatures, out);
  }

 private:
  BatchFacts batch_;
  std::uint32_t vectors_, dim_, passed_;
  bool diagonal_;
};

class FactorisationMachine : public DeviceInteraction {
 public:
  FactorisationMachine(const BatchFacts& batch, std::uint32_t vectors, std::uint32_t dim,
                       Room& room)
      : batch_(batch), width_(vectors * dim), dim_(dim) {
    sums_ = room.take<float>(std::uint64_t{batch.most} * dim);
  }
  std::uint32_t num_features() const override { return width_; }
  bool has_terms() const override { return true; }
  void forward(const Vectors& v, float* features, float* terms, cudaStream_t stream) override {
    for_samples(concatenate, batch_, width_, stream, v, batch_.values, features);
    for_samples(sum_vectors, batch_, dim_, stream, v, batch_.values, sums_.data());
    for_samples(machine_terms, batch_, 1, stream, v, batch_.values, sums_.data(), terms);
  }
  void backward(const Vectors& v, const float* dfeatures, const float* dlogits,
                const VectorGradients& out, cudaStream_t stream) override {
    for_samples(machine_gradients, batch_, width_, stream, v, batch_.values, sums_.data(),
                dfeatures, dlogits, out);
  }

 private:
  BatchFacts batch_;
  std::uint32_t width_, dim_;
  DeviceArray<float> sums_;
};

/// x_{l+1} = x_0 (W x_l + b) + x_l; of low rank: W = U V.
class CrossLayers : public DeviceInteraction {
 public:
  CrossLayers(const Settings& settings, const BatchFacts& batch, std::uint32_t width, Room& room,
              NamedArrays& arrays)
      : batch_(batch), width_(width) {
    const auto layers = static_cast<std::uint32_t>(settings.number("network.cross_layers"));
    const auto rank = static_cast<std::uint32_t>(settings.number("network.cross_rank"));
    RuleChoice rule;
    if (batch.training) rule = rule_from(settings);
    const auto add = [&](const LayerShape& shape, const std::string& name) {
      layers_.emplace_back(shape, batch, room, rule, DeviceLayer::Ends{});
      layers_.back().name("network.cross." + name, arrays);
    };
    const std::uint64_t size = std::uint64_t{batch.most} * width;
    for (std::uint32_t l = 0; l < layers; ++l) {
      const std::string name = std::to_string(l);
      if (rank == 0) {
        add({width, width}, name);
      } else {
        add({width, rank, false}, name + ".v");
        add({rank, width}, name + ".u");
      }
      x_.push_back(room.take_zeros<float>(size));
    }
    low_rank_ = rank != 0;
    if (!batch.training) return;
    dx_ = room.take<float>(size);
    dx0_ = room.take<float>(size);
  }

  std::uint32_t num_features() const override { return width_; }

  void forward(const Vectors& v, float* features, float*, cudaStream_t stream) override {
    for_samples(concatenate, batch_, width_, stream, v, batch_.values,
                x_.empty() ? features : x_[0].data());
    for (std::size_t l = 0; l < x_.size(); ++l) {
      if (low_rank_) inner(l).forward(x_of(l), stream);
      outer(l).forward(outer_input(l), stream);
      for_samples(cross_forward, batch_, width_, stream, batch_.values, width_, x_[0].data(),
                  outer(l).output(), x_[l].data(), l + 1 < x_.size() ? x_[l + 1].data() : features);
    }
  }

  void backward(const Vectors& v, const float* dfeatures, const float*, const VectorGradients& out,
                cudaStream_t stream) override {
    if (x_.empty()) {
      for_samples(split_gradient, batch_, width_, stream, v, batch_.values, dfeatures, nullptr,
                  out);
      return;
    }
    const std::size_t bytes = std::size_t{batch_.most} * width_ * sizeof(float);
    check(cudaMemcpyAsync(dx_.data(), dfeatures, bytes, cudaMemcpyDefault, stream), "copy");
    check(cudaMemsetAsync(dx0_.data(), 0, bytes, stream), "zero");
    for (std::size_t l = x_.size(); l-- > 0;) {
      for_samples(cross_backward, batch_, width_, stream, batch_.values, width_, x_[0].data(),
                  outer(l).output(), dx_.data(), dx0_.data(), outer(l).output_gradient());
      outer(l).take_gradient(stream);
      if (low_rank_) {
        outer(l).backward(inner(l), stream);
        inner(l).backward(dx_.data(), 1, stream);
        inner(l).weight_gradient(x_of(l), stream);
      } else {
        outer(l).backward(dx_.data(), 1, stream);
      }
      outer(l).weight_gradient(outer_input(l), stream);
    }
    for_samples(split_gradient, batch_, width_, stream, v, batch_.values, dx_.data(), dx0_.data(),
                out);
  }

  void round(cudaStream_t stream) const override {
    for (const DeviceLayer& layer : layers_) layer.round(stream);
  }
  void step(StepList& list) const override {
    for (const DeviceLayer& layer : layers_) layer.step(list);
  }

 private:
  DeviceLayer& inner(std::size_t l) { return layers_[2 * l]; }
  DeviceLayer& outer(std::size_t l) { return layers_[low_rank_ ? 2 * l + 1 : l]; }
  RowsIn x_of(std::size_t l) const { return {x_[l].data(), width_}; }
  RowsIn outer_input(std::size_t l) { return low_rank_ ? inner(l).output_rows() : x_of(l); }

  BatchFacts batch_;
  std::uint32_t width_;
  bool low_rank_ = false;
  std::vector<DeviceLayer> layers_;
  std::vector<DeviceArray<float>> x_;  ///< inputs of the layers
  DeviceArray<float> dx_, dx0_;
};

}  // namespace

std::unique_ptr<DeviceInteraction> make_interaction(const Settings& settings,
                                                    const BatchFacts& batch, std::uint32_t vectors,
                                                    bool dense, Room& room, NamedArrays& arrays) {
  const std::string name = settings.text("network.architecture");
  const auto dim = static_cast<std::uint32_t>(settings.number("dim"));
  if (name == "dlrm") {
    return std::make_unique<DotProducts>(batch, vectors, dim, dense,
                                         settings.flag("network.diagonal"));
  }
  if (name == "dcn") {
    return std::make_unique<CrossLayers>(settings, batch, vectors * dim, room, arrays);
  }
  if (name == "deepfm") {
    return std::make_unique<FactorisationMachine>(batch, vectors, dim, room);
  }
  throw Failure(FRUGAL_UNSUPPORTED, "it has no architecture " + name);
}

}  // namespace frugal::cuda
