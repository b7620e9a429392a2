#include "tools/sparse-train/steps/device_trainer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/sparse-train/network/device_scorer.h"
#include "tools/sparse-train/outputs/active_set.h"
#include "tools/sparse-train/outputs/output_layer.h"
#include "tools/sparse-train/steps/dropout.h"
#include "tools/sparse-train/steps/epoch_batches.h"
#include "tools/sparse-train/steps/feature_step.h"

namespace frugal::sparse {
namespace {

/// Steps after which a device is asked for its losses.
constexpr std::uint64_t kReportEvery = 50;

/// Items that no batch of examples has more of; begin [examples + 1].
std::uint64_t most_of_batch(const Column<std::uint64_t>& begin, std::uint32_t batch_size) {
  std::vector<std::uint64_t> counts(begin.size() - 1);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = begin[i + 1] - begin[i];
  const std::size_t n = std::min<std::size_t>(batch_size, counts.size());
  const auto last = counts.begin() + static_cast<long>(n);
  if (last != counts.end()) {
    std::nth_element(counts.begin(), last, counts.end(), std::greater<>());
  }
  std::uint64_t sum = 0;
  for (auto count = counts.begin(); count != last; ++count) sum += *count;
  return sum;
}

std::uint64_t most_labels(const Dataset& data, const DeviceTraining& training) {
  return most_of_batch(data.label_begin, training.trainer.batch_size);
}

EngineSettings data_settings(const Dataset& data, const DeviceTraining& training) {
  const std::uint64_t labels = most_labels(data, training);
  const std::uint64_t sampled =
      std::min<std::uint64_t>(labels + training.negatives, data.num_labels);
  return {{"examples", std::to_string(data.size())},
          {"entries", std::to_string(data.features.size())},
          {"values", data.values.empty() ? "0" : "1"},
          {"batch_entries",
           std::to_string(most_of_batch(data.feature_begin, training.trainer.batch_size))},
          {"batch_labels", std::to_string(labels)},
          {"outputs", std::to_string(training.shared ? sampled : 0)}};
}

EngineSettings step_settings(const NetworkShape& shape, const DeviceTraining& training) {
  const TrainerSetup& setup = training.trainer;
  const OptimizerOptions& o = setup.optimizer;
  const Dropout dropout(setup.dropout, setup.seed);
  const auto text = [](float x) { return format_number(static_cast<double>(x)); };
  EngineSettings settings = engine_settings(o);
  settings.insert(
      settings.end(),
      {{"batch_size", std::to_string(setup.batch_size)},
       {"answer_entries", std::to_string(kMostAnswerEntries)},
       {"ranks", std::to_string(std::min<std::size_t>(training.ranks, shape.num_labels))},
       {"label_block", std::to_string(training.label_block)},
       {"precision", std::string(kPrecisionNames[static_cast<std::size_t>(setup.precision)])},
       {"dropout_threshold", std::to_string(dropout.threshold())},
       {"dropout_scale", text(dropout.scale())},
       {"step_by_example", FeatureStep::steps_by_example(o, shape.hidden) ? "1" : "0"}});
  return settings;
}

template <class T>
EngineArray array_in(const char* name, frugal_type type, const T& values) {
  using Number = typename T::value_type;
  return {name, type, {values.size()}, const_cast<Number*>(values.data())};
}

class DeviceTrainer final : public NetworkTrainer {
 public:
  DeviceTrainer(std::shared_ptr<DeviceEngine> engine, Network& network, const Dataset& data,
                const DeviceTraining& training)
      : engine_(std::move(engine)),
        network_(network),
        data_(data),
        training_(training),
        setup_(training.trainer),
        batches_(data, setup_.batch_size, setup_.seed) {
    if (training.shared) builder_.emplace(data, training.negatives, setup_.seed);
  }

  std::uint64_t batches_per_epoch() const override { return batches_.per_epoch(); }
  void set_total_steps(std::uint64_t steps) override { setup_.schedule.total_steps = steps; }

  std::uint64_t run(std::uint64_t step, std::uint64_t end,
                    const std::function<bool()>& stop) override {
    if (step >= end) return step;
    bring();
    batches_.shuffle(step);
    for (bool stopped = false; step < end && !stopped;) {
      submit(step);
      ++step;
      if (step % kReportEvery == 0) collect(false, step);
      stopped = stop();  // rare: a device that waits a moment then loses nothing
    }
    collect(true, step);
    return step;
  }

  Progress take_progress() override { return std::exchange(progress_, Progress{}); }

  void bring_back() override {
    if (!is_ahead_) return;
    engine_->get(network_arrays(network_));
    is_ahead_ = false;
  }
  void take_anew() override { is_there_ = false; }

  std::unique_ptr<Scorer> scorer(std::size_t top_k) override {
    bring();
    return std::make_unique<DeviceScorer>(engine_, data_.num_labels, setup_.batch_size, top_k);
  }

 private:
  void bring() {
    if (!has_data_) {
      std::vector<EngineArray> arrays{array_in("data.offsets", FRUGAL_U64, data_.feature_begin),
                                      array_in("data.features", FRUGAL_U32, data_.features)};
      if (!data_.values.empty()) {
        arrays.push_back(array_in("data.values", FRUGAL_F32, data_.values));
      }
      engine_->set(arrays);
      has_data_ = true;
    }
    if (!is_there_) engine_->set(network_arrays(network_));
    is_there_ = true;
  }

  void submit(std::uint64_t step) {
    const std::span<const std::uint32_t> examples = batches_.examples_of(step);
    entries_.assign(1, 0);
    for (const std::uint32_t i : examples) {
      entries_.push_back(entries_.back() + static_cast<std::uint32_t>(data_.features_of(i).size()));
    }
    const std::array<std::uint64_t, 3> keys{Rng::hashed(setup_.seed), Dropout::stream(step, 0),
                                            rounding_keys(setup_.seed, step).key()};
    std::vector<EngineArray> batch{array_in("examples", FRUGAL_U32, examples),
                                   array_in("entries", FRUGAL_U32, entries_),
                                   array_in("keys", FRUGAL_U64, keys)};
    add_outputs(step, examples, batch);
    const double rate = setup_.schedule.rate(step);
    const auto of_step =
        static_cast<double>(static_cast<float>(rate) * rate_factor(setup_.optimizer, step + 1));
    engine_->submit(std::array{of_step}, batch);
    is_ahead_ = true;
    ++progress_.batches;
  }

  /// The outputs of a batch, and which of them are each example's own.
  void add_outputs(std::uint64_t step, std::span<const std::uint32_t> examples,
                   std::vector<EngineArray>& batch) {
    if (builder_) {
      builder_->build(step, examples, active_);
      batch.push_back(array_in("labels", FRUGAL_U32, active_.labels));
      if (training_.correct_sampling) {
        batch.push_back(array_in("log_inclusion", FRUGAL_F32, active_.log_inclusion));
      }
    } else {
      active_.targets.clear();
      for (const std::uint32_t i : examples) {
        const auto own = data_.labels_of(i);
        active_.targets.positions.insert(active_.targets.positions.end(), own.begin(), own.end());
        active_.targets.close();
      }
    }
    progress_.active += static_cast<double>(builder_ ? active_.labels.size() : data_.num_labels);
    batch.push_back(array_in("own.begin", FRUGAL_U32, active_.targets.begin));
    batch.push_back(array_in("own", FRUGAL_U32, active_.targets.positions));
  }

  void collect(bool wait, std::uint64_t step) {
    const EngineSums sums = engine_->collect(wait);
    if (!std::isfinite(sums.loss)) {
      fail(ExitStatus::bad_input, "the loss is not finite in one of the steps up to ", step,
           "; try a lower --learning-rate");
    }
    progress_.loss += sums.loss;
    progress_.examples += sums.samples;
    progress_.busy_seconds += sums.busy_seconds;
  }

  std::shared_ptr<DeviceEngine> engine_;
  Network& network_;
  const Dataset& data_;
  DeviceTraining training_;
  TrainerSetup setup_;
  EpochBatches batches_;
  std::optional<SharedActiveSet> builder_;
  ActiveSet active_;
  std::vector<std::uint32_t> entries_;
  Progress progress_;
  bool has_data_ = false;
  bool is_there_ = false;  ///< the device has the network
  bool is_ahead_ = false;  ///< and has trained it since it was brought back
};

}  // namespace

std::shared_ptr<DeviceEngine> open_training_engine(const NetworkShape& shape, const Dataset& data,
                                                   const DeviceTraining& training) {
  if (training.device == "cpu") return nullptr;
  try {
    EngineRequest request{training.device, training.command, "sparse.train",
                          network_settings(shape, training.trainer.optimizer.kind),
                          training.trainer.batch_size};
    for (const EngineSettings& more :
         {data_settings(data, training), step_settings(shape, training)}) {
      request.settings.insert(request.settings.end(), more.begin(), more.end());
    }
    return open_engine(request);
  } catch (const Error& error) {
    if (training.device == "auto" && error.status() == ExitStatus::unavailable) return nullptr;
    throw;
  }
}

std::unique_ptr<NetworkTrainer> make_device_trainer(std::shared_ptr<DeviceEngine> engine,
                                                    Network& network, const Dataset& data,
                                                    const DeviceTraining& training) {
  return std::make_unique<DeviceTrainer>(std::move(engine), network, data, training);
}

}  // namespace frugal::sparse
