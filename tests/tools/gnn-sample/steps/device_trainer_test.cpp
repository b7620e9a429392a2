// Training on a device against the CPU's: on the plug-in whose CUDA kernels run here.
#include "tools/gnn-sample/steps/device_trainer.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/float16.h"
#include "libcore/embedding/array_embedding.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/system/clock.h"
#include "tests/libcore/device/every_order.h"
#include "tests/libcore/device/host_device.h"
#include "tests/support/sanitized.h"
#include "tests/support/worst.h"
#include "tests/tools/gnn-sample/network/random_batch.h"
#include "tools/gnn-sample/data/feature_array.h"

using namespace frugal;
using namespace frugal::gnn;
using device_test::use_host_device;

namespace {

constexpr std::uint64_t kDeviceSteps = kSanitized ? 2 : 20;
constexpr std::size_t kTrainedDim = 13, kTrainedOutputs = 5;

struct DeviceCase {
  GnnOptions network;
  OptimizerKind optimizer = OptimizerKind::adam;
  std::string loss = "classes";
  DeviceFeatures place = DeviceFeatures::device;
  double zeros = 0;    ///< of features, which are then sparse
  bool large = false;  ///< batches of more than 64 seeds
};

GnnOptions small_network(const std::string& kind) {
  GnnOptions o;
  o.kind = kind;
  o.num_layers = 2;
  o.hidden = 7;
  o.dropout = 0;
  return o;
}

/// The mini-batches of a run; a step takes them in turn. All have the features of the first.
class Batches {
 public:
  explicit Batches(const DeviceCase& c, std::size_t count = 3) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto more = static_cast<std::uint32_t>(i);
      // Sizes fall and rise, so that room is used again and grows.
      batches_.push_back(std::make_unique<RandomBatch>(
          c.large ? std::vector<std::uint32_t>{200, 130, 70}
                  : std::vector<std::uint32_t>{40 + 9 * (more % 2), 17 + 5 * (more % 2), 6 + more},
          kTrainedDim, more + 3, 4, c.zeros));
      const std::size_t seeds = batches_.back()->num_seeds();
      Rng rng(more + 50);
      Labels labels;
      for (std::size_t s = 0; s < seeds; ++s) {
        labels.classes.push_back(s == 2 ? -1
                                        : static_cast<std::int32_t>(rng.below(kTrainedOutputs)));
        for (std::size_t k = 0; k < kTrainedOutputs; ++k) {
          labels.rows.push_back(static_cast<std::uint8_t>(rng.below(2)));
        }
      }
      for (std::size_t p = 0; p < 2 * seeds; ++p) {
        labels.sources.push_back(static_cast<std::uint32_t>(rng.below(seeds)));
        labels.targets.push_back(static_cast<std::uint32_t>(rng.below(seeds)));
      }
      labels_.push_back(std::move(labels));
    }
  }

  GnnBatch batch(std::size_t i) const {
    GnnBatch batch = batches_[i]->view();
    batch.features = features ? *features : batches_[0]->view().features;
    if (limited_nodes_.empty()) limit_nodes();
    batch.nodes = limited_nodes_[i];
    return batch;
  }
  BatchTargets targets(const DeviceCase& c, std::size_t i) const {
    const Labels& l = labels_[i];
    if (c.loss == "links") return {{}, {}, {l.sources, l.targets, l.sources.size() / 3}};
    if (c.loss == "labels") return {{}, l.rows, {}};
    return {l.classes, {}, {}};
  }
  std::size_t size() const { return batches_.size(); }
  FeatureView all_features() const { return features ? *features : batches_[0]->view().features; }

  std::optional<FeatureView> features;  ///< instead of those of the first batch

 private:
  struct Labels {
    std::vector<std::int32_t> classes;
    std::vector<std::uint8_t> rows;
    std::vector<std::uint32_t> sources, targets;
  };

  /// Nodes of all batches are rows of the same features.
  void limit_nodes() const {
    const auto rows = static_cast<NodeId>(all_features().rows);
    for (const auto& b : batches_) {
      std::vector<NodeId> nodes;
      for (const NodeId v : b->view().nodes) nodes.push_back(v % rows);
      limited_nodes_.push_back(std::move(nodes));
    }
  }

  std::vector<std::unique_ptr<RandomBatch>> batches_;
  std::vector<Labels> labels_;
  mutable std::vector<std::vector<NodeId>> limited_nodes_;
};

OptimizerOptions optimizer_of(const DeviceCase& c) {
  OptimizerOptions optimizer;
  optimizer.kind = c.optimizer;
  return optimizer;
}

DeviceTraining training_of(const DeviceCase& c, const Batches& batches) {
  DeviceTraining training;
  training.device = "cuda";
  training.command = "gnn-sample train";
  training.features = batches.all_features();
  training.place = c.place;
  training.optimizer = optimizer_of(c);
  training.loss = c.loss;
  training.batch_size = 7;
  training.expected = {{17, 6}, {40, 17}, {30, 20}};
  return training;
}

std::unique_ptr<Embedding> feature_array(const char* method, std::uint64_t rows) {
  EmbeddingOptions options;
  options.method = method;
  options.compression = 2;
  return make_embedding(TableSet({{"features", rows}}, kTrainedDim), options, {});
}

/// A model in training, on the CPU or on the device.
class CaseTraining {
 public:
  /// array: on the device, of the same features.
  CaseTraining(const DeviceCase& c, const Batches& batches, bool on_device,
               const Embedding* array = nullptr)
      : model(c.network, kTrainedDim, kTrainedOutputs), case_(c), batches_(batches) {
    model.randomize(1);
    model.prepare_training(optimizer_of(c));
    DeviceTraining training = training_of(c, batches);
    if (array != nullptr) training.features = view_of(*array);
    trainer = on_device ? make_device_trainer(model, training) : make_cpu_trainer(model);
  }

  /// Trains steps [begin, end); the sum of their losses.
  double train(std::uint64_t begin, std::uint64_t end) {
    double loss = 0;
    const float rate = case_.optimizer == OptimizerKind::sgd ? 0.1F : 0.01F;
    for (std::uint64_t step = begin; step < end; ++step) {
      const std::size_t i = step % batches_.size();
      loss += trainer->train(batches_.batch(i), batches_.targets(case_, i), {true, 9, step}, rate);
    }
    loss += trainer->collect();
    trainer->bring_back();
    return loss;
  }

  /// Model and optimiser's state, as a checkpoint has them.
  Document state() {
    Document document;
    model.save(document);
    model.save_state(document);
    return document;
  }
  void load(const Document& document) {
    model.load(document, "state");
    model.load_state(document, "state");
    trainer->take_anew();
  }

  GnnModel model;
  std::unique_ptr<BatchTrainer> trainer;

 private:
  DeviceCase case_;
  const Batches& batches_;
};

/// Of all tensors of floats; those of other types are equal.
double worst_of_documents(const Document& a, const Document& b) {
  REQUIRE(a.tensors.size() == b.tensors.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    const Tensor &x = a.tensors[i], &y = b.tensors[i];
    REQUIRE(x.name == y.name);
    REQUIRE(x.shape == y.shape);
    if (x.dtype != Dtype::f32) {
      CHECK(std::memcmp(x.content().data(), y.content().data(), x.content().size()) == 0);
      continue;
    }
    const auto p = x.as<float>(), q = y.as<float>();
    for (std::size_t k = 0; k < p.size(); ++k) {
      worst = worse(worst, std::abs(static_cast<double>(p[k]) - static_cast<double>(q[k])));
    }
  }
  return worst;
}

/// CPU and device add up in other orders, to relative differences of 1e-7 a step. Adam and Adagrad
/// divide small gradients by their own size: last bits move a weight by a share of the rate. What
/// is allowed is a five-hundredth of it, where twenty steps move weights by 20 times the rate.
constexpr double kDeviceBound = 2e-5;

/// With norms. The gradient of a bias before a norm is 0 but for last bits, which Adam makes whole
/// steps of: those cases take plain steps.
void normalize_case(DeviceCase& c) {
  c.network.norm = NormKind::batch;
  c.optimizer = OptimizerKind::sgd;
}

void check_case(const DeviceCase& c, std::optional<FeatureView> features = {},
                const Embedding* array = nullptr) {
  CAPTURE(c.network.kind);
  CAPTURE(optimizer_name(c.optimizer));
  CAPTURE(c.loss);
  Batches batches(c);
  batches.features = features;
  CaseTraining here(c, batches, false), there(c, batches, true, array);
  const double want = here.train(0, kDeviceSteps), began = wall_seconds();
  const double got = there.train(0, kDeviceSteps);
  CHECK(here.trainer->busy_seconds() == 0);
  CHECK(there.trainer->busy_seconds() > 0);
  CHECK(there.trainer->busy_seconds() < wall_seconds() - began);
  CHECK(std::abs(got - want) < 1e-5 * std::abs(want));
  CHECK(worst_of_documents(there.state(), here.state()) < kDeviceBound);
}

std::vector<DeviceCase> every_architecture() {
  std::vector<DeviceCase> cases;
  for (const std::string kind : {"sage", "gcn", "gat", "gin", "sage-ri"}) {
    cases.push_back({.network = small_network(kind)});
  }
  return cases;
}

}  // namespace

TEST_CASE("twenty steps on a device are those of the CPU: every architecture") {
  use_host_device();
  for (const DeviceCase& c : every_architecture()) check_case(c);
}

TEST_CASE("steps of every loss and optimiser, with weight decay") {
  use_host_device();
  for (const OptimizerKind optimizer :
       {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
    for (const char* loss : {"classes", "labels", "links"}) {
      DeviceCase c{.network = small_network("sage"), .optimizer = optimizer, .loss = loss};
      c.network.weight_decay = 0.02F;
      check_case(c);
    }
  }
  for (DeviceCase c : every_architecture()) {
    c.network.weight_decay = 0.02F;
    c.network.decay_first_only = true;
    normalize_case(c);
    check_case(c);
  }
}

TEST_CASE("steps with dropout, batch normalisation, each activation") {
  use_host_device();
  for (const ActivationKind activation :
       {ActivationKind::relu, ActivationKind::leaky_relu, ActivationKind::elu}) {
    for (DeviceCase c : every_architecture()) {
      c.network.activation = activation;
      c.network.dropout = 0.4F;
      c.network.input_dropout = 0.2F;
      c.network.attention_dropout = c.network.kind == "gat" ? 0.3F : 0;
      c.network.heads = 2;
      normalize_case(c);
      check_case(c);
    }
  }
}

TEST_CASE("steps of Adam with norms, behind layers without bias") {
  use_host_device();
  for (DeviceCase c : every_architecture()) {
    c.network.norm = NormKind::batch;
    c.network.bias = false;
    check_case(c);
  }
}

TEST_CASE("steps of networks with other shapes") {
  use_host_device();
  for (DeviceCase c : every_architecture()) {  // more layers of each kind behind the first
    c.network.dropout = 0.3F;
    c.network.bias = false;
    c.network.heads = 3;
    c.network.output_heads = 2;
    c.network.train_epsilon = true;
    c.network.head_layers = c.network.kind == "sage-ri" ? 0 : 2;
    c.network.aggregate = SageAggregate::max;
    check_case(c);
    normalize_case(c);
    check_case(c);
  }
  DeviceCase equal{.network = small_network("sage-ri")};
  equal.network.hidden = kTrainedDim;  // no weights beside the first layer
  check_case(equal);
  DeviceCase wide{.network = small_network("gat")};
  wide.network.hidden = 37;
  wide.network.heads = 2;
  check_case(wide);
}

TEST_CASE("steps of blocks that several tiles of products make") {
  use_host_device();
  for (DeviceCase c : every_architecture()) {
    c.large = true;
    c.network.hidden = 70;
    check_case(c);
  }
}

TEST_CASE("products are made by a library where the machine has one") {
  use_host_device();
  if (std::getenv("FRUGAL_TEST_PLUGINS") != nullptr)
    return;  // the machine's takes every other case
  void* fake = dlopen(FAKE_CUBLASLT, RTLD_NOW);
  REQUIRE(fake != nullptr);
  const auto calls = reinterpret_cast<unsigned (*)()>(dlsym(fake, "fake_cublaslt_calls"));
  setenv("FRUGAL_CUBLASLT", FAKE_CUBLASLT, 1);
  for (DeviceCase c : every_architecture()) {
    c.network.weight_decay = 0.02F;
    const unsigned before = calls();
    check_case(c);
    // Forward and of weights in both layers, of inputs in the second.
    CHECK(calls() >= before + 5 * kDeviceSteps);
  }
  unsetenv("FRUGAL_CUBLASLT");
}

TEST_CASE("features lie where they may, in every type") {
  use_host_device();
  const std::size_t rows = 80, numbers = rows * kTrainedDim;
  Rng rng(4);
  std::vector<float> floats(numbers), scales(rows);
  std::vector<Float16> halves(numbers);
  std::vector<BFloat16> brain_halves(numbers);
  std::vector<std::int8_t> bytes(numbers);
  for (std::size_t i = 0; i < numbers; ++i) {
    floats[i] = static_cast<float>(rng.uniform(-1, 1)) * (i % 5 == 0 ? 1e-5F : 1.0F);
    halves[i] = to_float16(floats[i]);
    brain_halves[i] = to_bfloat16(floats[i]);
    bytes[i] = static_cast<std::int8_t>(rng.below(255));
    const std::size_t row = i / kTrainedDim;
    scales[row] = 0.01F + 0.0001F * static_cast<float>(row);
  }
  const auto view = [&](Dtype dtype, const void* data) {
    FeatureView f{dtype, static_cast<const std::byte*>(data), rows, kTrainedDim, {}};
    if (dtype == Dtype::i8) f.scales = scales;
    return f;
  };
  const FeatureView all[] = {view(Dtype::f32, floats.data()), view(Dtype::f16, halves.data()),
                             view(Dtype::bf16, brain_halves.data()), view(Dtype::i8, bytes.data())};
  for (const DeviceFeatures place :
       {DeviceFeatures::device, DeviceFeatures::pinned, DeviceFeatures::batches}) {
    for (const FeatureView& features : all) {
      DeviceCase c{.network = small_network("sage"), .place = place};
      c.network.input_dropout = 0.2F;
      check_case(c, features);
    }
  }
}

TEST_CASE("features in an array are expanded on the device") {
  use_host_device();
  const std::size_t rows = 80;
  std::vector<NodeId> nodes(rows);
  std::iota(nodes.begin(), nodes.end(), 0U);
  for (const char* method : {"robe", "hash", "full"}) {
    for (const Storage storage : {Storage::f32, Storage::bf16, Storage::int8, Storage::int4}) {
      CAPTURE(method);
      const auto array = feature_array(method, rows);
      static_cast<ArrayEmbedding&>(*array).array().store_as(storage);
      std::vector<float> expanded(rows * kTrainedDim);
      array->lookup_table(0, nodes.data(), rows, {expanded.data(), rows, kTrainedDim});
      const FeatureView view{
          Dtype::f32, reinterpret_cast<const std::byte*>(expanded.data()), rows, kTrainedDim, {}};
      DeviceCase c{.network = small_network("sage")};
      c.network.input_dropout = 0.3F;
      check_case(c, view, array.get());
    }
  }
}

TEST_CASE("sparse features are those of the CPU") {
  use_host_device();
  for (const DeviceFeatures place : {DeviceFeatures::device, DeviceFeatures::batches}) {
    for (DeviceCase c : every_architecture()) {
      c.place = place;
      c.zeros = 0.8;
      c.network.input_dropout = 0.3F;
      check_case(c);
    }
  }
}

TEST_CASE("steps on a device have the same bits every time, in every order of its threads") {
  use_host_device();
  for (DeviceCase c : every_architecture()) {
    c.network.dropout = 0.3F;
    c.network.norm = NormKind::batch;
    c.network.heads = 2;
    c.network.train_epsilon = true;
    const Batches batches(c);
    std::optional<Document> first;
    const auto check_run = [&] {
      CaseTraining training(c, batches, true);
      training.train(0, 3);
      const Document state = training.state();
      if (!first) first = state.clone();
      CHECK(worst_of_documents(state, *first) == 0);
    };
    check_run();
    device_test::in_every_order(check_run);
    unsetenv("FRUGAL_HOST_CUDA_ORDER");
  }
}

TEST_CASE("a run moves from the CPU to a device and back by its checkpoint") {
  use_host_device();
  std::vector<DeviceCase> cases = every_architecture();  // with Adam's moments
  for (DeviceCase c : every_architecture()) {
    normalize_case(c);
    cases.push_back(c);
  }
  for (DeviceCase c : cases) {
    c.network.dropout = 0.3F;
    const Batches batches(c);
    CaseTraining still(c, batches, false);
    still.train(0, 9);
    Document state;
    for (std::uint64_t step = 0; step < 9; step += 3) {
      CaseTraining moved(c, batches, step == 3);
      if (step > 0) moved.load(state);
      moved.train(step, step + 3);
      state = moved.state().clone();
    }
    CHECK(worst_of_documents(state, still.state()) < kDeviceBound);
  }
}

TEST_CASE("what no engine does is refused, and left to the CPU by auto") {
  use_host_device();
  DeviceCase c{.network = small_network("sage"), .zeros = 0.8};
  c.place = DeviceFeatures::pinned;
  const Batches batches(c);
  GnnModel model(c.network, kTrainedDim, kTrainedOutputs);
  model.prepare_training({});
  DeviceTraining training = training_of(c, batches);
  CHECK_THROWS_WITH_AS(make_device_trainer(model, training),
                       "--device cuda: its sparse features lie on the device alone", Error);
  const auto array = feature_array("robe", 80);
  training.features = view_of(*array);
  CHECK_THROWS_WITH_AS(
      make_device_trainer(model, training),
      "--device-features pinned takes rows, not an array of robe-compress; expected device", Error);
  training.device = "auto";
  training.place = DeviceFeatures::automatic;
  CHECK(make_device_trainer(model, training) == nullptr);  // its speed is not known
  training.device = "cpu";
  CHECK(make_device_trainer(model, training) == nullptr);
}
