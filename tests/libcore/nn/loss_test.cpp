#include "libcore/nn/loss.h"

#include <doctest/doctest.h>

#include "tests/libcore/nn/gradient_check.h"

using namespace frugal;

namespace {

using Ids = std::vector<std::uint32_t>;

bool contains(const Ids& ids, std::size_t j) {
  return std::find(ids.begin(), ids.end(), j) != ids.end();
}

/// The definitions, in double: z is corrected except at the example's own labels.
double plain_softmax(const std::vector<double>& logits, const Ids& targets,
                     const std::vector<float>& log_q) {
  if (targets.empty()) return 0;
  std::vector<double> z = logits;
  for (std::size_t j = 0; j < z.size(); ++j) {
    if (!log_q.empty() && !contains(targets, j)) z[j] -= log_q[j];
  }
  double sum = 0;
  for (const double x : z) sum += std::exp(x);
  double loss = std::log(sum);
  for (const std::uint32_t t : targets) loss -= z[t] / static_cast<double>(targets.size());
  return loss;
}

double plain_one_vs_all(const std::vector<double>& z, const Ids& targets,
                        const std::vector<float>& log_q) {
  double loss = 0;
  for (std::size_t j = 0; j < z.size(); ++j) {
    const bool own = contains(targets, j);
    const double weight = own || log_q.empty() ? 1 : std::exp(-static_cast<double>(log_q[j]));
    loss += weight * std::log1p(std::exp(own ? -z[j] : z[j]));
  }
  return loss;
}

std::vector<float> random_log_inclusion(std::size_t n) {
  std::vector<float> q = random_floats(n, 77, 1);
  for (float& x : q) x = std::log(0.05f + 0.9f * std::abs(x));
  return q;
}

void check(LossKind kind, std::size_t n, const Ids& targets, const std::vector<float>& log_q) {
  CAPTURE(n);
  CAPTURE(targets.size());
  const auto plain = kind == LossKind::softmax ? plain_softmax : plain_one_vs_all;
  const std::vector<float> z = random_floats(n, n + targets.size());
  std::vector<float> gradient = z;
  const double loss = loss_and_gradient(kind, gradient, targets, log_q, 1);
  CHECK(loss == doctest::Approx(plain(widened(z), targets, log_q)).epsilon(1e-5));
  const auto expected =
      central_differences([&](const auto& x) { return plain(x, targets, log_q); }, widened(z));
  CHECK(relative_error(expected, gradient) < 2e-6);
  std::vector<float> scaled = z;
  loss_and_gradient(kind, scaled, targets, log_q, 0.25F);
  for (std::size_t j = 0; j < n; ++j)
    CHECK(scaled[j] == doctest::Approx(gradient[j] / 4).epsilon(1e-4));
}

}  // namespace

TEST_CASE("losses and their gradients agree with central differences") {
  for (const LossKind kind : {LossKind::softmax, LossKind::one_vs_all}) {
    for (const std::size_t n : {2, 7, 16, 33, 1000}) {
      for (const Ids& targets : {Ids{}, Ids{1}, Ids{0, 1}}) {
        check(kind, n, targets, {});
        check(kind, n, targets, random_log_inclusion(n));
      }
    }
  }
}

TEST_CASE("losses stay finite for extreme logits") {
  std::vector<float> z = {1e4F, -1e4F, 3};
  CHECK(softmax_loss(z, Ids{1}, {}, 1) == doctest::Approx(2e4));
  for (const float g : z) CHECK(std::isfinite(g));
  z = {1e4F, -1e4F, 3};
  CHECK(one_vs_all_loss(z, Ids{1}, {}, 1) == doctest::Approx(2e4 + std::log1p(std::exp(3.0))));
  for (const float g : z) CHECK(std::isfinite(g));
}

TEST_CASE("the corrected gradient of a sample is the full gradient on average") {
  // One-vs-all is linear in the terms, so that the mean over samples is exact in the limit.
  const std::size_t n = 20;
  const Ids target = {3};
  const std::vector<float> z = random_floats(n, 5);
  std::vector<float> full = z;
  one_vs_all_loss(full, target, {}, 1);
  const double q = 0.3;
  std::vector<double> sum(n);
  Rng rng(9);
  const int samples = 20000;
  for (int s = 0; s < samples; ++s) {
    std::vector<float> part;
    std::vector<std::size_t> from;
    std::uint32_t position = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (j == target[0]) position = static_cast<std::uint32_t>(part.size());
      if (j != target[0] && rng.uniform() >= q) continue;
      part.push_back(z[j]);
      from.push_back(j);
    }
    const std::vector<float> log_q(part.size(), static_cast<float>(std::log(q)));
    one_vs_all_loss(part, Ids{position}, log_q, 1);
    for (std::size_t k = 0; k < from.size(); ++k) sum[from[k]] += part[k];
  }
  for (std::size_t j = 0; j < n; ++j) {
    // The standard error of the mean is at most |g| sqrt((1 - q) / q / samples) < 0.011 |g|.
    CHECK(sum[j] / samples == doctest::Approx(full[j]).epsilon(0.05));
  }
}

TEST_CASE("names of losses are understood and others refused") {
  CHECK(loss_from_name("softmax") == LossKind::softmax);
  CHECK(loss_from_name("ova") == LossKind::one_vs_all);
  CHECK(loss_name(LossKind::one_vs_all) == "ova");
  CHECK_THROWS_WITH(loss_from_name("hinge"), "unknown loss 'hinge', expected softmax or ova");
}
