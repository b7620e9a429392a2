#include "tools/sparse-train/steps/trainer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/rng.h"
#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"
#include "tests/support/text_file.h"
#include "tests/support/worst.h"
#include "tests/tools/sparse-train/same_bits.h"
#include "tests/tools/sparse-train/synthetic_data.h"
#include "tools/sparse-train/network/network_file.h"
#include "tools/sparse-train/network/predictor.h"
#include "tools/sparse-train/outputs/output_layers.h"
#include "tools/sparse-train/scoring/evaluation.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

struct Case {
  Activation activation = Activation::relu;
  LossKind loss = LossKind::softmax;
  OptimizerKind optimizer = OptimizerKind::adagrad;
  bool shared = false;
  std::uint32_t negatives = 8;
  std::uint32_t hidden = 15;
  std::uint32_t batch_size = 32;
  double rate = 0.1;
  int epochs = 3;
  std::vector<std::uint32_t> layers = {};
  double dropout = 0;
  bool half_labels = false;
};

NetworkShape shape_of(const Case& c, const Dataset& data) {
  return {data.num_features, data.num_labels, c.hidden, c.activation, c.loss,
          c.layers,          c.half_labels};
}

/// A trained network. interrupt_every: steps after which run() is left and called again.
Network trained(const Case& c, const Dataset& data, std::uint64_t interrupt_every = 0) {
  Network network(shape_of(c, data), c.optimizer);
  network.initialize(1);
  OutputOptions output;
  output.batch_size = c.batch_size;
  output.negatives = c.negatives;
  output.optimizer.kind = c.optimizer;
  const auto layer = c.shared ? make_shared_output(network, data, output)
                              : make_dense_output(network, data, output);
  TrainerSetup setup;
  setup.batch_size = c.batch_size;
  setup.optimizer.kind = c.optimizer;
  setup.schedule.peak = c.rate;
  setup.dropout = c.dropout;
  const std::uint64_t per_epoch = (data.size() + c.batch_size - 1) / c.batch_size;
  setup.schedule.total_steps = per_epoch * static_cast<std::uint64_t>(c.epochs);
  Trainer trainer(network, *layer, data, setup);
  CHECK(trainer.batches_per_epoch() == per_epoch);
  std::uint64_t done = 0;
  for (std::uint64_t step = 0; step < setup.schedule.total_steps;) {
    step = trainer.run(step, (step / per_epoch + 1) * per_epoch,
                       [&] { return interrupt_every != 0 && ++done % interrupt_every == 0; });
  }
  return network;
}

/// Sum of the losses of the batch in plain double, from the tables of a network.
struct PlainNetwork {
  const Dataset& data;
  Case c;
  std::vector<std::vector<double>> tables;  ///< features, layers, labels: [rows, dim]
  std::vector<std::size_t> dims;

  PlainNetwork(const Network& network, const Dataset& data_, const Case& c_) : data(data_), c(c_) {
    for (const RowTable* table : tables_of(network)) {
      tables.emplace_back();
      dims.push_back(table->dim());
      for (std::size_t r = 0; r < table->rows(); ++r) {
        tables.back().insert(tables.back().end(), table->row(r), table->row(r) + table->dim());
      }
    }
  }
  static std::vector<const RowTable*> tables_of(const Network& network) {
    std::vector<const RowTable*> all = {&network.features};
    for (const RowTable& layer : network.layers) all.push_back(&layer);
    all.push_back(&network.labels);
    return all;
  }

  double loss() const {
    double sum = 0;
    for (std::size_t i = 0; i < data.size(); ++i) sum += loss_of(i);
    return sum;
  }

  /// Rows of a table with biases times units.
  std::vector<double> product(std::size_t t, const std::vector<double>& units) const {
    std::vector<double> out(tables[t].size() / dims[t]);
    for (std::size_t r = 0; r < out.size(); ++r) {
      const double* w = tables[t].data() + r * dims[t];
      out[r] = w[units.size()];
      for (std::size_t k = 0; k < units.size(); ++k) out[r] += w[k] * units[k];
    }
    return out;
  }
  void activate(std::vector<double>& units) const {
    for (double& u : units) u = c.activation == Activation::relu ? std::max(u, 0.0) : u;
  }

  double loss_of(std::size_t i) const {
    std::vector<double> h(c.hidden);
    for (std::size_t j = 0; j < data.features_of(i).size(); ++j) {
      for (std::size_t k = 0; k < c.hidden; ++k) {
        h[k] += static_cast<double>(data.values_of(i)[j]) *
                tables[0][data.features_of(i)[j] * c.hidden + k];
      }
    }
    activate(h);
    for (std::size_t t = 1; t + 1 < tables.size(); ++t) {
      h = product(t, h);
      activate(h);
    }
    const std::vector<double> z = product(tables.size() - 1, h);
    double exponentials = 0, loss = 0;
    for (const double x : z) {
      exponentials += std::exp(x);
      loss += c.loss == LossKind::one_vs_all ? std::log1p(std::exp(x)) : 0;
    }
    const auto own = data.labels_of(i);
    const double share = c.loss == LossKind::softmax ? 1.0 / static_cast<double>(own.size()) : 1;
    for (const std::uint32_t l : own) loss -= share * z[l];
    return c.loss == LossKind::softmax ? loss + std::log(exponentials) : loss;
  }
};

/// Compares one step of SGD over all examples with central differences of the plain network.
void check_step(Case c) {
  c.optimizer = OptimizerKind::sgd;
  c.epochs = 1;
  c.rate = 1e-3;
  c.hidden = 5;
  const Dataset data = synthetic_data(c.batch_size, 6, 2);
  Network before(shape_of(c, data), c.optimizer);
  before.initialize(1);
  PlainNetwork plain(before, data, c);
  const Network after = trained(c, data);
  const auto old_tables = PlainNetwork::tables_of(before);
  const auto new_tables = PlainNetwork::tables_of(after);
  for (std::size_t t = 0; t < old_tables.size(); ++t) {
    const std::size_t dim = plain.dims[t];
    for (std::size_t i = 0; i < plain.tables[t].size(); ++i) {
      double& parameter = plain.tables[t][i];
      const double at = parameter, h = 1e-5;
      parameter = at + h;
      const double above = plain.loss();
      parameter = at - h;
      const double gradient = (above - plain.loss()) / (2 * h);
      parameter = at;
      const double change =
          new_tables[t]->row(i / dim)[i % dim] - old_tables[t]->row(i / dim)[i % dim];
      CHECK(change == doctest::Approx(-c.rate * gradient).epsilon(2e-3).scale(1e-3));
    }
  }
}

}  // namespace

TEST_CASE("a step of every output and loss agrees with central differences of a plain network") {
  for (const bool shared : {false, true}) {
    for (const LossKind loss : {LossKind::softmax, LossKind::one_vs_all}) {
      for (const Activation activation : {Activation::linear, Activation::relu}) {
        CAPTURE(shared);
        CAPTURE(loss_name(loss));
        CAPTURE(activation_name(activation));
        Case c;
        c.shared = shared;
        c.negatives = 1000;  // shared: all labels, each with certainty
        c.loss = loss;
        c.activation = activation;
        check_step(c);
        c.layers = {4, 3};
        check_step(c);
      }
    }
  }
}

TEST_CASE("a step of a batch of hundreds is that of all of them") {
  Case c;
  c.batch_size = 260;  // logits of 256 examples are held at a time
  check_step(c);
}

TEST_CASE("Adam steps a feature once a batch, however many examples have it") {
  Case c;
  c.optimizer = OptimizerKind::adam;
  c.epochs = 1;
  const Dataset data = synthetic_data(c.batch_size, 4, 1);
  Network before(shape_of(c, data), c.optimizer);
  before.initialize(1);
  const Network after = trained(c, data);
  float longest = 0;
  for (std::uint32_t f = 0; f < data.num_features; ++f) {
    for (std::uint32_t k = 0; k < c.hidden; ++k) {
      longest = worse(longest, std::abs(after.features.row(f)[k] - before.features.row(f)[k]));
    }
  }
  CHECK(longest == doctest::Approx(c.rate).epsilon(1e-3));
}

TEST_CASE("training gives the same bits for any number of threads, at every instruction set") {
  const Dataset data = synthetic_data(500, 300, 2);
  const int threads = num_threads();
  for (const SimdLevel level : available_simd_levels()) {
    set_simd(std::string(simd_name(level)).c_str());
    for (const bool shared : {false, true}) {
      Case c;
      c.shared = shared;
      c.hidden = 24;
      set_num_threads(1);
      const Network one = trained(c, data);
      for (const int n : {2, 3, 4}) {
        set_num_threads(n);
        CHECK(same_bits(trained(c, data), one));
      }
    }
  }
  set_simd("auto");
  set_num_threads(threads);
}

TEST_CASE("training that is interrupted and goes on gives the same bits") {
  const Dataset data = synthetic_data(300, 100, 2);
  for (const bool shared : {false, true}) {
    Case c;
    c.shared = shared;
    CHECK(same_bits(trained(c, data, 3), trained(c, data)));
    CHECK(same_bits(trained(c, data, 1), trained(c, data)));
  }
}

TEST_CASE("training with rows of labels in bf16 is as reproducible") {
  const Dataset data = synthetic_data(300, 200, 2);
  const int threads = num_threads();
  for (const OptimizerKind optimizer : {OptimizerKind::adagrad, OptimizerKind::adam}) {
    Case c;
    c.shared = true;
    c.half_labels = true;
    c.optimizer = optimizer;
    set_num_threads(1);
    const Network one = trained(c, data);
    set_num_threads(3);
    CHECK(same_bits(trained(c, data), one));
    CHECK(same_bits(trained(c, data, 3), one));
    set_num_threads(threads);
  }
}

TEST_CASE("a checkpoint keeps the bits of rows in bf16") {
  const Dataset data = synthetic_data(300, 200, 2);
  Case c;
  c.shared = true;
  c.half_labels = true;
  const Network network = trained(c, data);
  Network restored(shape_of(c, data), c.optimizer);
  Document state;
  save_training_state(network, state);
  restore_training_state(state, "x", restored);
  CHECK(same_bits(restored, network));
}

TEST_CASE("training with layers, dropout and Adam is as reproducible") {
  const Dataset data = synthetic_data(200, 60, 2);
  const int threads = num_threads();
  Case c;
  c.layers = {20, 40};
  c.dropout = 0.3;
  c.optimizer = OptimizerKind::adam;
  c.rate = 0.01;
  set_num_threads(1);
  const Network one = trained(c, data);
  set_num_threads(3);
  CHECK(same_bits(trained(c, data), one));
  CHECK(same_bits(trained(c, data, 3), one));
  c.dropout = 0;
  CHECK_FALSE(same_bits(trained(c, data), one));
  set_num_threads(threads);
}

TEST_CASE("Adam, dropout, deep networks and labels in bf16 learn") {
  const Dataset data = synthetic_data(3000, 60, 2), test = synthetic_data(500, 60, 2, 7);
  Case adam;
  adam.optimizer = OptimizerKind::adam;
  adam.rate = 0.01;
  Case deep;
  deep.layers = {32};
  Case dropout;
  dropout.dropout = 0.3;
  Case halves;
  halves.shared = halves.half_labels = true;
  halves.negatives = 30;
  for (Case c : {adam, deep, dropout, halves}) {
    c.hidden = 32;
    c.epochs = 8;
    const Network network = trained(c, data);
    const Predictor predictor(network, kEvaluatedRanks);
    CHECK(evaluate(predictor, test, count_labels(data)).precision[0] > 0.85);
  }
}

TEST_CASE("every output and loss learns, instruction sets agree within half a point of P@1") {
  const Dataset data = synthetic_data(3000, 60, 2), test = synthetic_data(500, 60, 2, 7);
  for (const bool shared : {false, true}) {
    for (const LossKind loss : {LossKind::softmax, LossKind::one_vs_all}) {
      CAPTURE(shared);
      CAPTURE(loss_name(loss));
      Case c;
      c.shared = shared;
      c.negatives = 30;
      c.loss = loss;
      c.hidden = 32;
      c.epochs = 8;
      double first = 0;
      for (const SimdLevel level : available_simd_levels()) {
        set_simd(std::string(simd_name(level)).c_str());
        const Network network = trained(c, data);
        const Predictor predictor(network, kEvaluatedRanks);
        const double precision = evaluate(predictor, test, count_labels(data)).precision[0];
        CHECK(precision > 0.9);
        if (first == 0) first = precision;
        CHECK(std::abs(precision - first) <= 0.005);
      }
    }
  }
  set_simd("auto");
}

TEST_CASE("a value that is not finite stops the run with step and tensor") {
  Dataset data = synthetic_data(100, 10, 1);
  data.values[data.feature_begin[41]] = std::numeric_limits<float>::quiet_NaN();
  Case c;
  c.batch_size = 100;
  CHECK(error_of([&] { trained(c, data); }) ==
        "65 step 1: the features of training example 42 are not finite");
  data = synthetic_data(100, 10, 1);
  c.optimizer = OptimizerKind::sgd;
  c.rate = 1e30;
  const std::string error = error_of([&] { trained(c, data); });
  CHECK(error.starts_with("65 step "));
  CHECK(error.find("the loss is not finite; first found in ") != std::string::npos);
}

TEST_CASE("sorting is stable, for few and many features and large ids") {
  for (const std::size_t size : {3U, 40U, 41U, 5000U}) {
    for (const std::uint32_t range : {5U, 70000U, 4000000000U}) {
      Dataset data;
      data.num_features = range;
      std::vector<std::pair<std::uint32_t, float>> pairs;
      Rng rng(3, size, range);
      for (std::size_t i = 0; i < size; ++i) {
        pairs.emplace_back(static_cast<std::uint32_t>(rng.below(range)), static_cast<float>(i));
        data.features.push_back(pairs.back().first);
        data.values.push_back(pairs.back().second);
      }
      data.feature_begin = {0, size};
      data.label_begin = {0, 0};
      sort_features(data);
      std::ranges::stable_sort(pairs, {}, &std::pair<std::uint32_t, float>::first);
      for (std::size_t i = 0; i < size; ++i) {
        REQUIRE(data.features[i] == pairs[i].first);
        REQUIRE(data.values[i] == pairs[i].second);
      }
    }
  }
}

TEST_CASE("sorting keeps values with their features, normalising makes length 1") {
  Dataset data;
  data.num_features = 10;
  data.features = {7, 2, 5, 3};
  data.values = {7, 2, 5, 3};
  data.feature_begin = {0, 3, 3, 4};
  data.label_begin = {0, 0, 0, 0};
  sort_features(data);
  CHECK(data.features == std::vector<std::uint32_t>{2, 5, 7, 3});
  CHECK(data.values == std::vector<float>{2, 5, 7, 3});
  normalize_rows(data);
  CHECK(data.values[0] == doctest::Approx(2 / std::sqrt(78.0)));
  CHECK(data.values[3] == 1);
}
