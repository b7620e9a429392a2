#include <doctest/doctest.h>

#include "tests/libcore/nn/gradient_check.h"
#include "tests/support/worst.h"
#include "tests/tools/gnn-sample/network/plain_gnn.h"
#include "tools/gnn-sample/layers/hop_rows.h"
#include "tools/gnn-sample/network/gnn_loss.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kFeaturesOfHop = 3, kClassesOfHops = 2;
/// Targets of three chunks of 256, each of several pieces.
constexpr std::uint32_t kTargetsOfHops = 600;

GnnOptions hop_options(const std::string& kind) {
  GnnOptions options;
  options.kind = kind;
  options.num_layers = options.head_layers = 1;
  options.hidden = 2;
  options.heads = 2;
  options.hops = 2;
  options.activation = ActivationKind::elu;  // has a slope everywhere
  options.dropout = 0.3F;
  options.input_dropout = 0.2F;
  options.attention_dropout = 0.4F;
  return options;
}

float factor_of_output(std::size_t row, std::size_t column) {
  return std::sin(static_cast<float>(5 * row + column));
}

double sum_of_outputs(const PlainRows& outputs) {
  double sum = 0;
  for (Eigen::Index r = 0; r < outputs.rows(); ++r) {
    for (Eigen::Index c = 0; c < outputs.cols(); ++c) {
      sum += outputs(r, c) * static_cast<double>(factor_of_output(static_cast<std::size_t>(r),
                                                                  static_cast<std::size_t>(c)));
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("attention over and among hops has its formula and gradients in all chunks of targets") {
  const GnnPass pass = {true, 9, 4};
  for (const std::string kind : {"sagn", "hoga"}) {
    for (const double zeros : {0.0, 0.7}) {
      CAPTURE(kind);
      CAPTURE(zeros);
      const GnnOptions options = hop_options(kind);
      const RandomBatch batch({kTargetsOfHops, kTargetsOfHops}, kFeaturesOfHop * (options.hops + 1),
                              6, 4, zeros);
      GnnModel model(options, kFeaturesOfHop, kClassesOfHops);
      model.randomize(3);
      model.prepare_training({.kind = OptimizerKind::sgd});
      PlainParameters parameters = plain_parameters(model);
      const auto room = model.make_room();
      const MatrixView<const float> got = model.forward(batch.view(), pass, *room);
      const PlainRows want = PlainGnn(options, parameters, pass).forward(batch);
      RowStore dout;
      dout.resize(got.rows, got.cols);
      double largest = 0;
      for (std::size_t r = 0; r < got.rows; ++r) {
        for (std::size_t c = 0; c < got.cols; ++c) {
          dout.view()(r, c) = factor_of_output(r, c);
          largest = worse(largest, std::abs(static_cast<double>(got(r, c)) - want(r, c)));
        }
      }
      CHECK(got.rows == kTargetsOfHops);
      CHECK(largest < 1e-5);
      model.backward(batch.view(), pass, *room, dout.view());
      for (const auto& parameter : model.gradients()) {
        const std::string& name = parameter.first;
        CAPTURE(name);
        const std::vector<double> at = parameters.at(name);
        const auto loss = [&](const std::vector<double>& values) {
          parameters[name] = values;
          return sum_of_outputs(PlainGnn(options, parameters, pass).forward(batch));
        };
        const double error = relative_error(central_differences(loss, at, 1e-5), parameter.second);
        parameters[name] = at;
        CHECK(error < 1e-4);
      }
    }
  }
}

TEST_CASE("sparse rows are divided into those of hops, in memory of exactly their size") {
  constexpr std::size_t kParts = 3, kDim = 4;
  const std::vector<std::uint32_t> sizes = {300, 700, 40};  // more, then fewer
  SparseRows divided;
  std::size_t most = 0;
  for (const std::uint32_t rows : sizes) {
    CAPTURE(rows);
    Tensor dense = Tensor::make("features", Dtype::f32, {rows, kParts * kDim});
    Rng rng(rows);
    for (float& x : dense.as<float>()) {
      x = rng.below(3) == 0 ? static_cast<float>(rng.uniform(-1, 1)) : 0;
    }
    const SparseRows whole = to_sparse(dense);
    split_hops(SourceRows(whole.view(), {}), rows, kParts, divided);
    CHECK(divided.dim == kDim);
    REQUIRE(divided.rows() == rows * kParts);
    most = std::max(most, whole.columns.size());
    CHECK(divided.columns.capacity() == most);
    CHECK(divided.values.capacity() == most * sizeof(float));
    std::vector<float> again(dense.as<float>().size());
    for (std::size_t r = 0; r < divided.rows(); ++r) {
      for (std::uint64_t i = divided.offsets[r]; i < divided.offsets[r + 1]; ++i) {
        again[r * kDim + divided.columns[i]] = divided.floats()[i];
      }
    }
    CHECK(std::equal(again.begin(), again.end(), dense.as<float>().begin()));
    SparseRows ones = whole;
    ones.values.clear();
    SparseRows of_ones;
    split_hops(SourceRows(ones.view(), {}), rows, kParts, of_ones);
    CHECK(of_ones.values.empty());
    CHECK(of_ones.columns == divided.columns);
  }
}
