#include "tools/gnn-sample/network/batch_trainer.h"

#include <cmath>

namespace frugal::gnn {
namespace {

class CpuTrainer final : public BatchTrainer {
 public:
  CpuTrainer(GnnModel& model, Communicator& ranks)
      : model_(model), ranks_(ranks), room_(model.make_room()) {}

  double train(const GnnBatch& batch, const BatchTargets& targets, const GnnPass& pass,
               float rate) override {
    const MatrixView<const float> outputs = model_.forward(batch, pass, *room_);
    const double loss = batch_loss(outputs, targets, gradient_);
    if (loss < HUGE_VAL) {
      model_.backward(batch, pass, *room_, gradient_.view());
      model_.step(rate, ranks_);
    }
    return loss * static_cast<double>(outputs.rows);
  }

 private:
  GnnModel& model_;
  Communicator& ranks_;
  std::unique_ptr<GnnRoom> room_;
  RowStore gradient_;
};

}  // namespace

std::unique_ptr<BatchTrainer> make_cpu_trainer(GnnModel& model, Communicator& ranks) {
  return std::make_unique<CpuTrainer>(model, ranks);
}

}  // namespace frugal::gnn
