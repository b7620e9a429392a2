#include "tools/robe-compress/steps/joint_trainer.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/embedding/array_embedding.h"
#include "libcore/parallel/joint_gradient.h"
#include "libcore/threading/parallel.h"
#include "libcore/train/accumulation.h"
#include "tools/robe-compress/steps/joint_array.h"

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
        pass_(embedding, network, setup.batch_size, setup.embedding_decay),
        gradient_(ranks_, setup.joint.wire) {}

  std::uint64_t run(ClickBatches& batches, std::uint64_t steps,
                    const std::function<bool()>& stop) override {
    std::uint64_t done = 0;
    while (done < steps && has_next(batches)) {
      std::swap(now_, next_);
      has_next_ = ++done < steps && read_step(batches);
      const bool refreshes = refresh_interval_ != 0 && (step_ + 1) % refresh_interval_ == 0;
      if (has_next_ && !refreshes) array_->bring_ahead(next_.batches());
      train_step();
      if (refreshes) refresh();
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
  /// Mini-batches of a step.
  struct Step {
    std::vector<ClickBatch> mine;  ///< of this rank, and room for others
    std::size_t num_mine = 0;
    std::uint64_t samples = 0;  ///< of all ranks
    double positives = 0;

    std::span<const ClickBatch> batches() const { return std::span(mine).first(num_mine); }
  };

  bool has_next(ClickBatches& batches);
  bool read_step(ClickBatches& batches);
  void train_step();
  void pass_of(const ClickBatch& batch, bool last);
  void refresh();

  ArrayEmbedding& embedding_;
  Network& network_;
  TrainerSetup setup_;
  std::unique_ptr<Communicator> alone_ = single_process();
  Communicator& ranks_;
  std::uint64_t refresh_interval_;
  BatchPass pass_;
  std::unique_ptr<JointArray> array_;
  bool is_apart_ = false;  ///< owners have stepped numbers that this rank has not
  Step now_, next_;
  bool has_next_ = false;  ///< read, and brought; it outlasts a stop
  ClickBatch other_;
  JointGradient gradient_;
};

bool JointTrainer::has_next(ClickBatches& batches) {
  if (!has_next_ && (has_next_ = read_step(batches))) array_->bring(next_.batches());
  return has_next_;
}

/// Keeps the mini-batches of the next step that are this rank's.
bool JointTrainer::read_step(ClickBatches& batches) {
  const RankPart part = part_of_rank(ranks_, setup_.joint.accumulate);
  next_.mine.resize(part.end - part.begin);
  next_.num_mine = next_.samples = 0;
  next_.positives = 0;
  for (std::uint64_t i = 0; i < setup_.joint.accumulate; ++i) {
    ClickBatch& batch = part.has(i) ? next_.mine[next_.num_mine] : other_;
    if (!batches.next(batch, setup_.batch_size)) break;
    if (!array_) array_ = make_joint_array(embedding_, setup_, ranks_, batch);
    if (part.has(i)) ++next_.num_mine;
    next_.samples += batch.size;
    next_.positives += std::accumulate(batch.labels.begin(), batch.labels.end(), 0.0);
  }
  return next_.samples != 0;
}

/// The embeddings' gradient is on its way while that of the layers is computed.
void JointTrainer::pass_of(const ClickBatch& batch, bool last) {
  const std::size_t rows = rows_at_a_time(batch.size, static_cast<std::size_t>(num_threads()));
  const float share = 1.0F / static_cast<float>(now_.samples);
  parallel_for((batch.size + rows - 1) / rows, 1, [&](std::size_t i) {
    pass_.run(batch, i * rows, std::min((i + 1) * rows, batch.size), share);
  });
  array_->add(batch, pass_.gradients(batch));
  if (last) array_->hand_over();
  std::vector<float> gradients(network_.gradient_size());
  parallel_for(network_.num_pieces(), 1, [&](std::size_t piece) {
    network_.piece_gradient(piece, pass_.input(batch), pass_.network_batch(), gradients);
  });
  gradient_.add(std::move(gradients), {pass_.loss(batch)});
}

void JointTrainer::train_step() {
  for (std::size_t i = 0; i < now_.num_mine; ++i) pass_of(now_.mine[i], i + 1 == now_.num_mine);
  if (now_.num_mine == 0) array_->hand_over();
  double loss = 0;
  std::vector<float> gradients;
  Communicator::Pending coming = ranks_.begin([&] {
    loss = gradient_.take_figures(1)[0];
    // Samples have their share in the step already: the sum is its gradient.
    gradients = gradient_.take_mean(network_.gradient_size(), 1);
  });
  const auto [embedding_rate, network_rate] = step_rates(setup_, step_);
  array_->step(embedding_rate);
  is_apart_ = true;
  coming.wait();
  parallel_for(network_.num_pieces(), 1, [&, rate = network_rate](std::size_t piece) {
    network_.apply_gradient(piece, gradients, rate);
  });
  array_->wait();
  check_loss(loss, step_ + 1);
  progress_.loss += loss;
  progress_.samples += now_.samples;
  progress_.positives += now_.positives;
  ++step_;
}

void JointTrainer::refresh() {
  bring_together();
  embedding_.refresh();
  if (has_next_) array_->bring(next_.batches());
}

}  // namespace

std::unique_ptr<BatchTrainer> make_joint_trainer(Embedding& embedding, Network& network,
                                                 const TrainerSetup& setup) {
  refuse_device_for_joint_steps(setup.device, setup.ranks == nullptr ? 1 : setup.ranks->size());
  prepare_training(embedding, network, setup);
  return std::make_unique<JointTrainer>(dynamic_cast<ArrayEmbedding&>(embedding), network, setup);
}

}  // namespace frugal::robe
