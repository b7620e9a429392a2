#include "tools/sparse-train/network/explain.h"

#include <doctest/doctest.h>

#include "libcore/base/rng.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

/// 5 features, 3 labels, 6 hidden units and, if wanted, 4 further ones.
Network random_network(Activation activation, const std::vector<std::uint32_t>& layers) {
  NetworkShape shape;
  shape.num_features = 5;
  shape.num_labels = 3;
  shape.hidden = 6;
  shape.activation = activation;
  shape.layers = layers;
  Network network(shape, OptimizerKind::sgd);
  Rng rng(7);
  const auto fill = [&](RowTable& table) {
    for (std::size_t r = 0; r < table.rows(); ++r) {
      for (std::size_t i = 0; i < table.dim(); ++i)
        table.row(r)[i] = static_cast<float>(rng.normal());
    }
  };
  fill(network.features);
  for (RowTable& layer : network.layers) fill(layer);
  fill(network.labels);
  return network;
}

double logit(const Network& network, const Bag& bag, std::uint32_t label) {
  std::vector<float> h(network.hidden_stride());
  network.hidden_units(bag, h.data());
  double z = 0;
  for (std::size_t i = 0; i <= network.shape.width(); ++i) {
    z += static_cast<double>(network.labels.row(label)[i]) * h[i];
  }
  return z;
}

}  // namespace

TEST_CASE("shares add up to the logit and are value times derivative") {
  const std::vector<std::uint32_t> features = {0, 2, 4};
  const std::vector<float> values = {0.5F, -1.0F, 2.0F};
  for (const Activation activation : {Activation::linear, Activation::relu}) {
    for (const std::vector<std::uint32_t>& layers :
         {std::vector<std::uint32_t>{}, std::vector<std::uint32_t>{4}}) {
      const Network network = random_network(activation, layers);
      for (std::uint32_t label = 0; label < 3; ++label) {
        const LabelShares shares = explain_logit(network, {features, values}, label);
        CHECK(shares.total == doctest::Approx(logit(network, {features, values}, label)));
        CHECK(shares.features[0] + shares.features[1] + shares.features[2] + shares.rest ==
              doctest::Approx(shares.total));
        for (std::size_t j = 0; j < 3; ++j) {
          constexpr float kStep = 1e-3F;
          std::vector<float> up = values, down = values;
          up[j] += kStep;
          down[j] -= kStep;
          const double slope =
              (logit(network, {features, up}, label) - logit(network, {features, down}, label)) /
              (static_cast<double>(up[j]) - static_cast<double>(down[j]));
          CHECK(shares.features[j] == doctest::Approx(values[j] * slope).epsilon(1e-3));
        }
        if (layers.empty()) {  // only the label has a bias
          CHECK(shares.rest == doctest::Approx(network.labels.row(label)[6]).epsilon(1e-3));
        }
      }
    }
  }
}
