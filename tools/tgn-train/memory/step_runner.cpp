#include "tools/tgn-train/memory/step_runner.h"

#include <algorithm>

#include "libcore/kernels/kernels.h"

namespace frugal::tgn {

std::size_t kept_message_dim(const TgnModel& model, bool as_made) {
  const std::size_t dim = model.options().memory_dim;
  return as_made ? dim + model.inputs().edge_features + model.options().time_dim : dim;
}

MatrixView<const float> StepRunner::embed(const StepPlan& plan, TgnPass pass) {
  if (device_ != nullptr) return device_->embed(plan);
  pass.bf16_states = !pass.training && memory_ != nullptr && memory_->shape().dtype == Dtype::bf16;
  const MatrixView<float> slots = model_.begin(plan);
  if (memory_ != nullptr) {
    if (plan.updates.kept) kept_.resize(plan.updates.size(), memory_->shape().message_dim);
    memory_->expect(plan.loads);
    // Prefetches the record that is read kAhead iterations later.
    constexpr std::size_t kAhead = 4;
    for (std::size_t i = 0; i < plan.loads.size(); ++i) {
      if (i + kAhead < plan.loads.size()) memory_->prefetch(plan.loads[i + kAhead].node);
      const MemoryLoad& load = plan.loads[i];
      const bool message = load.part == MemoryPart::message && plan.updates.kept;
      memory_->read(load.node, load.part,
                    message ? kept_.view().row(load.row) : slots.row(load.row));
    }
  }
  return model_.embed(plan, features_, kept_.view(), pass);
}

void StepRunner::learn(const StepPlan& plan) {
  embed(plan, {});
  store(plan);
}

double StepRunner::train(const StepPlan& plan, const TgnPass& pass, float rate) {
  if (device_ != nullptr) return device_->train(plan, pass, rate);
  const std::size_t events = embed(plan, pass).rows / (2 + plan.others);
  // Messages are computed with the parameters from before the optimiser step.
  store(plan);
  return model_.train_links(plan, features_, rate) * static_cast<double>(events);
}

double StepRunner::backward(const StepPlan& plan, const TgnPass& pass, std::size_t of_events) {
  const std::size_t events = embed(plan, pass).rows / (2 + plan.others);
  store(plan);
  return model_.backward_links(plan, features_, of_events) * static_cast<double>(events);
}

void StepRunner::store(const StepPlan& plan) {
  if (device_ != nullptr) return device_->store();
  if (memory_ == nullptr) return;
  const MatrixView<const float> slots = model_.slots();
  message_.resize(memory_->shape().message_dim);
  const std::size_t time_dim = model_.options().time_dim;
  if (plan.updates.kept) {
    times_.resize(plan.messages.dt.size(), time_dim);
    model_.time().encode(plan.messages.dt, times_.view());
  }
  for (const MemoryStore& store : plan.stores) {
    const float* message = nullptr;
    if (plan.updates.kept) {
      make_message(plan, store, message_.data());
      message = message_.data();
    } else if (store.message_begin != store.message_end) {
      message = slots.row(plan.messages.other[store.message_begin]);
    }
    memory_->write(store.node, slots.row(store.slot), message);
  }
}

/// Writes the node's message, [other | edge features | time encoding], or the mean of its messages.
void StepRunner::make_message(const StepPlan& plan, const MemoryStore& store, float* out) {
  // The other node's part of a message: its embedding in DyRep, otherwise its state.
  const MatrixView<const float> others =
      model_.options().dyrep ? model_.embeddings() : model_.slots();
  const std::size_t dim = others.cols, edge_dim = features_.edges.width();
  const std::size_t time_dim = model_.options().time_dim;
  edge_.resize(edge_dim);
  std::fill(message_.begin(), message_.end(), 0.0F);
  const float share = 1 / static_cast<float>(store.message_end - store.message_begin);
  for (std::size_t i = store.message_begin; i < store.message_end; ++i) {
    kernels().axpy(share, others.row(plan.messages.other[i]), out, dim);
    if (edge_dim != 0) {
      features_.edges.read(plan.messages.event[i], edge_.data());
      kernels().axpy(share, edge_.data(), out + dim, edge_dim);
    }
    kernels().axpy(share, times_.view().row(i), out + dim + edge_dim, time_dim);
  }
}

}  // namespace frugal::tgn
