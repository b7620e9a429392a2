#include "libcore/nn/embedding_bag.h"

#include <doctest/doctest.h>

#include "libcore/nn/optimizer.h"
#include "tests/libcore/nn/gradient_check.h"

using namespace frugal;

namespace {

constexpr std::size_t kBagRows = 9;

RowTable random_table(std::size_t dim, OptimizerKind kind) {
  RowTable table(kBagRows, dim, row_state_size(kind, dim));
  for (std::size_t r = 0; r < kBagRows; ++r) {
    const std::vector<float> row = random_floats(dim, 10 + r);
    std::copy(row.begin(), row.end(), table.row(r));
  }
  return table;
}

}  // namespace

TEST_CASE("an embedding bag adds weighted rows") {
  const std::vector<std::uint32_t> rows = {4, 0, 8, 4};  // a row may repeat
  const std::vector<float> weights = {0.5F, -1, 2, 3};
  for (const std::size_t dim : {1, 15, 16, 17, 128}) {
    CAPTURE(dim);
    const RowTable table = random_table(dim, OptimizerKind::adagrad);
    for (const Bag& bag : {Bag{rows, weights}, Bag{rows, {}}, Bag{}}) {
      std::vector<float> out(dim);
      embedding_bag_forward(table, bag, out.data());
      for (std::size_t i = 0; i < dim; ++i) {
        double expected = 0;
        for (std::size_t j = 0; j < bag.rows.size(); ++j) {
          expected += (bag.weights.empty() ? 1.0 : bag.weights[j]) * table.row(bag.rows[j])[i];
        }
        CHECK(out[i] == doctest::Approx(expected).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("stepping a bag is stepping its rows one after the other") {
  const std::vector<std::uint32_t> rows = {2, 7, 2};
  const std::vector<float> weights = {0.25F, 1, -0.5F};
  for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adagrad}) {
    for (const std::size_t dim : {15, 31, 100}) {
      const OptimizerOptions options{kind};
      RowTable fused = random_table(dim, kind), single = random_table(dim, kind);
      const std::vector<float> dout = random_floats(dim, 5);
      for (int round = 0; round < 3; ++round) {
        embedding_bag_step(fused, {rows, weights}, dout.data(), 0.1F, options);
        for (std::size_t j = 0; j < rows.size(); ++j) {
          std::vector<float> gradient = dout;
          for (float& g : gradient) g *= weights[j];
          step_row(single, rows[j], gradient.data(), 0.1F, options);
        }
      }
      for (std::size_t r = 0; r < kBagRows; ++r) {
        for (std::size_t i = 0; i < dim + fused.state_size(); ++i) {
          CHECK(fused.row(r)[i] == doctest::Approx(single.row(r)[i]).epsilon(1e-5));
        }
      }
    }
  }
}

TEST_CASE("a part of a bag holds the features of a range") {
  const std::vector<std::uint32_t> rows = {1, 2, 3};
  const std::vector<float> weights = {10, 20, 30};
  const Bag part = Bag{rows, weights}.part(1, 3);
  CHECK(part.rows.size() == 2);
  CHECK(part.rows[0] == 2);
  CHECK(part.weights[1] == 30);
  CHECK(Bag{rows, {}}.part(0, 1).weights.empty());
}
