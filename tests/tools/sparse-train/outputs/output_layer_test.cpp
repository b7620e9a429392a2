#include "tools/sparse-train/outputs/output_layer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "tests/tools/sparse-train/synthetic_data.h"
#include "tools/sparse-train/outputs/candidate_source.h"
#include "tools/sparse-train/outputs/output_layers.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

constexpr std::uint32_t kOutputLabels = 30;
constexpr std::uint32_t kHidden = 5;

/// A fixed label for each example, twice, and its own.
class FixedCandidates : public CandidateSource {
 public:
  explicit FixedCandidates(const Dataset& data) : data_(data), frequency_(data.num_labels) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (data.labels_of(i)[0] != of(i)[0])
        frequency_[of(i)[0]] += 1.0F / static_cast<float>(data.size());
    }
  }
  void candidates(const Batch& batch, std::size_t k,
                  std::vector<std::uint32_t>& out) const override {
    for (const std::uint32_t l : of(batch.examples[k])) out.push_back(l);
  }
  float frequency(std::uint32_t label) const override { return frequency_[label]; }

 private:
  std::vector<std::uint32_t> of(std::size_t i) const {
    const auto l = static_cast<std::uint32_t>(i % 7);
    return {l, data_.labels_of(i)[0], l};
  }
  const Dataset& data_;
  std::vector<float> frequency_;
};

/// A network and what an output layer leaves of a batch.
struct OutputBench {
  Dataset data = synthetic_data(200, kOutputLabels, 1);
  Network network;
  std::vector<float> rows;  ///< of the labels, as they were
  std::vector<float> hidden, gradient;
  std::vector<double> losses;

  explicit OutputBench(LossKind loss)
      : network({data.num_features, kOutputLabels, kHidden, Activation::relu, loss, {}},
                OptimizerKind::sgd) {
    network.initialize(3);
    for (std::uint32_t l = 0; l < kOutputLabels; ++l) {
      for (std::uint32_t k = 0; k < kHidden; ++k) network.labels.row(l)[k] *= 60;
    }
    rows.assign(network.labels.data(),
                network.labels.data() + kOutputLabels * network.labels.stride());
  }

  OutputOptions options(std::uint32_t batch_size) const {
    OutputOptions o;
    o.batch_size = batch_size;
    o.negatives = 4;
    o.optimizer.kind = OptimizerKind::sgd;
    return o;
  }

  /// Runs the stages with the labels' rows as they were at first; SGD at rate 1 shows the gradient.
  void run(OutputLayer& layer, std::uint64_t number, const std::vector<std::uint32_t>& examples) {
    std::memcpy(network.labels.data(), rows.data(), rows.size() * sizeof(float));
    const std::size_t stride = network.hidden_stride();
    hidden.assign(examples.size() * stride, 0);
    gradient.assign(examples.size() * stride, 0);
    losses.assign(examples.size(), 0);
    Batch batch;
    batch.number = number;
    batch.examples = examples;
    batch.hidden = {hidden.data(), examples.size(), kHidden + 1, stride};
    batch.hidden_gradient = {gradient.data(), examples.size(), kHidden + 1, stride};
    batch.losses = losses;
    batch.rate = 1;
    for (std::size_t k = 0; k < examples.size(); ++k) {
      Rng rng(9, examples[k]);
      for (std::uint32_t j = 0; j < kHidden; ++j)
        hidden[k * stride + j] = static_cast<float>(rng.uniform(0, 2));
      hidden[k * stride + kHidden] = 1;
    }
    layer.prepare(number, examples);
    layer.advance();
    for (std::size_t stage = 0; stage < layer.num_stages(); ++stage) {
      // The pieces of a stage backwards: no order may matter.
      for (std::size_t piece = layer.num_pieces(stage, batch); piece-- > 0;)
        layer.run(stage, piece, batch);
    }
  }

  std::vector<double> first_gradient() const {
    return {gradient.begin(), gradient.begin() + kHidden};
  }
  std::vector<double> label_steps() const {
    std::vector<double> steps;
    for (std::uint32_t l = 0; l < kOutputLabels; ++l) {
      for (std::uint32_t k = 0; k <= kHidden; ++k) {
        const std::size_t at = l * network.labels.stride() + k;
        steps.push_back(static_cast<double>(network.labels.data()[at]) -
                        static_cast<double>(rows[at]));
      }
    }
    return steps;
  }
};

/// Mean of many draws against what it should be, within five standard errors.
struct Mean {
  std::vector<double> sum, squares;
  double n = 0;

  void add(const std::vector<double>& values) {
    sum.resize(values.size());
    squares.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum[i] += values[i];
      squares[i] += values[i] * values[i];
    }
    ++n;
  }
  void check(const std::vector<double>& expected) const {
    REQUIRE(sum.size() == expected.size());
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const double mean = sum[i] / n;
      const double variance = std::max(0.0, squares[i] / n - mean * mean);
      CHECK(std::abs(mean - expected[i]) <= 5 * std::sqrt(variance / n) + 1e-5);
    }
  }
};

}  // namespace

TEST_CASE("one-vs-all on drawn outputs: the mean gradient of an example is the full one") {
  OutputBench bench(LossKind::one_vs_all);
  const std::vector<std::uint32_t> example = {17};
  const auto dense = make_dense_output(bench.network, bench.data, bench.options(1));
  bench.run(*dense, 0, example);
  const std::vector<double> hidden = bench.first_gradient(), labels = bench.label_steps();
  const auto shared = make_shared_output(bench.network, bench.data, bench.options(1));
  Mean mean_hidden, mean_labels;
  for (std::uint64_t b = 0; b < 1500; ++b) {
    bench.run(*shared, b, example);
    mean_hidden.add(bench.first_gradient());
    mean_labels.add(bench.label_steps());
  }
  mean_hidden.check(hidden);
  mean_labels.check(labels);
}

TEST_CASE(
    "outputs shared by a random batch: unbiased with candidates of the examples and without") {
  for (const LossKind loss : {LossKind::one_vs_all, LossKind::softmax}) {
    for (const bool with_candidates : {false, true}) {
      CAPTURE(loss_name(loss));
      CAPTURE(with_candidates);
      OutputBench bench(loss);
      FixedCandidates fixed(bench.data);
      const std::uint32_t size = 4;
      std::vector<std::uint32_t> examples = {17, 0, 0, 0};
      const auto dense = make_dense_output(bench.network, bench.data, bench.options(size));
      bench.run(*dense, 0, examples);
      const std::vector<double> hidden = bench.first_gradient();
      const double loss_of_all = bench.losses[0];
      const auto shared = make_shared_output(bench.network, bench.data, bench.options(size),
                                             with_candidates ? &fixed : nullptr);
      Mean mean_hidden, mean_sum;
      Rng rng(5);
      for (std::uint64_t b = 0; b < 1500; ++b) {
        for (std::size_t k = 1; k < size; ++k)
          examples[k] = static_cast<std::uint32_t>(rng.below(bench.data.size()));
        bench.run(*shared, b, examples);
        mean_hidden.add(bench.first_gradient());
        mean_sum.add({std::exp(bench.losses[0])});
      }
      // A softmax is a quotient: unbiased is its sum of exponentials (over that of the one target).
      if (loss == LossKind::softmax) mean_sum.check({std::exp(loss_of_all)});
      if (loss == LossKind::one_vs_all) mean_hidden.check(hidden);
    }
  }
}
