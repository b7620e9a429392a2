#include "tools/sparse-train/network/trainer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "libcore/kernels/kernels.h"
#include "libcore/threading/parallel.h"
#include "tests/support/text_file.h"
#include "tests/tools/sparse-train/synthetic_data.h"
#include "tools/sparse-train/evaluation.h"
#include "tools/sparse-train/network/predictor.h"

using namespace frugal;

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
};

NetworkShape shape_of(const Case& c, const Dataset& data) {
  return {data.num_features, data.num_labels, c.hidden, c.activation, c.loss};
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

bool same_bits(const RowTable& a, const RowTable& b) {
  return a.rows() == b.rows() && a.stride() == b.stride() &&
         std::memcmp(a.data(), b.data(), a.rows() * a.stride() * sizeof(float)) == 0;
}
bool same_bits(const Network& a, const Network& b) {
  return same_bits(a.features, b.features) && same_bits(a.labels, b.labels);
}

/// Sum of the losses of the batch in plain double, from the tables of a network.
struct PlainNetwork {
  const Dataset& data;
  Case c;
  std::vector<double> features, labels;  ///< [rows, hidden], [rows, hidden + 1]

  PlainNetwork(const Network& network, const Dataset& data_, const Case& c_) : data(data_), c(c_) {
    for (std::size_t r = 0; r < network.features.rows(); ++r) {
      features.insert(features.end(), network.features.row(r), network.features.row(r) + c.hidden);
    }
    for (std::size_t r = 0; r < network.labels.rows(); ++r) {
      labels.insert(labels.end(), network.labels.row(r), network.labels.row(r) + c.hidden + 1);
    }
  }

  double loss() const {
    double sum = 0;
    for (std::size_t i = 0; i < data.size(); ++i) sum += loss_of(i);
    return sum;
  }

  double loss_of(std::size_t i) const {
    std::vector<double> h(c.hidden), z(data.num_labels);
    for (std::size_t j = 0; j < data.features_of(i).size(); ++j) {
      for (std::size_t k = 0; k < c.hidden; ++k) {
        h[k] += static_cast<double>(data.values_of(i)[j]) *
                features[data.features_of(i)[j] * c.hidden + k];
      }
    }
    double exponentials = 0, loss = 0;
    for (std::size_t l = 0; l < z.size(); ++l) {
      const double* w = labels.data() + l * (c.hidden + 1);
      z[l] = w[c.hidden];
      for (std::size_t k = 0; k < c.hidden; ++k) {
        z[l] += w[k] * (c.activation == Activation::relu ? std::max(h[k], 0.0) : h[k]);
      }
      exponentials += std::exp(z[l]);
      loss += c.loss == LossKind::one_vs_all ? std::log1p(std::exp(z[l])) : 0;
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
  const auto check = [&](std::vector<double>& parameters, std::size_t index, double change) {
    const double at = parameters[index], h = 1e-5;
    parameters[index] = at + h;
    const double above = plain.loss();
    parameters[index] = at - h;
    const double gradient = (above - plain.loss()) / (2 * h);
    parameters[index] = at;
    CHECK(change == doctest::Approx(-c.rate * gradient).epsilon(2e-3).scale(1e-3));
  };
  for (std::size_t f = 0; f < data.num_features; ++f) {
    for (std::size_t k = 0; k < c.hidden; ++k) {
      check(plain.features, f * c.hidden + k, after.features.row(f)[k] - before.features.row(f)[k]);
    }
  }
  for (std::size_t l = 0; l < data.num_labels; ++l) {
    for (std::size_t k = 0; k <= c.hidden; ++k) {
      check(plain.labels, l * (c.hidden + 1) + k, after.labels.row(l)[k] - before.labels.row(l)[k]);
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
      }
    }
  }
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
