#include "tools/robe-compress/steps/trainer.h"

#include <algorithm>

#include "libcore/base/log.h"
#include "libcore/threading/parallel.h"
#include "tools/robe-compress/network/architecture.h"
#include "tools/robe-compress/steps/device_trainer.h"
#include "tools/robe-compress/steps/joint_trainer.h"
#include "tools/robe-compress/steps/linear_trainer.h"

namespace frugal::robe {
namespace {

/// Samples that are read, by all threads, before they are trained on.
constexpr std::size_t kRound = 32768;

}  // namespace

ClickTrainer::ClickTrainer(Embedding& embedding, Network& network, const TrainerSetup& setup)
    : embedding_(embedding), network_(network), setup_(setup) {
  prepare_training(embedding, network, setup);
  refresh_interval_ = embedding_.refresh_interval(setup.batch_size);
  pass_ = std::make_unique<BatchPass>(embedding, network, setup.batch_size, setup.embedding_decay);
}

std::unique_ptr<BatchTrainer> make_trainer(Embedding& embedding, Network& network,
                                           const TrainerSetup& setup) {
  if (find_architecture(network.architecture()).is_linear) {
    return make_linear_trainer(embedding, network, setup);
  }
  if (setup.is_joint()) return make_joint_trainer(embedding, network, setup);
  if (auto trainer = make_device_trainer(embedding, network, setup)) {
    if (setup.embedding_decay.all != 0 || !setup.embedding_decay.by_row.empty()) {
      log_info("a device trains without --embedding-decay and --embedding-l2");
    }
    return trainer;
  }
  return std::make_unique<ClickTrainer>(embedding, network, setup);
}

std::unique_ptr<Predictor> ClickTrainer::predictor() {
  return std::make_unique<ClickPredictor>(embedding_, network_);
}

/// Reads the next round where the last one is done with; false at the end.
bool ClickTrainer::read_round(ClickBatches& batches, std::uint64_t most) {
  if (current_ < num_read_) return true;
  current_ = num_read_ = 0;
  const std::uint64_t round = std::max<std::size_t>(1, kRound / setup_.batch_size);
  batches_.resize(round);
  while (num_read_ < std::min(round, most) &&
         batches.next(batches_[num_read_], setup_.batch_size)) {
    ++num_read_;
  }
  return num_read_ != 0;
}

std::uint64_t ClickTrainer::run(ClickBatches& batches, std::uint64_t steps,
                                const std::function<bool()>& stop) {
  const std::uint64_t first = step_;
  running_ = true;
  while (running_ && step_ - first < steps && read_round(batches, steps - (step_ - first))) {
    next_rows_ = next_piece_ = 0;
    barrier_ = std::make_unique<SpinBarrier>(num_threads());
    parallel_threads([&](int thread) {
      const auto index = static_cast<std::size_t>(thread);
      barrier_->guard([&] {
        train_together(stop, thread == 0, {index, static_cast<std::size_t>(num_threads())});
      });
    });
  }
  return step_ - first;
}

/// Loop of every thread over the batches of a round. Between two barriers, no thread writes what
/// another one reads.
void ClickTrainer::train_together(const std::function<bool()>& stop, bool leader,
                                  ParameterPart part) {
  while (running_ && current_ < num_read_) {
    const ClickBatch& batch = batches_[current_];
    const std::size_t rows = rows_at_a_time(batch.size, part.count);
    const float share = 1.0F / static_cast<float>(batch.size);
    for (std::size_t begin; (begin = next_rows_.fetch_add(rows)) < batch.size;) {
      pass_->run(batch, begin, std::min(begin + rows, batch.size), share);
    }
    barrier_->arrive_and_wait();

    const auto [embedding_rate, network_rate] = step_rates(setup_, step_);
    embedding_.step(batch.rows_view(), pass_->gradients(batch), embedding_rate, part);
    const NetworkInput input = pass_->input(batch);
    for (std::size_t piece; (piece = next_piece_.fetch_add(1)) < network_.num_pieces();) {
      network_.step_piece(piece, input, pass_->network_batch(), network_rate);
    }
    barrier_->arrive_and_wait();

    if (leader) {
      finish_step(batch);
      ++current_;
      running_ = !stop();
      next_rows_ = next_piece_ = 0;
    }
    barrier_->arrive_and_wait();
  }
}

/// Adds the batch to the progress. Fails where the loss is not finite.
void ClickTrainer::finish_step(const ClickBatch& batch) {
  const double loss = pass_->loss(batch);
  for (std::size_t i = 0; i < batch.size; ++i) {
    progress_.positives += static_cast<double>(batch.labels[i]);
  }
  check_loss(loss, step_ + 1);
  progress_.loss += loss;
  progress_.samples += batch.size;
  ++step_;
  if (refresh_interval_ != 0 && step_ % refresh_interval_ == 0) embedding_.refresh();
}

}  // namespace frugal::robe
