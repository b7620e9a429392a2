#include "tools/gnn-sample/inputs/trained_rows.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kEmbeddedNodes = 50, kEmbeddedSize = 3, kEmbeddedStride = 5;

struct EmbeddedRows {
  std::vector<float> values = std::vector<float>(kEmbeddedNodes * kEmbeddedStride, 9);
  TrainedRows rows{{values.data() + 2, kEmbeddedNodes, kEmbeddedSize, kEmbeddedStride}, 4};

  float& at(std::size_t node, std::size_t column) {
    return values[node * kEmbeddedStride + 2 + column];
  }
  void step(std::vector<NodeId> nodes, std::vector<float> gradients, float rate = 0.1F) {
    rows.step(nodes, {gradients.data(), nodes.size(), kEmbeddedSize}, rate);
  }
};

}  // namespace

TEST_CASE("an embedding begins with small numbers in its own columns alone") {
  EmbeddedRows r;
  double squares = 0;
  for (std::size_t v = 0; v < kEmbeddedNodes; ++v) {
    CHECK(r.values[v * kEmbeddedStride] == 9);
    CHECK(r.values[v * kEmbeddedStride + 1] == 9);
    for (std::size_t c = 0; c < kEmbeddedSize; ++c)
      squares += std::pow(static_cast<double>(r.at(v, c)), 2);
  }
  // The variance of a number is 0.09 / 3.
  CHECK(squares / (kEmbeddedNodes * kEmbeddedSize) == doctest::Approx(0.03).epsilon(0.3));
  CHECK(r.rows.num_parameters() == kEmbeddedNodes * kEmbeddedSize);
}

TEST_CASE("a step changes the rows of its nodes alone, by the sum over repeated ones") {
  EmbeddedRows r;
  r.rows.prepare_training({.kind = OptimizerKind::sgd});
  const std::vector<float> before = r.values;
  r.step({7, 3, 7, 8}, {1, 2, 3, 4, 5, 6, 10, 20, 30, 0, 0, 0});
  for (std::size_t v = 0; v < kEmbeddedNodes; ++v) {
    for (std::size_t c = 0; c < kEmbeddedSize; ++c) {
      const float g = v == 7   ? static_cast<float>(11 * (c + 1))
                      : v == 3 ? static_cast<float>(4 + c)
                               : 0;
      CHECK(r.at(v, c) == doctest::Approx(before[v * kEmbeddedStride + 2 + c] - 0.1F * g));
    }
  }
  // Places of the first step say nothing in the second.
  const std::vector<float> middle = r.values;
  r.step({3, 8, 7}, {1, 1, 1, 2, 2, 2, 3, 3, 3});
  CHECK(r.at(3, 0) == doctest::Approx(middle[3 * kEmbeddedStride + 2] - 0.1F));
  CHECK(r.at(8, 0) == doctest::Approx(middle[8 * kEmbeddedStride + 2] - 0.2F));
  CHECK(r.at(7, 0) == doctest::Approx(middle[7 * kEmbeddedStride + 2] - 0.3F));
}

TEST_CASE("Adam's first step of a row is the rate, with the bias correction of the run's step") {
  EmbeddedRows r;
  r.rows.prepare_training({.kind = OptimizerKind::adam});
  const float before = r.at(2, 1), other = r.at(4, 1);
  r.step({2}, {0, 5, 0});
  CHECK(r.at(2, 1) == doctest::Approx(before - 0.1F).epsilon(1e-4));
  r.step({4}, {0, 5, 0});
  // Second step: (1 - b1) g / sqrt((1 - b2) g^2) times sqrt(1 - b2^2) / (1 - b1^2).
  const double factor = 0.1 / std::sqrt(0.001) * std::sqrt(1 - 0.999 * 0.999) / (1 - 0.9 * 0.9);
  CHECK(r.at(4, 1) == doctest::Approx(other - 0.1 * factor).epsilon(1e-4));
}

TEST_CASE("rows and the optimiser's state go on from a document") {
  for (const OptimizerKind kind :
       {OptimizerKind::adam, OptimizerKind::adagrad, OptimizerKind::sgd}) {
    EmbeddedRows r, again;
    r.rows.prepare_training({.kind = kind});
    again.rows.prepare_training({.kind = kind});
    r.step({1, 2}, {1, 2, 3, 4, 5, 6});
    Document document;
    r.rows.save(document);
    r.rows.save_state(document);
    again.rows.load(document, "FILE");
    again.rows.load_state(document, "FILE");
    r.step({2, 3}, {1, -2, 3, 4, 5, 6});
    again.step({2, 3}, {1, -2, 3, 4, 5, 6});
    CHECK(r.values == again.values);
  }
}

TEST_CASE("an embedding of other nodes is refused") {
  EmbeddedRows r;
  std::vector<float> values(kEmbeddedNodes * 2);
  TrainedRows other({values.data(), kEmbeddedNodes, 2}, 1);
  Document document;
  other.save(document);
  CHECK(error_of([&] { r.rows.load(document, "FILE"); }).starts_with("65 FILE: tensor "));
}
