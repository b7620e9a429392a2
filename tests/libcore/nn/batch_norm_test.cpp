#include "libcore/nn/batch_norm.h"

#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/error.h"
#include "tests/libcore/nn/gradient_check.h"

using namespace frugal;

namespace {

constexpr std::size_t kRows = 10, kDim = 3, kChunk = 4;

/// Moments of the rows in chunks of 4, 4 and 2.
void set_moments(const BatchNorm& norm, const std::vector<float>& x, BatchNorm::Batch& batch) {
  const MatrixView<const float> rows(x.data(), kRows, kDim);
  norm.begin_batch(batch, kRows, 3);
  for (std::size_t c = 3; c-- > 0;) {
    norm.add_chunk(batch, c, rows.rows_between(c * kChunk, std::min(kRows, (c + 1) * kChunk)));
  }
  norm.finish_moments(batch);
}

}  // namespace

TEST_CASE("batch normalisation makes mean and variance those of beta and gamma") {
  std::vector<float> x = random_floats(kRows * kDim, 1);
  for (float& v : x) v += 100;  // squares of the numbers themselves would lose the variance
  BatchNorm norm(kDim);
  BatchNorm::Batch batch;
  for (std::size_t i = 0; i < kDim; ++i) {
    norm.gamma().values()(0, i) = static_cast<float>(i + 1);
    norm.beta().values()(0, i) = 5;
  }
  set_moments(norm, x, batch);
  std::vector<float> y(x.size());
  norm.normalize(batch, {x.data(), kRows, kDim}, {y.data(), kRows, kDim});
  for (std::size_t i = 0; i < kDim; ++i) {
    double mean = 0, variance = 0;
    for (std::size_t r = 0; r < kRows; ++r) mean += y[r * kDim + i] / double{kRows};
    for (std::size_t r = 0; r < kRows; ++r) {
      variance += std::pow(y[r * kDim + i] - mean, 2) / double{kRows};
    }
    CHECK(mean == doctest::Approx(5).epsilon(1e-4));
    CHECK(std::sqrt(variance) == doctest::Approx(i + 1).epsilon(1e-3));
  }
}

TEST_CASE("running moments move a tenth of the way, by the unbiased variance, and are saved") {
  const std::vector<float> x = random_floats(kRows * kDim, 2);
  BatchNorm norm(kDim);
  norm.gamma().prepare_training({}, 0);
  norm.beta().prepare_training({}, 0);
  BatchNorm::Batch batch;
  set_moments(norm, x, batch);
  norm.finish_sums(batch);
  Document document;
  norm.save_running(document, "bn");
  double mean = 0, square = 0;
  for (std::size_t r = 0; r < kRows; ++r) mean += x[r * kDim] / double{kRows};
  for (std::size_t r = 0; r < kRows; ++r) square += std::pow(x[r * kDim] - mean, 2);
  CHECK(document.at("bn.running_mean").as<float>()[0] == doctest::Approx(0.1 * mean));
  CHECK(document.at("bn.running_var").as<float>()[0] ==
        doctest::Approx(0.9 + 0.1 * square / (kRows - 1)));

  BatchNorm other(kDim);
  other.load_running(document, "file", "bn");
  BatchNorm::Batch restored;
  other.use_running(restored);
  norm.use_running(batch);
  CHECK(batch.factor == restored.factor);
  CHECK_THROWS_AS(BatchNorm(kDim + 1).load_running(document, "file", "bn"), Error);
}
