#include "tools/gnn-sample/network/gnn_loss.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "tests/libcore/nn/gradient_check.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kLossRows = 4, kLossClasses = 3;

double plain_class_loss(const std::vector<double>& logits,
                        const std::vector<std::int32_t>& labels) {
  double loss = 0;
  for (std::size_t r = 0; r < kLossRows; ++r) {
    if (labels[r] < 0) continue;
    double sum = 0;
    for (std::size_t c = 0; c < kLossClasses; ++c) sum += std::exp(logits[r * kLossClasses + c]);
    loss += std::log(sum) - logits[r * kLossClasses + labels[r]];
  }
  return loss / 3;
}

double plain_label_loss(const std::vector<double>& logits,
                        const std::vector<std::uint8_t>& labels) {
  double loss = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    loss += std::log(1 + std::exp(labels[i] != 0 ? -logits[i] : logits[i]));
  }
  return loss / static_cast<double>(logits.size());
}

std::vector<float> packed(RowStore& rows) {
  std::vector<float> values;
  for (std::size_t r = 0; r < kLossRows; ++r) {
    const auto row = rows.view().row_span(r);
    values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

}  // namespace

TEST_CASE("the loss of classes is the mean over the rows that have a label") {
  const std::vector<float> logits = random_floats(kLossRows * kLossClasses, 1);
  const std::vector<std::int32_t> labels = {2, -1, 0, 1};
  RowStore gradient;
  const double loss = class_loss({logits.data(), kLossRows, kLossClasses}, labels, gradient);
  const auto plain = [&](const auto& x) { return plain_class_loss(x, labels); };
  CHECK(loss == doctest::Approx(plain(widened(logits))));
  CHECK(relative_error(central_differences(plain, widened(logits)), packed(gradient)) < 1e-5);
}

TEST_CASE("the loss of rows with several labels is the mean of their logistic losses") {
  const std::vector<float> logits = random_floats(kLossRows * kLossClasses, 2);
  const std::vector<std::uint8_t> labels = {1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0};
  RowStore gradient;
  const double loss = label_loss({logits.data(), kLossRows, kLossClasses}, labels, gradient);
  const auto plain = [&](const auto& x) { return plain_label_loss(x, labels); };
  CHECK(loss == doctest::Approx(plain(widened(logits))));
  CHECK(relative_error(central_differences(plain, widened(logits)), packed(gradient)) < 1e-5);
}

TEST_CASE("without a labelled row the loss and its gradient are 0") {
  const std::vector<float> logits = random_floats(kLossRows * kLossClasses, 3);
  const std::vector<std::int32_t> labels(kLossRows, -1);
  RowStore gradient;
  CHECK(class_loss({logits.data(), kLossRows, kLossClasses}, labels, gradient) == 0);
  CHECK(packed(gradient) == std::vector<float>(kLossRows * kLossClasses));
}

TEST_CASE("the loss of numbers is the mean squared error over the rows that have one") {
  const std::vector<float> outputs = random_floats(kLossRows, 4);
  const std::vector<float> values = {1.5F, std::nanf(""), -2, 0};
  RowStore gradient;
  const double loss = batch_loss({outputs.data(), kLossRows, 1}, {{}, {}, {}, values}, gradient);
  const auto plain = [&](const std::vector<double>& x) {
    double sum = 0;
    for (const std::size_t r : {0, 2, 3}) sum += (x[r] - values[r]) * (x[r] - values[r]);
    return sum / 3;
  };
  CHECK(loss == doctest::Approx(plain(widened(outputs))));
  CHECK(relative_error(central_differences(plain, widened(outputs)), packed(gradient)) < 1e-5);
  CHECK(packed(gradient)[1] == 0);
}

TEST_CASE("the loss of links is the mean of the logistic losses of their dot products") {
  const std::vector<float> values = random_floats(kLossRows * kLossClasses, 3);
  const std::vector<std::uint32_t> sources = {0, 2, 0, 3, 1}, targets = {1, 2, 3, 0, 2};
  RowStore gradient;
  const double loss =
      link_loss({values.data(), kLossRows, kLossClasses}, {sources, targets, 2}, gradient);
  const auto plain = [&](const std::vector<double>& x) {
    double sum = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      double dot = 0;
      for (std::size_t c = 0; c < kLossClasses; ++c) {
        dot += x[sources[i] * kLossClasses + c] * x[targets[i] * kLossClasses + c];
      }
      sum += std::log(1 + std::exp(i < 2 ? -dot : dot));
    }
    return sum / 5;
  };
  CHECK(loss == doctest::Approx(plain(widened(values))));
  CHECK(relative_error(central_differences(plain, widened(values)), packed(gradient)) < 1e-5);
  const std::vector<float> large = {100, 100};
  CHECK(link_loss({large.data(), 2, 1}, {std::array{0U}, std::array{1U}, 0}, gradient) ==
        doctest::Approx(10000));
  CHECK(gradient.view()(0, 0) == doctest::Approx(100));
}
