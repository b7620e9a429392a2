#include "tools/robe-compress/joint_trainer.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/parallel/joint_gradient.h"
#include "libcore/threading/parallel.h"
#include "libcore/train/accumulation.h"
#include "tools/robe-compress/joint_array.h"

namespace frugal::robe {
namespace {

class JointTrainer final : public BatchTrainer {
 public:
  JointTrainer(ArrayEmbedding& embedding, Network& network, const TrainerSetup& setup)
      : embedding_(embedding),
        network_(network),
        setup_(setup),
        ranks_(setup.ranks == nullptr ? *alone_ : *setup.ranks),
        refresh_interval_(embedding.refresh_interval(setup.batch_size * setup.joint.accumulate)),
        pass_(embedding, network, setup.batch_size),
        gradient_(ranks_) {}

  std::uint64_t run(ClickBatches& batches, std::uint64_t steps,
                    const std::function<bool()>& stop) override {
    std::uint64_t done = 0;
    while (done < steps && read_step(batches)) {
      train_step();
      ++done;
      if (stop()) break;
    }
    return done;
  }
  void bring_back() override { bring_together(); }
  void bring_together() override {
    if (array_ && std::exchange(is_apart_, false)) array_->bring_together();
  }
  std::unique_ptr<Predictor> predictor() override {
    bring_together();
    return std::make_unique<ClickPredictor>(embedding_, network_);
  }

 private:
  bool read_step(ClickBatches& batches);
  void train_step();
  void pass_of(const ClickBatch& batch);

  ArrayEmbedding& embedding_;
  Network& network_;
  TrainerSetup setup_;
  std::unique_ptr<Communicator> alone_ = single_process();
  Communicator& ranks_;
  std::uint64_t refresh_interval_;
  BatchPass pass_;
  std::unique_ptr<JointArray> array_;
  bool is_apart_ = false;  ///< owners have stepped numbers that this rank has not
  std::vector<ClickBatch> mine_;
  std::size_t num_mine_ = 0;  ///< of this step
  ClickBatch other_;
  std::uint64_t step_samples_ = 0;
  JointGradient gradient_;
};

/// Keeps the mini-batches that are this rank's.
bool JointTrainer::read_step(ClickBatches& batches) {
  const RankPart part = part_of_rank(ranks_, setup_.joint.accumulate);
  mine_.resize(part.end - part.begin);
  num_mine_ = step_samples_ = 0;
  for (std::uint64_t i = 0; i < setup_.joint.accumulate; ++i) {
    ClickBatch& batch = part.has(i) ? mine_[num_mine_] : other_;
    if (!batches.next(batch, setup_.batch_size)) break;
    if (!array_) array_ = make_joint_array(embedding_, setup_, ranks_, batch);
    if (part.has(i)) ++num_mine_;
    step_samples_ += batch.size;
    progress_.positives += std::accumulate(batch.labels.begin(), batch.labels.end(), 0.0);
  }
  return step_samples_ != 0;
}

void JointTrainer::pass_of(const ClickBatch& batch) {
  const std::size_t rows = rows_at_a_time(batch.size, static_cast<std::size_t>(num_threads()));
  const float share = 1.0F / static_cast<float>(step_samples_);
  parallel_for((batch.size + rows - 1) / rows, 1, [&](std::size_t i) {
    pass_.run(batch, i * rows, std::min((i + 1) * rows, batch.size), share);
  });
  array_->add(batch, pass_.gradients(batch));
  std::vector<float> gradients(network_.gradient_size());
  parallel_for(network_.num_pieces(), 1, [&](std::size_t piece) {
    network_.piece_gradient(piece, pass_.input(batch), pass_.network_batch(), gradients);
  });
  gradient_.add(std::move(gradients), {pass_.loss(batch)});
}

void JointTrainer::train_step() {
  const auto mine = std::span<const ClickBatch>(mine_).first(num_mine_);
  array_->bring(mine);
  for (const ClickBatch& batch : mine) pass_of(batch);
  const auto [embedding_rate, network_rate] = step_rates(setup_, step_);
  array_->step(embedding_rate);
  is_apart_ = true;
  const double loss = gradient_.take_figures(1)[0];
  // Samples have their share in the step already: the sum is its gradient.
  const std::vector<float> gradients = gradient_.take_mean(network_.gradient_size(), 1);
  parallel_for(network_.num_pieces(), 1, [&, rate = network_rate](std::size_t piece) {
    network_.apply_gradient(piece, gradients, rate);
  });
  check_loss(loss, step_ + 1);
  progress_.loss += loss;
  progress_.samples += step_samples_;
  ++step_;
  if (refresh_interval_ == 0 || step_ % refresh_interval_ != 0) return;
  bring_together();
  embedding_.refresh();
}

}  // namespace

std::unique_ptr<BatchTrainer> make_joint_trainer(Embedding& embedding, Network& network,
                                                 const TrainerSetup& setup) {
  refuse_device_for_joint_steps(setup.device, setup.ranks == nullptr ? 1 : setup.ranks->size());
  if (setup.asynchronous) {
    fail(ExitStatus::usage, "--asynchronous goes with one mini-batch a step, of one rank");
  }
  prepare_training(embedding, network, setup);
  return std::make_unique<JointTrainer>(dynamic_cast<ArrayEmbedding&>(embedding), network, setup);
}

}  // namespace frugal::robe
