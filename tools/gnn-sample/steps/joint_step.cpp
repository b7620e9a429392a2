#include "tools/gnn-sample/steps/joint_step.h"

#include <algorithm>
#include <cmath>

namespace frugal::gnn {
namespace {

/// The running moments of all norms, one behind the other.
template <class Move>
void each_moments(GnnModel& model, const Move& move) {
  model.visit_norms([&](const std::string&, BatchNorm& norm) {
    move(norm.running_mean());
    move(norm.running_variance());
  });
}

void append_running(GnnModel& model, std::vector<float>& to) {
  each_moments(model, [&](std::span<float> m) { to.insert(to.end(), m.begin(), m.end()); });
}

void set_running(GnnModel& model, std::span<const float> from) {
  each_moments(model, [&](std::span<float> m) {
    std::copy_n(from.begin(), m.size(), m.begin());
    from = from.subspan(m.size());
  });
}

}  // namespace

JointStep::JointStep(GnnModel& model, Communicator& ranks)
    : model_(model), room_(model.make_room()), sum_(ranks) {}

void JointStep::add(const GnnBatch& batch, const BatchTargets& targets, const GnnPass& pass,
                    Figures figures) {
  if (sum_.count() == 0) {
    running_.clear();
    append_running(model_, running_);
  } else {
    set_running(model_, running_);
  }
  const MatrixView<const float> outputs = model_.forward(batch, pass, *room_);
  const double loss = batch_loss(outputs, targets, loss_gradient_);
  if (loss < HUGE_VAL) model_.backward(batch, pass, *room_, loss_gradient_.view());
  std::vector<float> moved = model_.take_gradient();
  append_running(model_, moved);
  sum_.add(std::move(moved),
           {loss * static_cast<double>(outputs.rows), figures.seeds, figures.edges, figures.nodes});
}

JointStep::Figures JointStep::take(std::uint64_t batches, float rate) {
  if (sum_.count() == 0) {
    running_.clear();
    append_running(model_, running_);
  }
  const std::vector<double> f = sum_.take_figures(4);
  const std::size_t size = model_.gradient_size();
  const std::vector<float> mean = sum_.take_mean(size + running_.size(), batches);
  const Figures figures{f[0], f[1], f[2], f[3]};
  if (!(figures.loss_sum < HUGE_VAL)) return figures;
  model_.apply_gradient(std::span(mean).first(size), rate);
  set_running(model_, std::span(mean).subspan(size));
  return figures;
}

}  // namespace frugal::gnn
