// Answers of a device against the CPU's: on the plug-in whose CUDA kernels run here.
#include "tools/sparse-train/network/device_scorer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "libcore/base/error.h"
#include "tests/tools/sparse-train/synthetic_data.h"
#include "tools/sparse-train/network/predictor.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

Network network_with(const Dataset& data, LossKind loss) {
  Network network({data.num_features, data.num_labels, 9, Activation::relu, loss},
                  OptimizerKind::sgd);
  network.initialize(3);
  return network;
}

void find_host_device() {
  const char* other = std::getenv("FRUGAL_TEST_PLUGINS");
  setenv("FRUGAL_PLUGIN_DIR", other == nullptr ? HOST_CUDA : other, 1);
}

void check_answers(const Network& network, const Dataset& data, const ScorerPlace& place,
                   std::size_t top_k) {
  const auto scorer = open_device_scorer(network, place, top_k);
  REQUIRE(scorer != nullptr);
  const Predictor predictor(network, top_k);
  REQUIRE(scorer->k() == predictor.k());
  const auto got = scorer->predict(data, 5, data.size());
  const auto want = predictor.predict(data, 5, data.size());
  REQUIRE(got.size() == want.size());
  std::size_t other_labels = 0;  // whose logits are alike but for their last bits
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (got[i].label != want[i].label) ++other_labels;
    CHECK(std::abs(got[i].score - want[i].score) < 1e-5F);
  }
  CHECK(other_labels * 100 <= want.size());
}

}  // namespace

TEST_CASE("a device ranks the labels that the CPU ranks, with their probabilities") {
  find_host_device();
  const Dataset data = synthetic_data(31, 50, 2);
  Dataset without_values = data;
  without_values.values.clear();
  for (const auto loss : {LossKind::softmax, LossKind::one_vs_all}) {
    const Network network = network_with(data, loss);
    check_answers(network, data, {"cuda", "sparse-train eval", 8}, 5);
    check_answers(network, without_values, {"cuda", "sparse-train eval"}, 1);
  }
  check_answers(network_with(data, LossKind::softmax), data, {"cuda", "sparse-train eval"}, 100);
}

TEST_CASE("the CPU answers where it is asked for, and where auto leaves a device alone") {
  find_host_device();
  const Dataset data = synthetic_data(10, 20, 2);
  const Network network = network_with(data, LossKind::softmax);
  CHECK(open_device_scorer(network, {}, 5) == nullptr);
  // Batches of 8 are too small for any device, and the speed of the plug-in for tests is unknown.
  CHECK(open_device_scorer(network, {"auto", "sparse-train eval", 8}, 5) == nullptr);
  if (std::getenv("FRUGAL_TEST_PLUGINS") == nullptr) {
    CHECK(open_device_scorer(network, {"auto", "sparse-train eval"}, 5) == nullptr);
  }
  CHECK_THROWS_AS(open_device_scorer(network, {"cuda:7", "sparse-train eval"}, 5), Error);
}

TEST_CASE("settings of an engine are those of the network's tables") {
  const Dataset data = synthetic_data(10, 20, 2);
  Network network = network_with(data, LossKind::softmax);
  const auto arrays = network_arrays(network);
  REQUIRE(arrays.size() == 2);
  const EngineSettings settings = network_settings(network.shape, OptimizerKind::sgd);
  const auto value = [&](const std::string& name) {
    for (const auto& [key, text] : settings) {
      if (key == name) return std::stoul(text);
    }
    return 0UL;
  };
  CHECK(arrays[0].shape == std::vector<std::uint64_t>{value("features"), value("feature_stride")});
  CHECK(arrays[1].shape == std::vector<std::uint64_t>{value("labels"), value("label_stride")});
}
