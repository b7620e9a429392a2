#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "libcore/threading/spin_barrier.h"
#include "tools/robe-compress/steps/batch_trainer.h"

namespace frugal::robe {

/// The one for setup.device. Embedding and network must outlive it and get their optimiser's state
/// here.
std::unique_ptr<BatchTrainer> make_trainer(Embedding& embedding, Network& network,
                                           const TrainerSetup& setup);

/// On the CPU. The same bits for any number of threads: a batch's samples are shared out, then the
/// parameters.
class ClickTrainer final : public BatchTrainer {
 public:
  /// Both must outlive the object and get their optimiser's state here.
  ClickTrainer(Embedding& embedding, Network& network, const TrainerSetup& setup);

  std::uint64_t run(ClickBatches& batches, std::uint64_t steps,
                    const std::function<bool()>& stop) override;
  std::unique_ptr<Predictor> predictor() override;

 private:
  bool read_round(ClickBatches& batches, std::uint64_t most);
  void finish_step(const ClickBatch& batch);
  void train_together(const std::function<bool()>& stop, bool leader, ParameterPart part);

  Embedding& embedding_;
  Network& network_;
  TrainerSetup setup_;
  std::uint64_t refresh_interval_ = 0;
  std::unique_ptr<BatchPass> pass_;
  std::vector<ClickBatch> batches_;
  std::unique_ptr<SpinBarrier> barrier_;
  bool running_ = false;
  std::size_t num_read_ = 0;  ///< batches of this round
  std::size_t current_ = 0;   ///< of them, the next to train on
  alignas(64) std::atomic<std::size_t> next_rows_{0};
  alignas(64) std::atomic<std::size_t> next_piece_{0};
};

}  // namespace frugal::robe
