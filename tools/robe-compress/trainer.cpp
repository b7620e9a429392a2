#include "tools/robe-compress/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/kernels/kernels.h"
#include "libcore/metrics/classification.h"
#include "libcore/threading/parallel.h"
#include "tools/robe-compress/device_trainer.h"

namespace frugal::robe {
namespace {

/// Samples that are read, by all threads, before they are trained on.
constexpr std::size_t kRound = 32768;
/// Samples of a batch that a thread takes at a time.
constexpr std::size_t kFewestRows = 32, kMostRows = 128;

std::size_t rows_at_a_time(std::size_t batch, std::size_t threads) {
  const std::size_t share = (batch + threads - 1) / threads;
  return std::clamp((share + 15) / 16 * 16, kFewestRows, kMostRows);
}

}  // namespace

/// Working memory for one batch.
struct ClickTrainer::Room {
  Room(const Network& network, std::size_t size, std::size_t width)
      : embeddings(size * width, uninitialized),
        gradients(size * width, uninitialized),
        logits(size),
        dlogits(size),
        losses(size),
        batch(network.make_batch(size, /*training=*/true)) {}

  Array<float> embeddings, gradients;  ///< [batch, fields * dim]
  std::vector<float> logits, dlogits;
  std::vector<double> losses;
  std::unique_ptr<NetworkBatch> batch;
};

OptimizerOptions network_optimizer(const TrainerSetup& setup) {
  OptimizerOptions options = setup.optimizer;
  options.weight_decay = setup.weight_decay;
  return options;
}

ClickTrainer::ClickTrainer(Embedding& embedding, Network& network, const TrainerSetup& setup)
    : embedding_(embedding),
      network_(network),
      setup_(setup),
      width_(embedding.tables().size() * embedding.tables().dim()) {
  if (setup.batch_size >
      std::numeric_limits<std::uint32_t>::max() / std::max<std::size_t>(1, width_)) {
    fail(ExitStatus::usage, "batches of ", setup.batch_size, " samples with embeddings of ", width_,
         " numbers, expected fewer than 2^32 numbers; take a lower --batch-size");
  }
  embedding_.prepare_training(setup.optimizer);
  network_.prepare_training(network_optimizer(setup));
  refresh_interval_ = embedding_.refresh_interval(setup.batch_size);
  const int rooms = setup.asynchronous ? num_threads() : 1;
  for (int i = 0; i < rooms; ++i) {
    rooms_.push_back(std::make_unique<Room>(network, setup.batch_size, width_));
  }
}

ClickTrainer::~ClickTrainer() = default;

std::pair<float, float> step_rates(const TrainerSetup& setup, std::uint64_t step) {
  const float factor = rate_factor(setup.optimizer, step + 1);
  return {static_cast<float>(setup.embedding_schedule.rate(step)) * factor,
          static_cast<float>(setup.network_schedule.rate(step))};
}

void check_loss(double loss, std::uint64_t step) {
  if (std::isfinite(loss)) return;
  fail(ExitStatus::bad_input, "step ", step,
       ": the loss is not finite; try a lower --learning-rate");
}

std::unique_ptr<BatchTrainer> make_trainer(Embedding& embedding, Network& network,
                                           const TrainerSetup& setup) {
  if (auto trainer = make_device_trainer(embedding, network, setup)) return trainer;
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
    const std::uint64_t round_begin = step_;
    barrier_ = std::make_unique<SpinBarrier>(num_threads());
    parallel_threads([&](int thread) {
      const auto index = static_cast<std::size_t>(thread);
      if (setup_.asynchronous) {
        train_alone(*rooms_[index], round_begin);
      } else {
        barrier_->guard([&] {
          train_together(stop, thread == 0, {index, static_cast<std::size_t>(num_threads())});
        });
      }
    });
    if (setup_.asynchronous) {
      current_ = num_read_;
      running_ = !stop();
    }
  }
  return step_ - first;
}

NetworkInput ClickTrainer::input_of(const Room& room, const ClickBatch& batch) const {
  return {
      batch.numbers_view(), {room.embeddings.data(), batch.size, width_, width_}, 0, batch.size};
}

/// Forward and backward of samples [begin, end).
void ClickTrainer::pass(const ClickBatch& batch, Room& room, std::size_t begin,
                        std::size_t end) const {
  const MatrixView<float> embeddings(room.embeddings.data(), batch.size, width_);
  embedding_.lookup(batch.rows_view().rows_between(begin, end),
                    embeddings.rows_between(begin, end));
  NetworkInput input = input_of(room, batch);
  input.begin = begin;
  input.end = end;
  network_.forward(input, *room.batch, {room.logits.data(), batch.size});
  const float share = 1.0F / static_cast<float>(batch.size);
  for (std::size_t i = begin; i < end; ++i) {
    room.losses[i] = logistic_loss(room.logits[i], batch.labels[i]);
    room.dlogits[i] = room.logits[i];
  }
  kernels().sigmoid(room.dlogits.data() + begin, end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    room.dlogits[i] = share * (room.dlogits[i] - batch.labels[i]);
  }
  network_.backward(input, *room.batch, {room.dlogits.data(), batch.size},
                    {room.gradients.data(), batch.size, width_});
}

/// What every thread does with the batches of a round. Between two barriers nothing is written that
/// another thread reads.
void ClickTrainer::train_together(const std::function<bool()>& stop, bool leader,
                                  ParameterPart part) {
  Room& room = *rooms_[0];
  while (running_ && current_ < num_read_) {
    const ClickBatch& batch = batches_[current_];
    const std::size_t rows = rows_at_a_time(batch.size, part.count);
    for (std::size_t begin; (begin = next_rows_.fetch_add(rows)) < batch.size;) {
      pass(batch, room, begin, std::min(begin + rows, batch.size));
    }
    barrier_->arrive_and_wait();

    const auto [embedding_rate, network_rate] = step_rates(setup_, step_);
    embedding_.step(batch.rows_view(), {room.gradients.data(), batch.size, width_}, embedding_rate,
                    part);
    const NetworkInput input = input_of(room, batch);
    for (std::size_t piece; (piece = next_piece_.fetch_add(1)) < network_.num_pieces();) {
      network_.step_piece(piece, input, *room.batch, network_rate);
    }
    barrier_->arrive_and_wait();

    if (leader) {
      finish_step(batch, room);
      ++current_;
      running_ = !stop();
      next_rows_ = next_piece_ = 0;
    }
    barrier_->arrive_and_wait();
  }
}

/// Adds the batch to the progress. Fails where the loss is not finite.
void ClickTrainer::finish_step(const ClickBatch& batch, const Room& room) {
  double loss = 0;
  for (std::size_t i = 0; i < batch.size; ++i) {
    loss += room.losses[i];
    progress_.positives += static_cast<double>(batch.labels[i]);
  }
  check_loss(loss, step_ + 1);
  progress_.loss += loss;
  progress_.samples += batch.size;
  ++step_;
  if (refresh_interval_ != 0 && step_ % refresh_interval_ == 0) embedding_.refresh();
}

/// What every thread does on its own. round_begin: the step of the first batch that was read.
void ClickTrainer::train_alone(Room& room, std::uint64_t round_begin) {
  for (std::size_t b; (b = next_rows_.fetch_add(1)) < num_read_;) {
    const ClickBatch& batch = batches_[b];
    for (std::size_t begin = 0; begin < batch.size; begin += kMostRows) {
      pass(batch, room, begin, std::min(begin + kMostRows, batch.size));
    }
    const auto [embedding_rate, network_rate] = step_rates(setup_, round_begin + b);
    embedding_.step(batch.rows_view(), {room.gradients.data(), batch.size, width_}, embedding_rate,
                    {});
    const NetworkInput input = input_of(room, batch);
    for (std::size_t piece = 0; piece < network_.num_pieces(); ++piece) {
      network_.step_piece(piece, input, *room.batch, network_rate);
    }
    const std::lock_guard lock(mutex_);
    finish_step(batch, room);
  }
}

}  // namespace frugal::robe
