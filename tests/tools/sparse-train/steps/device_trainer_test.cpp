// Training on a device against the CPU's: on the plug-in whose CUDA kernels run here.
#include "tools/sparse-train/steps/device_trainer.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/system/clock.h"
#include "tests/libcore/device/every_order.h"
#include "tests/libcore/device/host_device.h"
#include "tests/support/sanitized.h"
#include "tests/support/worst.h"
#include "tests/tools/sparse-train/synthetic_data.h"
#include "tools/sparse-train/network/network_file.h"
#include "tools/sparse-train/network/predictor.h"
#include "tools/sparse-train/outputs/output_layers.h"
#include "tools/sparse-train/steps/trainer.h"

using namespace frugal;
using namespace frugal::sparse;
using device_test::use_host_device;

namespace {

constexpr std::uint64_t kDeviceSteps = kSanitized ? 2 : 20, kFewSteps = kSanitized ? 1 : 5;
constexpr std::uint32_t kDeviceBatch = 12;

struct DeviceCase {
  OptimizerKind optimizer = OptimizerKind::adagrad;
  LossKind loss = LossKind::softmax;
  bool shared = false;
  std::uint32_t hidden = 15;
  Activation activation = Activation::relu;
  double dropout = 0;
  bool half_labels = false;
  bool correct_sampling = true;
  std::uint32_t label_block = 0;
  Precision precision = Precision::f32;
};

NetworkShape shape_of_case(const DeviceCase& c, const Dataset& data) {
  NetworkShape shape{data.num_features, data.num_labels, c.hidden, c.activation, c.loss};
  shape.half_labels = c.half_labels;
  return shape;
}

DeviceTraining training_of(const DeviceCase& c) {
  DeviceTraining training{"cuda", "sparse-train train", {}};
  TrainerSetup& setup = training.trainer;
  setup.batch_size = kDeviceBatch;
  setup.optimizer.kind = c.optimizer;
  setup.schedule.peak = c.optimizer == OptimizerKind::adam ? 0.01 : 0.1;
  setup.schedule.total_steps = 2 * kDeviceSteps;
  setup.dropout = c.dropout;
  setup.seed = 5;
  setup.precision = c.precision;
  training.shared = c.shared;
  training.negatives = 8;
  training.correct_sampling = c.correct_sampling;
  training.ranks = 3;
  training.label_block = c.label_block;
  return training;
}

/// A network in training, on the CPU or on the device.
class CaseTraining {
 public:
  CaseTraining(const DeviceCase& c, const Dataset& data, bool on_device)
      : network(shape_of_case(c, data), c.optimizer) {
    network.initialize(1);
    const DeviceTraining training = training_of(c);
    if (on_device) {
      trainer = make_device_trainer(open_training_engine(network.shape, data, training), network,
                                    data, training);
      return;
    }
    OutputOptions options;
    options.batch_size = kDeviceBatch;
    options.negatives = training.negatives;
    options.correct_sampling = c.correct_sampling;
    options.seed = training.trainer.seed;
    options.optimizer = training.trainer.optimizer;
    output_ = c.shared ? make_shared_output(network, data, options)
                       : make_dense_output(network, data, options);
    trainer = std::make_unique<Trainer>(network, *output_, data, training.trainer);
  }

  /// Trains steps [begin, end), which may lie in several epochs.
  NetworkTrainer::Progress train(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t per_epoch = trainer->batches_per_epoch();
    while (begin < end) {
      begin = trainer->run(begin, std::min(end, (begin / per_epoch + 1) * per_epoch),
                           [] { return false; });
    }
    trainer->bring_back();
    return trainer->take_progress();
  }

  Network network;
  std::unique_ptr<NetworkTrainer> trainer;

 private:
  std::unique_ptr<OutputLayer> output_;
};

/// Of parameters and the optimiser's state.
double worst_of_tables(const Network& a, const Network& b) {
  double worst = 0;
  const auto compare = [&worst](const RowTable& x, const RowTable& y) {
    std::vector<float> p(x.dim()), q(x.dim());
    for (std::size_t r = 0; r < x.rows(); ++r) {
      x.read(r, p.data());
      y.read(r, q.data());
      for (std::size_t i = 0; i < p.size(); ++i) {
        worst = worse(worst, std::abs(double(p[i]) - double(q[i])));
      }
      for (std::size_t i = 0; i < x.state_size(); ++i) {
        worst = worse(worst, std::abs(double(x.state(r)[i]) - double(y.state(r)[i])));
      }
    }
  };
  compare(a.features, b.features);
  compare(a.labels, b.labels);
  return worst;
}

void check_case(const DeviceCase& c, const Dataset& data, double bound,
                std::uint64_t steps = kFewSteps) {
  CAPTURE(optimizer_name(c.optimizer));
  CAPTURE(loss_name(c.loss));
  CAPTURE(c.shared);
  CAPTURE(c.hidden);
  CAPTURE(c.half_labels);
  CaseTraining here(c, data, false), there(c, data, true);
  const NetworkTrainer::Progress want = here.train(0, steps);
  const double began = wall_seconds();
  const NetworkTrainer::Progress got = there.train(0, steps);
  CHECK(want.busy_seconds == 0);
  CHECK(got.busy_seconds > 0);
  CHECK(got.busy_seconds < wall_seconds() - began);
  CHECK(got.examples == want.examples);
  CHECK(got.batches == want.batches);
  CHECK(got.active == want.active);
  const double rounding = c.precision == Precision::f32 ? 1e-5 : 3e-3;
  CHECK(std::abs(got.loss - want.loss) < rounding * want.loss);
  CHECK(worst_of_tables(there.network, here.network) < bound);
}

}  // namespace

TEST_CASE("twenty steps on a device are those of the CPU: every loss, optimiser and output") {
  use_host_device();
  const Dataset data = synthetic_data(200, 40, 2);
  for (const auto optimizer : {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
    for (const auto loss : {LossKind::softmax, LossKind::one_vs_all}) {
      for (const bool shared : {false, true}) {
        check_case({.optimizer = optimizer, .loss = loss, .shared = shared}, data, 2e-5,
                   kDeviceSteps);
      }
    }
  }
}

TEST_CASE("steps of wide rows, of linear units, of labels by blocks, without sampling correction") {
  use_host_device();
  const Dataset data = synthetic_data(100, 40, 2);
  for (const auto optimizer : {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
    check_case({.optimizer = optimizer, .hidden = 130, .dropout = 0.3, .label_block = 16}, data,
               5e-5);
  }
  check_case({.hidden = 20, .activation = Activation::linear, .dropout = 0.5}, data, 2e-5);
  for (const auto loss : {LossKind::softmax, LossKind::one_vs_all}) {
    check_case({.loss = loss, .shared = true, .correct_sampling = false, .label_block = 16}, data,
               2e-5);
    check_case({.loss = loss, .shared = true, .label_block = 16}, data, 2e-5);
  }
}

/// Units and weights of 8 bits, whose logits are not in memory, but for sampled labels' whose loss
/// is corrected.
TEST_CASE("products of bf16 numbers train almost the same network") {
  use_host_device();
  const Dataset data = synthetic_data(100, 150, 2);
  for (const auto loss : {LossKind::softmax, LossKind::one_vs_all}) {
    for (const std::uint32_t hidden : {7U, 128U, 130U}) {
      check_case({.loss = loss, .hidden = hidden, .label_block = 70, .precision = Precision::bf16},
                 data, 0.02);
    }
    for (const bool half : {false, true}) {
      check_case({.loss = loss,
                  .shared = true,
                  .half_labels = half,
                  .correct_sampling = false,
                  .precision = Precision::bf16},
                 data, 0.02);
    }
    // Biases are lower by the logarithm of a probability, and rounded.
    check_case({.loss = loss, .shared = true, .precision = Precision::bf16}, data, 0.2);
  }
}

TEST_CASE("rows of labels kept as bf16 are rounded by the same random numbers") {
  use_host_device();
  const Dataset data = synthetic_data(100, 40, 2);
  // A last bit of a sum makes another bf16 of a weight now and then: one place of 8 bits.
  check_case({.shared = true, .half_labels = true}, data, 2e-3);
  check_case({.loss = LossKind::one_vs_all, .shared = true, .half_labels = true}, data, 2e-3);
}

TEST_CASE("steps on a device do not depend on the order of its threads") {
  use_host_device();
  const Dataset data = synthetic_data(30, 12, 2);
  for (const DeviceCase& c : {DeviceCase{.hidden = 70}, DeviceCase{.shared = true, .hidden = 5},
                              DeviceCase{.hidden = 70, .precision = Precision::bf16}}) {
    std::vector<float> first;
    device_test::in_every_order([&] {
      CaseTraining training(c, data, true);
      training.train(0, 2);
      const Network& n = training.network;
      std::vector<float> all(n.features.data(),
                             n.features.data() + n.features.rows() * n.features.stride());
      all.insert(all.end(), n.labels.data(), n.labels.data() + n.labels.rows() * n.labels.stride());
      if (first.empty()) first = all;
      CHECK(std::memcmp(all.data(), first.data(), all.size() * sizeof(float)) == 0);
    });
    unsetenv("FRUGAL_HOST_CUDA_ORDER");
  }
}

TEST_CASE("a run moves from the CPU to a device and back by its checkpoint") {
  use_host_device();
  const Dataset data = synthetic_data(100, 40, 2);
  for (const auto optimizer : {OptimizerKind::adagrad, OptimizerKind::adam}) {
    const DeviceCase c{.optimizer = optimizer, .shared = true, .dropout = 0.3};
    CaseTraining still(c, data, false);
    still.train(0, 9);
    Document state;
    std::unique_ptr<CaseTraining> moved;
    for (std::uint64_t step = 0; step < 9; step += 3) {
      moved = std::make_unique<CaseTraining>(c, data, step == 3);
      if (step > 0) {
        restore_training_state(state, "state", moved->network);
        moved->trainer->take_anew();
      }
      moved->train(step, step + 3);
      Document lent;
      save_training_state(moved->network, lent);
      state = lent.clone();
    }
    CHECK(worst_of_tables(moved->network, still.network) < 2e-5);
  }
}

TEST_CASE("a trainer on a device ranks labels as the network that it brings back") {
  use_host_device();
  const Dataset data = synthetic_data(60, 40, 2);
  for (const bool shared : {false, true}) {
    CaseTraining there({.shared = shared}, data, true);
    there.trainer->run(0, 2, [] { return false; });
    const auto on_device = there.trainer->scorer(3)->predict(data, 0, 60);
    there.trainer->bring_back();
    const auto want = Predictor(there.network, 3).predict(data, 0, 60);
    REQUIRE(on_device.size() == want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      CHECK(std::abs(on_device[i].score - want[i].score) < 1e-5F);
    }
  }
}

TEST_CASE("whole batches are multiplied by a library where the machine has one") {
  use_host_device();
  if (std::getenv("FRUGAL_TEST_PLUGINS") != nullptr)
    return;  // the machine's takes every other case
  void* fake = dlopen(FAKE_CUBLASLT, RTLD_NOW);
  REQUIRE(fake != nullptr);
  const auto calls = reinterpret_cast<unsigned (*)()>(dlsym(fake, "fake_cublaslt_calls"));
  const Dataset data = synthetic_data(40, 40, 2);
  for (const bool shared : {false, true}) {
    setenv("FRUGAL_CUBLASLT", FAKE_CUBLASLT, 1);
    const unsigned before = calls();
    check_case({.shared = shared, .label_block = 16}, data, 2e-5);
    CHECK(calls() > before);
    unsetenv("FRUGAL_CUBLASLT");
  }
}

TEST_CASE("what no engine does is refused, and left to the CPU by auto") {
  use_host_device();
  const Dataset data = synthetic_data(60, 20, 2);
  DeviceTraining training = training_of({});
  NetworkShape shape = shape_of_case({}, data);
  shape.layers = {8};
  CHECK_THROWS_WITH_AS(open_training_engine(shape, data, training),
                       "networks with --layers have no engine for devices, expected --device cpu",
                       Error);
  training.device = "auto";
  CHECK(open_training_engine(shape, data, training) == nullptr);
  shape.layers.clear();
  CHECK(open_training_engine(shape, data, training) == nullptr);  // its speed is not known
  training.device = "cuda";
  training.ranks = 5000;
  shape.num_labels = 5000;
  CHECK_THROWS_WITH_AS(open_training_engine(shape, data, training),
                       "--device cuda: its kernels rank up to 1024 labels, not 5000", Error);
}

TEST_CASE("a loss that is not finite ends a run on a device, too") {
  use_host_device();
  const Dataset data = synthetic_data(60, 20, 2);
  CaseTraining training({}, data, true);
  training.network.labels.row(3)[0] = INFINITY;
  CHECK_THROWS_WITH_AS(
      training.train(0, 2),
      "the loss is not finite in one of the steps up to 2; try a lower --learning-rate", Error);
}
