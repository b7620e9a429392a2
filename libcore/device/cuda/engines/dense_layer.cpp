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

LayerWeights::LayerWeights(const LayerShape& shape, Products products, std::uint32_t most,
                           Room& room)
    : shape_(shape), products_(shape.out == 1 ? Products::f32 : products) {  // as DenseLayer
  const std::uint32_t blocks = tiles(num_inputs()) * tiles(shape.out);
  const std::uint32_t wanted = (kBusyBlocks + blocks - 1) / blocks;
  parts_ = std::clamp((most + kShortestDepth - 1) / kShortestDepth, 1U, wanted);
  weights_ = room.take<float>(size());
}

void LayerWeights::prepare_training(const RuleChoice& rule, Room& room) {
  rule_ = rule;
  state_ = room.take<float>(std::uint64_t{rule_.num_states()} * size());
  partial_ = room.take<float>(std::uint64_t{parts_} * size());
}

void LayerWeights::name(const std::string& name, NamedArrays& arrays) const {
  arrays.add(name, weights_);
  if (state_.size() != 0) arrays.add(name + ".state", state_);
}

void LayerWeights::forward(const RowsIn& x, const RowsOut& y, const RowRange& rows, float beta,
                           cudaStream_t stream) const {
  Product p{};
  p.a = {x.data, x.stride, shape_.in, shape_.bias};
  p.b = {weights_.data(), shape_.out, shape_.out, false};
  p.c = y.data;
  p.c_stride = y.stride;
  p.n = shape_.out;
  p.m = rows.most;
  p.k = p.depth = num_inputs();
  p.first = rows.first;
  p.rows = rows.end;
  p.beta = beta;
  p.relu = shape_.relu;
  multiply<false, false>(p, products_, 1, stream);
}

void LayerWeights::backward(const RowsIn& dy, const RowsOut& dx, const RowRange& rows,
                            const ProductEnd& end, cudaStream_t stream) const {
  Product p{};
  p.a = {dy.data, dy.stride, shape_.out, false};
  p.b = {weights_.data(), shape_.out, shape_.out, false};
  p.c = dx.data;
  p.c_stride = dx.stride;
  p.n = end.columns == 0 ? shape_.in : end.columns;
  p.m = rows.most;
  p.k = p.depth = shape_.out;
  p.first = rows.first;
  p.rows = rows.end;
  p.beta = end.beta;
  p.mask = end.mask;
  multiply<false, true>(p, products_, 1, stream);
}

void LayerWeights::gradient(const RowsIn& x, const RowsIn& dy, const RowRange& rows, bool adds,
                            cudaStream_t stream) const {
  Product p{};
  p.a = {x.data, x.stride, shape_.in, shape_.bias};
  p.b = {dy.data, dy.stride, shape_.out, false};
  p.c = partial_.data();
  p.c_stride = p.n = shape_.out;
  p.m = num_inputs();
  p.k = rows.most;
  p.depth = ((rows.most + parts_ - 1) / parts_ + kMmaDepth - 1) / kMmaDepth * kMmaDepth;
  p.part_size = size();
  p.rows = rows.end;
  p.beta = adds ? 1 : 0;
  multiply<true, false>(p, products_, parts_, stream);
}

void LayerWeights::step(const StepValues* values, cudaStream_t stream) const {
  step_numbers(rule_, values, weights_.data(), state_.data(), partial_.data(), parts_, size(),
               stream);
}

void step_numbers(const RuleChoice& rule, const StepValues* values, float* numbers, float* state,
                  const float* gradient, std::uint32_t parts, std::uint32_t n,
                  cudaStream_t stream) {
  float* second = rule.num_states() > 1 ? state + n : nullptr;
  const auto with = [&](auto kernel) {
    launch(kernel, grid_for(n), dim3(kThreads), stream, values, rule.numbers, numbers, state,
           second, gradient, parts, n);
  };
  switch (rule.rule) {
    case Rule::sgd: return with(step_dense<Rule::sgd>);
    case Rule::adagrad: return with(step_dense<Rule::adagrad>);
    case Rule::adam: return with(step_dense<Rule::adam>);
  }
}

DeviceLayer::DeviceLayer(const LayerShape& shape, const BatchFacts& batch, Room& room,
                         const RuleChoice& rule)
    : batch_(batch),
      weights_(shape, batch.products, batch.most, room),
      output_(room.take<float>(std::uint64_t{batch.most} * shape.out)) {
  if (!batch.training) return;
  weights_.prepare_training(rule, room);
  gradient_ = room.take<float>(std::uint64_t{batch.most} * shape.out);
}

void DeviceLayer::forward(const float* x, cudaStream_t stream) {
  weights_.forward({x, weights_.shape().in}, all(output_), samples(), 0, stream);
}

void DeviceLayer::backward(float* dx, const float* mask, float beta, cudaStream_t stream) {
  weights_.backward(all(gradient_), {dx, weights_.shape().in}, samples(), {beta, mask}, stream);
}

void DeviceLayer::weight_gradient(const float* x, cudaStream_t stream) {
  weights_.gradient({x, weights_.shape().in}, all(gradient_), samples(), false, stream);
}

}  // namespace frugal::cuda
