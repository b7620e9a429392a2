#include "tools/sparse-train/outputs/lsh_candidates.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "libcore/threading/parallel.h"
#include "tests/support/text_file.h"
#include "tests/tools/sparse-train/same_bits.h"
#include "tests/tools/sparse-train/synthetic_data.h"
#include "tools/sparse-train/outputs/output_layer.h"
#include "tools/sparse-train/outputs/output_layers.h"
#include "tools/sparse-train/steps/trainer.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

constexpr std::uint32_t kLabels = 150, kBatch = 32;

LshOptions options() {
  LshSettings settings;
  settings.hash = "dwta";
  settings.functions = 2;
  settings.tables = 8;
  settings.rebuild = 4;
  settings.hard = 5;
  LshOptions o = choose_lsh(settings, kLabels);
  o.set_seed(1);
  return o;
}

Network random_network(const Dataset& data) {
  Network network({data.num_features, kLabels, 12, Activation::relu, LossKind::softmax},
                  OptimizerKind::adagrad);
  network.initialize(1);
  return network;
}

/// The tables after some training of shared outputs with their candidates.
RowTable trained(const Dataset& data, std::uint64_t interrupt_at) {
  Network network = random_network(data);
  OutputOptions output;
  output.batch_size = kBatch;
  output.negatives = 20;
  TrainerSetup setup;
  setup.batch_size = kBatch;
  setup.schedule.peak = 0.1;
  setup.schedule.total_steps = 12;
  Document state;
  std::uint64_t step = 0;
  const auto go_on = [&](std::uint64_t end) {
    const auto layer = make_shared_output(
        network, data, output, std::make_unique<LshCandidates>(network, data, options(), kBatch));
    if (step != 0) layer->restore(state, "state");
    Trainer trainer(network, *layer, data, setup);
    step = trainer.run(step, end, [] { return false; });
    layer->save(state);
    CHECK(layer->figures().values.size() == 5);
  };
  if (interrupt_at != 0) go_on(interrupt_at);
  go_on(12);
  return std::move(network.labels);
}

/// What a batch of these examples finds.
std::vector<std::vector<std::uint32_t>> candidates_of(LshCandidates& source, const Network& network,
                                                      const Dataset& data,
                                                      const std::vector<std::uint32_t>& examples) {
  const std::size_t stride = network.hidden_stride();
  std::vector<float> hidden(examples.size() * stride);
  for (std::size_t k = 0; k < examples.size(); ++k) {
    const std::uint32_t i = examples[k];
    network.hidden_units({data.features_of(i), data.values_of(i)}, hidden.data() + k * stride);
  }
  Batch batch;
  batch.number = 1;
  batch.examples = examples;
  batch.hidden = {hidden.data(), examples.size(), network.labels.dim(), stride};
  for (std::size_t stage = 0; stage < source.num_stages(); ++stage) {
    for (std::size_t p = 0; p < source.num_pieces(stage, batch); ++p) source.run(stage, p, batch);
  }
  std::vector<std::vector<std::uint32_t>> found(examples.size());
  for (std::size_t k = 0; k < examples.size(); ++k) source.candidates(batch, k, found[k]);
  return found;
}

}  // namespace

TEST_CASE("candidates are few, in many tables, and counted for the correction") {
  const Dataset data = synthetic_data(40, kLabels, 1);
  const Network network = random_network(data);
  LshCandidates source(network, data, options(), 40);
  std::vector<std::uint32_t> examples(40);
  std::iota(examples.begin(), examples.end(), 0U);
  std::vector<double> count(kLabels);
  const auto all = candidates_of(source, network, data, examples);
  for (std::size_t k = 0; k < 40; ++k) {
    const std::vector<std::uint32_t>& found = all[k];
    CHECK(found.size() <= 5);
    CHECK(std::set(found.begin(), found.end()).size() == found.size());
    for (const std::uint32_t l : found) count[l] += l == data.labels_of(k)[0] ? 0 : 1;
  }
  CHECK(std::accumulate(count.begin(), count.end(), 0.0) > 40);
  for (std::uint32_t l = 0; l < kLabels; ++l) {
    CHECK(source.frequency(l) == doctest::Approx(count[l] / 40));
  }
}

TEST_CASE("an example finds the same candidates wherever it stands in the batch") {
  const Dataset data = synthetic_data(40, kLabels, 1);
  const Network network = random_network(data);
  std::vector<std::uint32_t> examples(40);
  std::iota(examples.begin(), examples.end(), 0U);
  LshCandidates source(network, data, options(), 40), other(network, data, options(), 40);
  auto found = candidates_of(source, network, data, examples);
  std::reverse(examples.begin(), examples.end());
  const auto reversed = candidates_of(other, network, data, examples);
  std::reverse(found.begin(), found.end());
  CHECK(found == reversed);
}

TEST_CASE("tables are as good as chance, for certain, where all labels are the best ones") {
  const Dataset data = synthetic_data(200, 10, 1);
  Network network({data.num_features, 10, 12, Activation::relu, LossKind::softmax},
                  OptimizerKind::adagrad);
  network.initialize(1);
  const IndexQuality quality = LabelIndex(network, options(), 10).quality(data);
  CHECK(quality.retrieved > 1);
  CHECK(quality.recall == doctest::Approx(quality.chance));
  CHECK(quality.deviation < 1e-9);
}

TEST_CASE("shared outputs with candidates give the same bits for any threads and interruption") {
  const Dataset data = synthetic_data(12 * kBatch, kLabels, 2);
  const int threads = num_threads();
  set_num_threads(1);
  const RowTable one = trained(data, 0);
  for (const int n : {2, 3}) {
    set_num_threads(n);
    CHECK(same_bits(trained(data, 0), one));
    CHECK(same_bits(trained(data, 7), one));
  }
  set_num_threads(threads);
}
