#include "tools/sparse-train/network/network_file.h"

#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/rng.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

Network random_network() {
  NetworkShape shape;
  shape.num_features = 40;
  shape.num_labels = 30;
  shape.hidden = 16;
  shape.layers = {12};
  Network network(shape, OptimizerKind::sgd);
  Rng rng(2);
  const auto fill = [&](RowTable& table) {
    for (std::size_t r = 0; r < table.rows(); ++r) {
      const double size = std::exp(rng.uniform(-8, 3));  // rows of all sizes
      for (std::size_t i = 0; i < table.dim(); ++i) {
        table.row(r)[i] = static_cast<float>(size * rng.normal());
      }
    }
  };
  fill(network.features);
  fill(network.layers[0]);
  fill(network.labels);
  for (std::size_t i = 0; i < 16; ++i) network.features.row(5)[i] = 0;
  return network;
}

}  // namespace

TEST_CASE("rows of bytes come back within half a step of their largest value, biases as they are") {
  const Network network = random_network();
  Document document;
  save_network(network, document, StoredWeights::int8);
  CHECK(document.at("features.weight").dtype == Dtype::i8);
  CHECK(document.at("labels.scale").dtype == Dtype::bf16);
  const Network read = load_network(document, "x");
  const auto check = [](const RowTable& a, const RowTable& b, std::size_t width) {
    for (std::size_t r = 0; r < a.rows(); ++r) {
      float largest = 0;
      for (std::size_t i = 0; i < width; ++i) largest = std::max(largest, std::abs(a.row(r)[i]));
      for (std::size_t i = 0; i < width; ++i) {
        // The scale is rounded up to a bf16: by less than 1 %.
        CHECK(std::abs(a.row(r)[i] - b.row(r)[i]) <= 1.01F * largest / 254 + 1e-30F);
      }
    }
  };
  check(network.features, read.features, 16);
  check(network.labels, read.labels, 12);
  for (std::size_t l = 0; l < 30; ++l) CHECK(network.labels.row(l)[12] == read.labels.row(l)[12]);
  for (std::size_t i = 0; i < 17; ++i)
    CHECK(network.layers[0].row(3)[i] == read.layers[0].row(3)[i]);
}

TEST_CASE("rows of bytes with scales that do not fit are refused") {
  const Network network = random_network();
  Document document;
  save_network(network, document, StoredWeights::int8);
  for (Tensor& tensor : document.tensors) {
    if (tensor.name == "labels.scale") tensor = Tensor::make("labels.scale", Dtype::bf16, {29});
  }
  CHECK(error_of([&] { load_network(document, "x"); }) ==
        "65 x: tensor 'labels.scale' is [29], expected [30]");
}

TEST_CASE("rows of labels in bf16 are stored as they are, their biases in full") {
  NetworkShape shape;
  shape.num_features = 4;
  shape.num_labels = 9;
  shape.hidden = 7;
  shape.half_labels = true;
  shape.activation = Activation::relu;
  Network network(shape, OptimizerKind::adagrad);
  network.initialize(3);
  std::vector<float> row(8);
  network.labels.read(5, row.data());
  row[7] = 1.00001F;
  network.labels.write(5, row.data(), 0);
  Document document;
  save_network(network, document);
  CHECK(document.at("labels.weight").dtype == Dtype::bf16);
  const Network read = load_network(document, "x");
  for (std::size_t l = 0; l < 9; ++l) {
    network.labels.read(l, row.data());
    for (std::size_t i = 0; i < 8; ++i) CHECK(read.labels.row(l)[i] == row[i]);
  }
  CHECK(read.labels.row(5)[7] == 1.00001F);
  for (Tensor& tensor : document.tensors) {
    if (tensor.name == "labels.bias") tensor = Tensor::make("labels.bias", Dtype::bf16, {9, 1});
  }
  CHECK(error_of([&] { load_network(document, "x"); }) != "");
}
