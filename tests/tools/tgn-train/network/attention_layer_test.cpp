// Dropout of attention weights; all else is in tgn_model_test.cpp.
#include "tools/tgn-train/network/attention_layer.h"

#include <doctest/doctest.h>

#include <cstring>

#include "tests/tools/tgn-train/network/random_step.h"
#include "tests/tools/tgn-train/network/variants.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

using Rows = std::vector<std::vector<double>>;

TgnOptions options_with_dropout(float dropout, std::size_t heads, std::size_t layers = 1) {
  TgnOptions o = small_options();
  o.dropout = dropout;
  o.heads = heads;
  o.layers = layers;
  return o;
}

/// ReLU lets everything through: embeddings are linear in what attention answers.
TgnModel linear_model(const TgnOptions& options) {
  TgnModel model = make_model(options, {3});
  Document document = saved(model);
  for (float& b : document.at("embedding_module.attention_models.0.merger.fc1.bias").as<float>()) {
    b += 20;
  }
  model.load(document, "model");
  return model;
}

Rows embed(TgnModel& model, const RandomStep& step, const TgnPass& pass) {
  const MatrixView<const float> got = step.embed(model, pass);
  Rows rows;
  for (std::size_t r = 0; r < got.rows; ++r) rows.emplace_back(got.row(r), got.row(r) + got.cols);
  return rows;
}

double loss_of(TgnModel& model, const RandomStep& step, const TgnPass& pass) {
  const MatrixView<const float> logits = model.score(step.plan, step.embed(model, pass));
  double sum = 0;
  for (std::size_t i = 0; i < logits.rows; ++i) {
    sum += std::log1p(std::exp(-static_cast<double>(logits(i, 0)))) +
           std::log1p(std::exp(static_cast<double>(logits(i, 1))));
  }
  return sum / static_cast<double>(logits.rows);
}

}  // namespace

TEST_CASE("the mean over many draws of dropout is what comes without it") {
  TgnModel model = linear_model(options_with_dropout(0.3F, 2));
  const RandomStep step(model.options(), {3}, 4, 5);
  const Rows want = embed(model, step, {});
  constexpr int kDraws = 2000;
  Rows sum = want, squares = want;
  for (auto* rows : {&sum, &squares}) {
    for (auto& row : *rows) std::fill(row.begin(), row.end(), 0.0);
  }
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    const Rows got = embed(model, step, {true, 7, draw});
    for (std::size_t r = 0; r < got.size(); ++r) {
      for (std::size_t c = 0; c < got[r].size(); ++c) {
        const double d = got[r][c] - want[r][c];
        sum[r][c] += d;
        squares[r][c] += d * d;
      }
    }
  }
  for (std::size_t r = 0; r < want.size(); ++r) {
    const QueryRows& q = step.plan.layers[0];
    for (std::size_t c = 0; c < want[r].size(); ++c) {
      const double deviation = std::sqrt(squares[r][c] / kDraws);
      CHECK(std::abs(sum[r][c] / kDraws) <= 4.5 * deviation / std::sqrt(kDraws));
      CHECK((deviation > 1e-3) == (q.offsets[r] != q.offsets[r + 1]));
    }
  }
}

TEST_CASE("a weight is dropped as often as asked for, else raised") {
  const double rate = 0.4;
  TgnModel model = linear_model(options_with_dropout(static_cast<float>(rate), 1));
  const RandomStep step(model.options(), {3}, 4, 5);
  constexpr std::size_t kAlone = 2;  // the query that has one neighbour
  REQUIRE(step.plan.layers[0].offsets[kAlone + 1] - step.plan.layers[0].offsets[kAlone] == 1);
  const std::vector<double> whole = embed(model, step, {})[kAlone];
  constexpr int kDraws = 2000;
  std::vector<double> low = whole, high = whole;
  int num_high = 0;
  std::vector<double> first;
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    const std::vector<double> got = embed(model, step, {true, 9, draw})[kAlone];
    if (first.empty()) first = got;
    const bool as_first = std::abs(got[0] - first[0]) < 1e-4;
    if (as_first) ++num_high;
    (as_first ? high : low) = got;
  }
  // `first` may be either of the two.
  if (std::abs(high[0] - whole[0]) > std::abs(low[0] - whole[0])) {
    std::swap(high, low);
    num_high = kDraws - num_high;
  }
  const double deviation = std::sqrt(rate * (1 - rate) * kDraws);
  CHECK(std::abs(num_high - (1 - rate) * kDraws) < 4.5 * deviation);
  for (std::size_t c = 0; c < whole.size(); ++c) {
    CHECK(high[c] - low[c] == doctest::Approx((whole[c] - low[c]) / (1 - rate)).epsilon(1e-3));
  }
}

TEST_CASE("dropout is a function of seed and step, another one in each layer") {
  TgnModel model = make_model(options_with_dropout(0.5F, 2, 2), {3});
  const RandomStep step(model.options(), {3}, 4, 5);
  const Rows one = embed(model, step, {true, 3, 4});
  CHECK(embed(model, step, {true, 3, 5}) != one);
  CHECK(embed(model, step, {true, 4, 4}) != one);
  CHECK(embed(model, step, {true, 3, 4}) == one);
  const Rows without = embed(model, step, {false, 3, 4});
  CHECK(without != one);
  CHECK(relative_distance(step.embed(model, {false, 8, 9}),
                          step.plain_embeddings(plain::Network(model.options(), saved(model)))) <
        1e-5);
}

TEST_CASE("gradients with dropout are those of what was drawn") {
  const TgnOptions options = options_with_dropout(0.5F, 2, 2);
  for (std::size_t t = 0; t < saved(TgnModel(options, {3})).tensors.size(); ++t) {
    TgnModel model = make_model(options, {3});
    const RandomStep step(options, {3}, 4, 5);
    const TgnPass pass{true, 3, 4};
    Document document = saved(model);
    const std::string name = document.tensors[t].name;
    if (!name.starts_with("embedding_module")) continue;
    CAPTURE(name);
    step.embed(model, pass);
    model.train_links(step.plan, step.features(), 256);
    const Document after = saved(model);
    // By a move along the gradient, that of this tensor alone.
    const auto parameters = document.tensors[t].as<float>();
    std::vector<double> gradient;
    double square = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const double moved = static_cast<double>(after.tensors[t].as<float>()[i]);
      gradient.push_back((static_cast<double>(parameters[i]) - moved) / 256);
      square += gradient[i] * gradient[i];
    }
    REQUIRE(square > 0);
    const double h = 0.00025 / std::sqrt(square);
    double loss[2];
    for (const int side : {0, 1}) {
      Document moved = document.clone();
      const auto to = moved.tensors[t].as<float>();
      for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] += static_cast<float>((side == 0 ? -h : h) * gradient[i]);
      }
      model.load(moved, "model");
      loss[side] = loss_of(model, step, pass);
    }
    CHECK((loss[1] - loss[0]) / (2 * h) == doctest::Approx(square).epsilon(5e-3));
  }
}
