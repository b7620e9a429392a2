#include "tools/gnn-sample/steps/batch_trainer.h"

#include <cmath>

namespace frugal::gnn {
namespace {

class CpuTrainer final : public BatchTrainer {
 public:
  explicit CpuTrainer(GnnModel& model) : model_(model), room_(model.make_room()) {}

  double train(const GnnBatch& batch, const BatchTargets& targets, const GnnPass& pass,
               float rate) override {
    const MatrixView<const float> outputs = model_.forward(batch, pass, *room_);
    const double loss = batch_loss(outputs, targets, gradient_);
    if (loss < HUGE_VAL) {
      model_.backward(batch, pass, *room_, gradient_.view());
      model_.step(rate);
    }
    return loss * static_cast<double>(outputs.rows);
  }

 private:
  GnnModel& model_;
  std::unique_ptr<GnnRoom> room_;
  RowStore gradient_;
};

}  // namespace

std::unique_ptr<BatchTrainer> make_cpu_trainer(GnnModel& model) {
  return std::make_unique<CpuTrainer>(model);
}

}  // namespace frugal::gnn
