#include "tools/sparse-train/outputs/lsh_output.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/threading/parallel.h"
#include "tests/support/text_file.h"
#include "tests/support/worst.h"
#include "tests/tools/sparse-train/same_bits.h"
#include "tests/tools/sparse-train/synthetic_data.h"
#include "tools/sparse-train/steps/trainer.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

LshOptions small_tables(std::uint32_t num_labels, std::uint32_t min_active) {
  LshSettings settings;
  settings.mode = "vanilla";
  settings.active = 0;
  settings.functions = 2;
  settings.tables = 6;
  settings.min_active = min_active;
  settings.rebuild = 3;
  settings.rebuild_growth = 1.3;
  settings.new_hashes = 2;
  LshOptions options = choose_lsh(settings, num_labels);
  options.least_drawn = 0;  // for tests that set min_active later
  options.set_seed(1);
  return options;
}

/// A network with random parameters and a layer of outputs driven by hand, one batch of all data.
struct Bench {
  Dataset data;
  Network network;
  std::vector<float> hidden, gradient;
  std::vector<double> losses;
  std::vector<std::uint32_t> examples;

  Bench(std::size_t size, std::uint32_t labels, LossKind loss)
      : data(synthetic_data(size, labels, 2)),
        network({data.num_features, labels, 12, Activation::relu, loss}, OptimizerKind::sgd),
        hidden(size * network.hidden_stride()),
        gradient(hidden.size()),
        losses(size),
        examples(size) {
    network.initialize(1);
    Rng rng(2);
    for (std::uint32_t l = 0; l < labels; ++l) {
      for (std::size_t i = 0; i < 13; ++i) {
        network.labels.row(l)[i] = static_cast<float>(0.3 * rng.normal());
      }
    }
    for (std::size_t k = 0; k < size; ++k) {
      float* h = hidden.data() + k * network.hidden_stride();
      for (std::size_t i = 0; i < 12; ++i) h[i] = static_cast<float>(std::max(0.0, rng.normal()));
      h[12] = 1;
    }
    std::iota(examples.begin(), examples.end(), 0U);
  }

  OutputOptions options() const {
    OutputOptions o;
    o.batch_size = static_cast<std::uint32_t>(data.size());
    o.optimizer.kind = OptimizerKind::sgd;
    return o;
  }

  void step(OutputLayer& layer, std::uint64_t number, float rate) {
    const std::size_t dim = network.labels.dim(), stride = network.hidden_stride();
    const Batch batch{number,
                      examples,
                      {hidden.data(), data.size(), dim, stride},
                      {gradient.data(), data.size(), dim, stride},
                      losses,
                      rate};
    layer.prepare(number, examples);
    layer.advance();
    for (std::size_t stage = 0; stage < layer.num_stages(); ++stage) {
      const std::size_t pieces = layer.num_pieces(stage, batch);
      for (std::size_t p = 0; p < pieces; ++p) layer.run(stage, p, batch);
    }
  }
};

/// d loss / d logits of one example and its loss in plain double.
double plain_gradient(const Bench& b, std::size_t k, std::vector<double>& g) {
  const std::size_t n = b.data.num_labels;
  g.assign(n, 0);
  double sum = 0, loss = 0;
  const float* h = b.hidden.data() + k * b.network.hidden_stride();
  for (std::size_t l = 0; l < n; ++l) {
    for (std::size_t i = 0; i < 13; ++i)
      g[l] += static_cast<double>(h[i]) * b.network.labels.row(l)[i];
    sum += std::exp(g[l]);
  }
  const auto own = b.data.labels_of(k);
  const bool softmax = b.network.shape.loss == LossKind::softmax;
  const double share = softmax ? 1.0 / static_cast<double>(own.size()) : 1;
  for (const std::uint32_t l : own) loss -= share * g[l];
  if (softmax) loss += std::log(sum);
  for (double& z : g) {
    if (!softmax) loss += std::log1p(std::exp(z));
    z = softmax ? std::exp(z) / sum : 1 / (1 + std::exp(-z));
  }
  for (const std::uint32_t l : own) g[l] -= share;
  return loss;
}

}  // namespace

TEST_CASE("with all labels active, a step is that of a plain network in double") {
  for (const LossKind loss : {LossKind::softmax, LossKind::one_vs_all}) {
    Bench b(20, 30, loss);
    for (const bool correct : {false, true}) {
      LshOptions lsh = small_tables(30, 1000);
      lsh.settings.correct_sampling = lsh.settings.share_random = correct;
      const auto layer = make_lsh_output(b.network, b.data, b.options(), lsh);
      std::vector<std::vector<double>> g(20);
      std::vector<double> expected_loss(20);
      for (std::size_t k = 0; k < 20; ++k) expected_loss[k] = plain_gradient(b, k, g[k]);
      const std::vector<float> before(b.network.labels.data(),
                                      b.network.labels.data() + 30 * b.network.labels.stride());
      b.step(*layer, 1, 0.01F);
      CHECK(layer->active_per_example() == 30);
      for (std::size_t k = 0; k < 20; ++k) {
        CHECK(b.losses[k] == doctest::Approx(expected_loss[k]).epsilon(1e-5));
        for (std::size_t i = 0; i < 12; ++i) {
          double dh = 0;
          for (std::size_t l = 0; l < 30; ++l) {
            dh += g[k][l] * static_cast<double>(before[l * b.network.labels.stride() + i]);
          }
          CHECK(b.gradient[k * b.network.hidden_stride() + i] ==
                doctest::Approx(dh).epsilon(1e-4).scale(1e-2));
        }
      }
      for (std::size_t l = 0; l < 30; ++l) {
        for (std::size_t i = 0; i < 13; ++i) {
          double dw = 0;
          for (std::size_t k = 0; k < 20; ++k) {
            dw += g[k][l] * static_cast<double>(b.hidden[k * b.network.hidden_stride() + i]);
          }
          const double change = static_cast<double>(b.network.labels.row(l)[i]) -
                                static_cast<double>(before[l * b.network.labels.stride() + i]);
          CHECK(change == doctest::Approx(-0.01 * dw).epsilon(1e-3).scale(1e-3));
        }
      }
    }
  }
}

TEST_CASE("an example computes its own labels, those found and random ones up to a least number") {
  Bench b(50, 400, LossKind::softmax);
  LshOptions lsh = small_tables(400, 25);
  lsh.hash.functions = 8;  // buckets so small that next to nothing is found
  lsh.query.mode = QueryMode::threshold;
  lsh.query.threshold = 6;
  const auto sparse = make_lsh_output(b.network, b.data, b.options(), lsh);
  const std::vector<float> before(b.network.labels.data(),
                                  b.network.labels.data() + 400 * b.network.labels.stride());
  b.step(*sparse, 1, 0.01F);
  // Labels drawn for 16 examples at a time are among the few found of some of them.
  CHECK(sparse->active_per_example() > 24.5);
  CHECK(sparse->active_per_example() <= 25);
  lsh.settings.share_random = false;
  const auto apart = make_lsh_output(b.network, b.data, b.options(), lsh);
  b.step(*apart, 1, 0);
  CHECK(apart->active_per_example() == 25);
  for (const std::uint32_t l : b.data.labels) {  // own labels always learn
    CHECK(b.network.labels.row(l)[12] != before[l * b.network.labels.stride() + 12]);
  }
  lsh.settings.min_active = 0;
  const auto bare = make_lsh_output(b.network, b.data, b.options(), lsh);
  b.step(*bare, 1, 0.01F);
  CHECK(bare->active_per_example() >= 2);
  CHECK(bare->active_per_example() < 4);
  lsh.hash.functions = 1;
  lsh.query = {QueryMode::vanilla, 60, 0};
  const auto full = make_lsh_output(b.network, b.data, b.options(), lsh);
  b.step(*full, 1, 0.01F);
  CHECK(full->active_per_example() >= 60);
  CHECK(full->active_per_example() <= 62);
}

TEST_CASE("with the correction, sampled gradients of one-vs-all are right on average") {
  Bench b(6, 60, LossKind::one_vs_all);
  constexpr std::uint64_t kBatches = 1000;
  const std::pair<bool, bool> kinds[] = {{true, true}, {true, false}, {false, true}};
  for (const auto& [correct, shared] : kinds) {
    LshOptions lsh = small_tables(60, 25);
    lsh.settings.correct_sampling = correct;
    lsh.settings.share_random = shared;
    lsh.query = {QueryMode::vanilla, 5, 0};
    lsh.schedule.first = 0;
    lsh.query.mode = QueryMode::threshold;  // what is looked up is the same in every batch
    lsh.query.threshold = 3;
    const auto layer = make_lsh_output(b.network, b.data, b.options(), lsh);
    std::vector<double> sum(b.gradient.size()), squares(b.gradient.size());
    for (std::uint64_t n = 1; n <= kBatches; ++n) {
      b.step(*layer, n, 0);
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += static_cast<double>(b.gradient[i]);
        squares[i] += std::pow(static_cast<double>(b.gradient[i]), 2);
      }
    }
    double worst = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      std::vector<double> g;
      plain_gradient(b, k, g);
      for (std::size_t i = 0; i < 12; ++i) {
        double expected = 0;
        for (std::uint32_t l = 0; l < 60; ++l)
          expected += g[l] * static_cast<double>(b.network.labels.row(l)[i]);
        const std::size_t at = k * b.network.hidden_stride() + i;
        const double mean = sum[at] / kBatches;
        const double error = std::sqrt((squares[at] / kBatches - mean * mean) / kBatches);
        worst = worse(worst, std::abs(mean - expected) / (error + 1e-6));
      }
    }
    // Standard errors of 72 means.
    if (correct) {
      CHECK(worst < 4.5);
    } else {
      CHECK(worst > 10);
    }
  }
}

namespace {

struct Run {
  std::uint32_t freeze_after = 0;
  std::uint32_t rebuild_steps = 1;
  QueryMode mode = QueryMode::vanilla;
  std::uint64_t interrupt_at = 0;  ///< step at which to go on with another layer
};

Network trained(const Run& run) {
  const Dataset data = synthetic_data(300, 200, 2);
  Network network({data.num_features, data.num_labels, 24, Activation::relu, LossKind::softmax},
                  OptimizerKind::adagrad);
  network.initialize(1);
  OutputOptions options;
  options.batch_size = 32;
  LshOptions lsh = small_tables(200, 20);
  lsh.settings.freeze_after = run.freeze_after;
  lsh.settings.rebuild_steps = run.rebuild_steps;
  lsh.query = {run.mode, 30, 2};
  lsh.hash.kind = run.mode == QueryMode::agreement ? HashKind::simhash : HashKind::dwta;
  lsh.settings.bits = 70;
  lsh.settings.min_active = 40;
  lsh.tables.bucket_size = 8;
  TrainerSetup setup;
  setup.batch_size = 32;
  setup.schedule.peak = 0.1;
  setup.schedule.total_steps = 30;
  std::uint64_t step = 0;
  Document state;
  const auto go_on = [&](std::uint64_t end) {
    const auto layer = make_lsh_output(network, data, options, lsh);
    if (step != 0) layer->restore(state, "state");
    Trainer trainer(network, *layer, data, setup);
    while (step < end) {
      const std::uint64_t epoch_end = (step / 10 + 1) * 10;
      step = trainer.run(step, std::min(end, epoch_end), [] { return false; });
    }
    layer->save(state);
  };
  if (run.interrupt_at != 0) go_on(run.interrupt_at);
  go_on(30);
  return network;
}

const std::vector<Run> kRuns = {{0, 1, QueryMode::vanilla, 0},
                                {0, 3, QueryMode::top_k, 0},
                                {1, 2, QueryMode::threshold, 0},
                                {0, 1, QueryMode::agreement, 0},
                                {1, 3, QueryMode::agreement, 0}};

}  // namespace

TEST_CASE("hash tables give the same bits for any number of threads") {
  const int threads = num_threads();
  for (const Run& run : kRuns) {
    set_num_threads(1);
    const Network one = trained(run);
    for (const int n : {2, 3}) {
      set_num_threads(n);
      CHECK(same_bits(trained(run), one));
    }
  }
  set_num_threads(threads);
}

TEST_CASE("a run that goes on from saved tables gives the same bits") {
  for (Run run : kRuns) {
    const Network whole = trained(run);
    for (const std::uint64_t at : {4U, 5U, 13U, 27U}) {
      CAPTURE(at);
      run.interrupt_at = at;
      CHECK(same_bits(trained(run), whole));
    }
  }
}

TEST_CASE("tables that do not fit are refused") {
  Bench b(20, 30, LossKind::softmax);
  const auto layer = make_lsh_output(b.network, b.data, b.options(), small_tables(30, 10));
  Document state;
  layer->save(state);
  CHECK(error_of([&] { layer->restore(state, "x"); }) == "no error");
  Bench other(20, 31, LossKind::softmax);
  const auto larger =
      make_lsh_output(other.network, other.data, other.options(), small_tables(31, 10));
  CHECK(error_of([&] { larger->restore(state, "x"); }) ==
        "65 x: tensor 'lsh.codes' has 180 elements, expected 186");
  CHECK(error_of([&] { state.at("lsh.outputs"); }) == "no error");
}

TEST_CASE("recall is compared with chance") {
  Bench b(200, 300, LossKind::softmax);
  LshOptions lsh = small_tables(300, 0);
  lsh.hash.functions = 1;
  lsh.query = {QueryMode::threshold, 0, 3};
  const auto figures = make_lsh_output(b.network, b.data, b.options(), lsh)->figures();
  CHECK(figures.values[0].first == "lsh_recall");
  CHECK(figures.values[0].second > 0);
  CHECK(figures.values[0].second <= 1);
  CHECK(figures.values[1].first == "lsh_chance");
  CHECK(figures.values[1].second < 1);
  REQUIRE(figures.remarks.size() == 2);
  CHECK(figures.remarks[1] ==
        "an example computes 0 % of the labels on average, 0 % since the last rebuild");
}

TEST_CASE("labels are drawn for examples whose own labels are more than asked for, too") {
  Bench b(40, 200, LossKind::one_vs_all);
  LshOptions lsh = small_tables(200, 1);
  lsh.hash.functions = 8;  // next to nothing is found
  lsh.query = {QueryMode::threshold, 0, 6};
  for (const bool shared : {true, false}) {
    lsh.settings.share_random = shared;
    for (const std::uint32_t least : {0U, 7U}) {
      lsh.least_drawn = least;
      const auto layer = make_lsh_output(b.network, b.data, b.options(), lsh);
      b.step(*layer, 1, 0);
      const double own = static_cast<double>(b.data.labels.size()) / 40;
      CHECK(layer->active_per_example() >= own + least);
      CHECK(layer->active_per_example() < own + least + 1);
    }
  }
}

TEST_CASE("the share of the labels that is computed is counted, and said where it is no gain") {
  Bench b(40, 50, LossKind::softmax);
  for (const std::uint32_t least : {10U, 40U}) {
    const auto layer = make_lsh_output(b.network, b.data, b.options(), small_tables(50, least));
    b.step(*layer, 1, 0);
    const double one = layer->active_per_example();
    b.step(*layer, 2, 0.01F);
    const double two = layer->active_per_example();
    b.step(*layer, 3, 0.01F);  // tables are built anew
    const OutputFigures figures = layer->figures();
    const auto value = [&](const std::string& name) {
      for (const auto& [key, number] : figures.values) {
        if (key == name) return number;
      }
      return -1.0;
    };
    const double three = layer->active_per_example();
    CHECK(value("lsh_active_fraction") == doctest::Approx((one + two + three) / 150));
    CHECK(value("lsh_recent_active_fraction") == doctest::Approx(three / 50));
    CHECK(figures.warnings.size() == (least == 40 ? 1 : 0));
    CHECK((value("lsh_active_fraction") > 0.5) == (least == 40));
  }
}
