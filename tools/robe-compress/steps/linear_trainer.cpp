#include "tools/robe-compress/steps/linear_trainer.h"

#include <algorithm>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/embedding/full_embedding.h"
#include "libcore/kernels/kernels.h"
#include "libcore/metrics/classification.h"
#include "libcore/threading/parallel.h"

namespace frugal::robe {
namespace {

/// Samples that are worth another thread: some 10 us.
constexpr std::size_t kBlockSamples = 4096;
/// Steps of weights are no longer, for far from the minimum the curvature there misleads.
constexpr double kLongestStep = 1;

/// First and second derivative of the loss by a weight.
struct Derivatives {
  double first = 0, second = 0;

  void add(float probability, float label, float x = 1) {
    const double p = static_cast<double>(probability), value = static_cast<double>(x);
    first += (p - static_cast<double>(label)) * value;
    second += p * (1 - p) * value * value;
  }
  /// Newton's step from `weight` with that penalty; 0 for a weight that no sample has, for it may
  /// be another table's (RowGap).
  float step(float weight, double l2) const {
    if (second <= 0) return 0;
    const double newton = (first + l2 * static_cast<double>(weight)) / (second + l2);
    return static_cast<float>(-std::clamp(newton, -kLongestStep, kLongestStep));
  }
};

class LinearTrainer final : public BatchTrainer {
 public:
  LinearTrainer(FullEmbedding& embedding, Network& network, const TrainerSetup& setup)
      : embedding_(embedding),
        network_(network),
        layer_(*network.layers().front().layer),
        setup_(setup),
        number_weights_(layer_.shape().in) {
    prepare_training(embedding, network, setup);
  }

  std::uint64_t run(ClickBatches& batches, std::uint64_t steps,
                    const std::function<bool()>& stop) override {
    std::uint64_t done = 0;
    bool stopped = false;
    while (done < steps && !stopped && batches.next(batch_, setup_.batch_size)) {
      sweep();
      ++step_;
      ++done;
      stopped = stop();
    }
    return done;
  }
  std::unique_ptr<Predictor> predictor() override {
    return std::make_unique<ClickPredictor>(embedding_, network_);
  }

 private:
  void sweep();
  void find_logits();
  void find_probabilities();
  void add_progress();
  void step_bias();
  void step_number(std::size_t number);
  void step_field(std::size_t field);

  /// body(i) for all samples, on all threads.
  template <class Body>
  void for_samples(Body body) {
    parallel_blocks(batch_.size, kBlockSamples, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }
  float* weights_of(std::size_t field) {
    return embedding_.array().values().data() + embedding_.tables().first_row(field);
  }

  FullEmbedding& embedding_;
  Network& network_;
  DenseLayer& layer_;
  TrainerSetup setup_;
  ClickBatch batch_;
  std::vector<float> number_weights_;  ///< the layer's
  float bias_ = 0;
  std::vector<float> logits_, probabilities_;  ///< [samples]
  std::vector<Derivatives> derivatives_;       ///< by row of a field
  std::vector<float> row_steps_;               ///< the same
};

void LinearTrainer::sweep() {
  const MatrixView<float> weights(number_weights_.data(), 1, number_weights_.size());
  layer_.get(weights, {&bias_, 1});
  find_logits();
  add_progress();
  step_bias();
  for (std::size_t j = 0; j < batch_.num_numbers; ++j) step_number(j);
  for (std::size_t f = 0; f < batch_.num_fields; ++f) step_field(f);
  layer_.set(weights, {&bias_, 1});
}

void LinearTrainer::find_logits() {
  logits_.resize(batch_.size);
  probabilities_.resize(batch_.size);
  const MatrixView<const float> numbers = batch_.numbers_view();
  const MatrixView<const std::uint32_t> rows = batch_.rows_view();
  for_samples([&](std::size_t i) {
    float logit = bias_;
    for (std::size_t j = 0; j < numbers.cols; ++j) logit += number_weights_[j] * numbers(i, j);
    for (std::size_t f = 0; f < rows.cols; ++f) logit += weights_of(f)[rows(i, f)];
    logits_[i] = logit;
  });
}

void LinearTrainer::find_probabilities() {
  parallel_blocks(batch_.size, kBlockSamples, [&](std::size_t begin, std::size_t end) {
    std::copy(logits_.begin() + static_cast<std::ptrdiff_t>(begin),
              logits_.begin() + static_cast<std::ptrdiff_t>(end),
              probabilities_.begin() + static_cast<std::ptrdiff_t>(begin));
    kernels().sigmoid(probabilities_.data() + begin, end - begin);
  });
}

/// Adds the losses before the sweep. Fails where they are not finite.
void LinearTrainer::add_progress() {
  double loss = 0;
  for (std::size_t i = 0; i < batch_.size; ++i) {
    loss += logistic_loss(logits_[i], batch_.labels[i]);
    progress_.positives += static_cast<double>(batch_.labels[i]);
  }
  check_loss(loss, step_ + 1);
  progress_.loss += loss;
  progress_.samples += batch_.size;
}

void LinearTrainer::step_bias() {
  find_probabilities();
  Derivatives sum;
  for (std::size_t i = 0; i < batch_.size; ++i) sum.add(probabilities_[i], batch_.labels[i]);
  const float step = sum.step(bias_, 0);
  bias_ += step;
  for_samples([&](std::size_t i) { logits_[i] += step; });
}

void LinearTrainer::step_number(std::size_t number) {
  find_probabilities();
  const MatrixView<const float> numbers = batch_.numbers_view();
  Derivatives sum;
  for (std::size_t i = 0; i < batch_.size; ++i) {
    sum.add(probabilities_[i], batch_.labels[i], numbers(i, number));
  }
  const float step = sum.step(number_weights_[number], setup_.l2);
  number_weights_[number] += step;
  for_samples([&](std::size_t i) { logits_[i] += step * numbers(i, number); });
}

void LinearTrainer::step_field(std::size_t field) {
  find_probabilities();
  const MatrixView<const std::uint32_t> rows = batch_.rows_view();
  const std::size_t num_rows = embedding_.tables().table(field).rows;
  derivatives_.assign(num_rows, {});
  for (std::size_t i = 0; i < batch_.size; ++i) {
    derivatives_[rows(i, field)].add(probabilities_[i], batch_.labels[i]);
  }
  row_steps_.resize(num_rows);
  float* weights = weights_of(field);
  for (std::size_t r = 0; r < num_rows; ++r) {
    row_steps_[r] = derivatives_[r].step(weights[r], setup_.l2);
    weights[r] += row_steps_[r];
  }
  for_samples([&](std::size_t i) { logits_[i] += row_steps_[rows(i, field)]; });
}

}  // namespace

std::unique_ptr<BatchTrainer> make_linear_trainer(Embedding& embedding, Network& network,
                                                  const TrainerSetup& setup) {
  if (setup.is_joint()) {
    fail(ExitStatus::usage,
         "--architecture linear steps by all samples, in one process: leave out --accumulate and "
         "start it once");
  }
  if (setup.device != "cpu" && setup.device != "auto") {
    fail(ExitStatus::unavailable,
         "--architecture linear has no engine for devices, expected --device cpu");
  }
  auto* weights = dynamic_cast<FullEmbedding*>(&embedding);
  if (weights == nullptr) {
    fail(ExitStatus::usage, "--architecture linear goes with tables of --method full, found ",
         embedding.method());
  }
  return std::make_unique<LinearTrainer>(*weights, network, setup);
}

}  // namespace frugal::robe
