#include "tools/robe-compress/steps/device_trainer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/device/engine.h"
#include "libcore/embedding/embedding_engine.h"
#include "tools/robe-compress/network/architecture.h"

namespace frugal::robe {
namespace {

/// Steps after which a device is asked for its losses.
constexpr std::uint64_t kReportEvery = 50;
/// Samples that are answered at a time.
constexpr std::size_t kMostAnswers = 8192;

EngineSettings network_settings(const Network& network) {
  Document document;
  network.save(document);
  EngineSettings settings{{"numbers", std::to_string(network.shape().num_numbers)}};
  for (const auto& [name, value] : document.metadata) settings.emplace_back(name, value);
  return settings;
}

std::vector<EngineArray> arrays_of(const ClickBatch& batch) {
  const auto in = [](const auto& values) {
    return const_cast<void*>(static_cast<const void*>(values.data()));
  };
  std::vector<EngineArray> arrays{
      {"rows", FRUGAL_U32, {batch.size, batch.num_fields}, in(batch.rows)},
      {"numbers", FRUGAL_F32, {batch.size, batch.num_numbers}, in(batch.numbers)}};
  if (!batch.labels.empty()) {
    arrays.push_back({"labels", FRUGAL_F32, {batch.size}, in(batch.labels)});
  }
  return arrays;
}

/// With a batch: look-ups follow the numbers as Embedding::refresh() makes them.
const EngineArray kRefresh{"refresh", FRUGAL_U8, {0}, nullptr};

/// Embedding and network as an engine knows them.
class ClickEngine {
 public:
  /// optimizer: nothing where nothing is trained.
  ClickEngine(Embedding& embedding, Network& network,
              const std::optional<OptimizerOptions>& optimizer)
      : embedding_(embedding, optimizer.has_value()), network_(network), optimizer_(optimizer) {}

  /// Whether there is an engine.
  bool open(const PredictorPlace& place, std::size_t batch_size) {
    EngineRequest request{place.device, place.command, optimizer_ ? "robe.train" : "robe.predict",
                          embedding_.settings(), batch_size};
    const auto add = [&request](const EngineSettings& more) {
      request.settings.insert(request.settings.end(), more.begin(), more.end());
    };
    add(network_settings(network_));
    add({{"batch_size", std::to_string(batch_size)},
         {"precision", std::string(kPrecisionNames[static_cast<std::size_t>(place.precision)])}});
    if (optimizer_) add(engine_settings(*optimizer_));
    engine_ = open_engine(request);
    batch_size_ = batch_size;
    return engine_ != nullptr;
  }
  DeviceEngine& engine() { return *engine_; }

  /// Model and, in training, the optimiser's state, to the device.
  void bring() {
    embedding_.set(*engine_);
    for (const Network::NamedLayer& layer : network_.layers()) {
      DenseLayer::Rows rows = layer.layer->get_rows();
      engine_->set(arrays(layer.name, rows));
    }
  }
  /// Back, after so many steps.
  void bring_back(std::uint64_t steps) {
    embedding_.get(*engine_);
    for (const Network::NamedLayer& layer : network_.layers()) {
      DenseLayer::Rows rows = layer.layer->get_rows();
      engine_->get(arrays(layer.name, rows));
      layer.layer->set_rows(rows, steps);
    }
  }

  /// The logit of each sample, [samples].
  void answer(const ClickBatch& batch, bool refresh, std::vector<float>& logits) {
    logits.resize(batch.size);
    for (std::size_t begin = 0; begin < batch.size; begin += batch_size_) {
      const std::size_t n = std::min(batch_size_, batch.size - begin);
      const auto part = [&](const auto& values, std::size_t width) {
        return const_cast<void*>(static_cast<const void*>(values.data() + begin * width));
      };
      std::vector<EngineArray> in{
          {"rows", FRUGAL_U32, {n, batch.num_fields}, part(batch.rows, batch.num_fields)},
          {"numbers", FRUGAL_F32, {n, batch.num_numbers}, part(batch.numbers, batch.num_numbers)}};
      if (refresh && begin == 0) in.push_back(kRefresh);
      const std::vector<EngineArray> out{{"logits", FRUGAL_F32, {n}, logits.data() + begin}};
      engine_->run(in, out);
    }
  }

 private:
  std::vector<EngineArray> arrays(const std::string& name, DenseLayer::Rows& rows) const {
    std::vector<EngineArray> all{{name, FRUGAL_F32, {rows.weights.size()}, rows.weights.data()}};
    if (optimizer_ && !rows.state.empty()) {
      all.push_back({name + ".state", FRUGAL_F32, {rows.state.size()}, rows.state.data()});
    }
    return all;
  }

  EngineEmbedding embedding_;
  Network& network_;
  std::optional<OptimizerOptions> optimizer_;
  std::unique_ptr<DeviceEngine> engine_;
  std::size_t batch_size_ = 0;
};

/// Answers of an engine that outlives it.
class DevicePredictor final : public Predictor {
 public:
  /// refreshes: the model is in training.
  DevicePredictor(ClickEngine& engine, bool refreshes) : engine_(engine), refreshes_(refreshes) {}
  std::span<const float> logits(const ClickBatch& batch) override {
    engine_.answer(batch, std::exchange(refreshes_, false), logits_);
    return logits_;
  }

 private:
  ClickEngine& engine_;
  bool refreshes_;
  std::vector<float> logits_;
};

/// A DevicePredictor that owns its engine.
class OwnPredictor final : public Predictor {
 public:
  explicit OwnPredictor(std::unique_ptr<ClickEngine> engine)
      : engine_(std::move(engine)), predictor_(*engine_, false) {}
  std::span<const float> logits(const ClickBatch& batch) override {
    return predictor_.logits(batch);
  }

 private:
  std::unique_ptr<ClickEngine> engine_;
  DevicePredictor predictor_;
};

class DeviceTrainer final : public BatchTrainer {
 public:
  DeviceTrainer(std::unique_ptr<ClickEngine> engine, const TrainerSetup& setup,
                std::uint64_t refresh_every)
      : engine_(std::move(engine)), setup_(setup), refresh_every_(refresh_every) {}

  std::uint64_t run(ClickBatches& batches, std::uint64_t steps,
                    const std::function<bool()>& stop) override {
    bring();
    std::uint64_t done = 0;
    bool stopped = false;
    while (done < steps && !stopped && batches.next(batch_, setup_.batch_size)) {
      const auto [embedding_rate, network_rate] = step_rates(setup_, step_);
      const double factor = static_cast<double>(rate_factor(setup_.optimizer, step_ + 1));
      const std::array<double, 2> rates{static_cast<double>(embedding_rate),
                                        static_cast<double>(network_rate) * factor};
      std::vector<EngineArray> arrays = arrays_of(batch_);
      if (refresh_every_ != 0 && (step_ + 1) % refresh_every_ == 0) arrays.push_back(kRefresh);
      engine_->engine().submit(rates, arrays);
      for (const float label : batch_.labels) progress_.positives += static_cast<double>(label);
      ++step_;
      ++done;
      is_ahead_ = true;
      if (step_ % kReportEvery == 0) collect(false);
      stopped = stop();  // rare: a device that waits a moment then loses nothing
    }
    collect(true);
    return done;
  }

  void bring_back() override {
    if (!is_ahead_) return;
    collect(true);
    engine_->bring_back(step_);
    is_ahead_ = false;
  }

  std::unique_ptr<Predictor> predictor() override {
    bring();
    is_ahead_ = is_ahead_ || refresh_every_ != 0;
    return std::make_unique<DevicePredictor>(*engine_, true);
  }

  void set_step(std::uint64_t step) override {
    step_ = step;
    is_there_ = false;  // the model was loaded anew
  }

 private:
  void bring() {
    if (!is_there_) engine_->bring();
    is_there_ = true;
  }
  void collect(bool wait) {
    const EngineSums sums = engine_->engine().collect(wait);
    check_loss(sums.loss, step_);
    progress_.loss += sums.loss;
    progress_.busy_seconds += sums.busy_seconds;
    progress_.samples += sums.samples;
  }

  std::unique_ptr<ClickEngine> engine_;
  TrainerSetup setup_;
  std::uint64_t refresh_every_;  ///< steps; 0: never
  ClickBatch batch_;
  bool is_there_ = false;  ///< the device has the model
  bool is_ahead_ = false;  ///< and has trained it since it was brought back
};

}  // namespace

std::unique_ptr<BatchTrainer> make_device_trainer(Embedding& embedding, Network& network,
                                                  const TrainerSetup& setup) {
  if (setup.device == "cpu") return nullptr;
  const bool any = setup.device == "auto";
  try {
    embedding.prepare_training(setup.optimizer);
    const OptimizerOptions optimizer = network_optimizer(setup);
    network.prepare_training(optimizer);
    auto engine = std::make_unique<ClickEngine>(embedding, network, optimizer);
    const PredictorPlace place{setup.device, "robe-compress train", setup.precision};
    if (!engine->open(place, setup.batch_size)) return nullptr;
    return std::make_unique<DeviceTrainer>(std::move(engine), setup,
                                           embedding.refresh_interval(setup.batch_size));
  } catch (const Error& error) {
    if (any && error.status() == ExitStatus::unavailable) return nullptr;
    throw;
  }
}

std::unique_ptr<Predictor> open_predictor(Embedding& embedding, Network& network,
                                          const PredictorPlace& place) {
  const auto on_cpu = [&] { return std::make_unique<ClickPredictor>(embedding, network); };
  if (place.device == "cpu") return on_cpu();
  try {
    auto engine = std::make_unique<ClickEngine>(embedding, network, std::nullopt);
    if (!engine->open(place, kMostAnswers)) return on_cpu();
    engine->bring();
    return std::make_unique<OwnPredictor>(std::move(engine));
  } catch (const Error& error) {
    if (place.device == "auto" && error.status() == ExitStatus::unavailable) return on_cpu();
    throw;
  }
}

}  // namespace frugal::robe
