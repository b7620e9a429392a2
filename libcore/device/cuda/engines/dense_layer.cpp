#include "libcore/device/cuda/engines/dense_layer.h"

#include <algorithm>

namespace frugal::cuda {
namespace {

/// Blocks of threads that keep a GPU busy, and the shortest sum over samples that is worth one.
constexpr std::uint32_t kBusyBlocks = 256, kShortestDepth = 128;

std::uint32_t tiles(std::uint32_t n) { return (n + kTile - 1) / kTile; }

}  // namespace

Products products_from(const Settings& settings) {
  const std::string name = settings.text("precision");
  if (name == "f32") return Products::f32;
  int device = 0;
  cudaDeviceProp facts{};
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaGetDeviceProperties(&facts, device), "cudaGetDeviceProperties");
  const bool has_bf16 = facts.major >= 8;
  if (name == "bf16" && !has_bf16) {
    throw Failure(FRUGAL_UNSUPPORTED,
                  "it has no products of bf16 numbers (sm_80), expected --precision f32");
  }
  return has_bf16 ? Products::bf16 : Products::f32;
}

RuleChoice rule_from(const Settings& settings) {
  const std::string name = settings.text("optimizer");
  RuleChoice choice;
  if (name == "adagrad") {
    choice.rule = Rule::adagrad;
  } else if (name == "adam") {
    choice.rule = Rule::adam;
  } else if (name != "sgd") {
    throw Failure(FRUGAL_UNSUPPORTED, "it has no optimizer " + name);
  }
  choice.numbers = {settings.real("epsilon"), settings.real("beta1"), settings.real("beta2")};
  return choice;
}

DeviceLayer::DeviceLayer(const LayerShape& shape, const BatchFacts& batch, Room& room,
                         const RuleChoice& rule)
    : shape_(shape),
      batch_(batch),
      products_(shape.out == 1 ? Products::f32 : batch.products),  // as DenseLayer
      rule_(rule) {
  const std::uint32_t most = batch.most;
  weights_ = room.take<float>(size());
  output_ = room.take<float>(std::uint64_t{most} * shape.out);
  if (!batch.training) return;
  const std::uint32_t blocks = tiles(num_inputs()) * tiles(shape.out);
  const std::uint32_t wanted = (kBusyBlocks + blocks - 1) / blocks;
  parts_ = std::clamp((most + kShortestDepth - 1) / kShortestDepth, 1U, wanted);
  depth_ = ((most + parts_ - 1) / parts_ + kMmaDepth - 1) / kMmaDepth * kMmaDepth;
  parts_ = (most + depth_ - 1) / depth_;
  state_ = room.take<float>(std::uint64_t{rule_.num_states()} * size());
  partial_ = room.take<float>(std::uint64_t{parts_} * size());
  gradient_ = room.take<float>(std::uint64_t{most} * shape.out);
}

void DeviceLayer::name(const std::string& name, NamedArrays& arrays) const {
  arrays.add(name, weights_);
  if (state_.size() != 0) arrays.add(name + ".state", state_);
}

void DeviceLayer::forward(const float* x, cudaStream_t stream) {
  Product p{};
  p.a = {x, shape_.in, shape_.bias};
  p.b = {weights_.data(), shape_.out, false};
  p.c = output_.data();
  p.c_columns = p.n = shape_.out;
  p.m = batch_.most;
  p.k = p.depth = num_inputs();
  p.rows = &batch_.values->samples;
  p.relu = shape_.relu;
  multiply<false, false>(p, products_, 1, stream);
}

void DeviceLayer::backward(float* dx, const float* mask, float beta, cudaStream_t stream) {
  Product p{};
  p.a = {gradient_.data(), shape_.out, false};
  p.b = {weights_.data(), shape_.out, false};
  p.c = dx;
  p.c_columns = p.n = shape_.in;
  p.m = batch_.most;
  p.k = p.depth = shape_.out;
  p.rows = &batch_.values->samples;
  p.beta = beta;
  p.mask = mask;
  multiply<false, true>(p, products_, 1, stream);
}

void DeviceLayer::weight_gradient(const float* x, cudaStream_t stream) {
  Product p{};
  p.a = {x, shape_.in, shape_.bias};
  p.b = {gradient_.data(), shape_.out, false};
  p.c = partial_.data();
  p.c_columns = p.n = shape_.out;
  p.m = num_inputs();
  p.k = batch_.most;
  p.depth = depth_;
  p.part_size = size();
  p.rows = &batch_.values->samples;
  multiply<true, false>(p, products_, parts_, stream);
}

void DeviceLayer::step(cudaStream_t stream) {
  float* first = state_.data();
  float* second = rule_.num_states() > 1 ? first + size() : nullptr;
  const auto with = [&](auto kernel) {
    launch(kernel, grid_for(size()), dim3(kThreads), stream, batch_.values, rule_.numbers,
           weights_.data(), first, second, partial_.data(), parts_, size());
  };
  switch (rule_.rule) {
    case Rule::sgd: return with(step_dense<Rule::sgd>);
    case Rule::adagrad: return with(step_dense<Rule::adagrad>);
    case Rule::adam: return with(step_dense<Rule::adam>);
  }
}

}  // namespace frugal::cuda
