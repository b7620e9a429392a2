#include "tools/tgn-train/steps/shared_steps.h"

#include <span>
#include <vector>

namespace frugal::tgn {

double SharedSteps::backward(const PlannedStep& step, std::uint64_t number) {
  const std::uint64_t before = shards_.ranks().bytes_sent();
  StepRunner& runner = session_.runner();
  TgnModel& model = session_.model();
  const std::span<const StepPlan> parts = parts_.cut(step.plan, step.events.size());
  session_.shared()->begin_parts(parts);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (shards_.rank_of_shard(p) != shards_.ranks().rank()) continue;
    if (parts[p].layers.back().size() == 0) {
      runner.learn(parts[p]);
      gradient_.add(std::vector<float>(model.gradient_size()), {0});
      continue;
    }
    const TgnPass pass{true, seed_, number * shards_.count() + p};
    const double loss = runner.backward(parts[p], pass, step.events.size());
    gradient_.add(model.take_gradient(), {loss});
  }
  session_.shared()->end_parts(parts);
  const double loss = gradient_.take_figures(1).front();
  ++steps_;
  sent_ += shards_.ranks().bytes_sent() - before;
  return loss;
}

void SharedSteps::step(float rate) {
  const std::uint64_t before = shards_.ranks().bytes_sent();
  session_.model().apply_gradient(gradient_.take_mean(session_.model().gradient_size(), 1), rate);
  sent_ += shards_.ranks().bytes_sent() - before;
}

}  // namespace frugal::tgn
