#include "tools/gnn-sample/steps/batch_trainer.h"

#include <algorithm>
#include <cmath>

#include "tools/gnn-sample/layers/row_chunks.h"

namespace frugal::gnn {
namespace {

class CpuTrainer final : public BatchTrainer {
 public:
  CpuTrainer(GnnModel& model, TrainedRows* rows)
      : model_(model), rows_(rows), room_(model.make_room()) {}

  double train(const GnnBatch& given, const BatchTargets& targets, const GnnPass& pass,
               float rate) override {
    GnnBatch batch = given;
    batch.wants_gradient = rows_ != nullptr;
    const MatrixView<const float> outputs = model_.forward(batch, pass, *room_);
    const double loss = batch_loss(outputs, targets, gradient_);
    if (loss < HUGE_VAL) {
      model_.backward(batch, pass, *room_, gradient_.view());
      if (rows_ != nullptr) step_rows(batch, pass, rate);
      model_.step(rate);
    }
    return loss * static_cast<double>(outputs.rows);
  }

 private:
  /// Only the last columns of the features are trained.
  void step_rows(const GnnBatch& batch, const GnnPass& pass, float rate) {
    const std::size_t size = rows_->size(), all = batch.features.dim;
    row_gradient_.resize(batch.nodes.size(), size);
    for_each_chunk(batch.nodes.size(), [&](std::size_t begin, std::size_t end) {
      const MatrixView<float> features = working_rows(end - begin, all);
      model_.feature_gradient(batch, pass, *room_, begin, end, features);
      for (std::size_t r = 0; r < features.rows; ++r) {
        std::copy_n(features.row(r) + all - size, size, row_gradient_.view().row(begin + r));
      }
    });
    rows_->step(batch.nodes, row_gradient_.view(), rate);
  }

  GnnModel& model_;
  TrainedRows* rows_;
  std::unique_ptr<GnnRoom> room_;
  RowStore gradient_, row_gradient_;
};

}  // namespace

std::unique_ptr<BatchTrainer> make_cpu_trainer(GnnModel& model, TrainedRows* rows) {
  return std::make_unique<CpuTrainer>(model, rows);
}

}  // namespace frugal::gnn
