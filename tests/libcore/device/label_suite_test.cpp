// The output layer over many labels, a block at a time, against plain loops in double precision.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "tests/libcore/device/every_order.h"
#include "tests/libcore/device/suite_runner.h"
#include "tests/support/sanitized.h"
#include "tests/support/worst.h"

using namespace frugal;
using namespace frugal::device_test;

namespace {

constexpr std::size_t kOurDim = 6;

/// Sampled labels: the logarithms of their probabilities.
using LogInclusion = std::vector<float>;

/// A batch with random numbers; examples have 0, 1, 2, ... own labels.
struct LabelProblem {
  explicit LabelProblem(std::size_t num_labels, std::size_t num_examples, float scale)
      : labels(num_labels),
        n{static_cast<std::uint32_t>(num_examples)},
        hidden(random_floats(num_examples * kOurDim, 1)),
        rows(random_floats(num_labels * kOurDim, 2)) {
    for (float& w : rows) w *= scale;
    Rng rng(3);
    offsets.push_back(0);
    for (std::size_t e = 0; e < num_examples; ++e) {
      std::vector<std::uint32_t> of_example;
      while (of_example.size() < std::min(e, num_labels)) {
        const auto label = static_cast<std::uint32_t>(rng.below(num_labels));
        if (std::find(of_example.begin(), of_example.end(), label) == of_example.end()) {
          of_example.push_back(label);
        }
      }
      own.insert(own.end(), of_example.begin(), of_example.end());
      offsets.push_back(static_cast<std::uint32_t>(own.size()));
    }
    if (own.empty()) own.push_back(0);  // which no example has
  }

  std::size_t labels;
  std::vector<std::uint32_t> n, offsets, own;
  std::vector<float> hidden, rows;
};

struct LabelAnswers {
  std::vector<double> losses, dhidden, drows;
};

/// log_q: empty where no label is sampled. A softmax's is in the last number of each row already.
std::vector<double> gradients_of(const LabelProblem& p, std::size_t e, bool softmax,
                                 const LogInclusion& log_q, double& loss) {
  std::vector<double> z(p.labels), target(p.labels), weight(p.labels, 1);
  for (std::size_t j = 0; j < p.labels; ++j) {
    for (std::size_t d = 0; d < kOurDim; ++d) {
      z[j] += double(p.hidden[e * kOurDim + d]) * double(p.rows[j * kOurDim + d]);
    }
  }
  const std::uint32_t begin = p.offsets[e], end = p.offsets[e + 1];
  for (std::size_t j = 0; j < log_q.size(); ++j) {
    const bool own =
        std::find(p.own.begin() + begin, p.own.begin() + end, j) != p.own.begin() + end;
    if (softmax && own) z[j] += double(log_q[j]);
    if (!softmax && !own) weight[j] = std::exp(-double(log_q[j]));
  }
  const double share = softmax ? 1.0 / (end - begin) : 1;
  double largest = z[0], sum = 0;
  for (const double x : z) largest = std::max(largest, x);
  for (const double x : z) sum += std::exp(x - largest);
  loss = softmax && end > begin ? largest + std::log(sum) : 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    target[p.own[i]] = share;
    loss -= share * z[p.own[i]];
  }
  for (std::size_t j = 0; j < p.labels; ++j) {
    if (!softmax) loss += weight[j] * std::log1p(std::exp(z[j]));
    const double likely =
        softmax ? std::exp(z[j] - largest) / sum : weight[j] / (1 + std::exp(-z[j]));
    z[j] = softmax && begin == end ? 0 : likely - target[j];
  }
  return z;
}

/// Probabilities of an example's labels.
std::vector<double> scores_of(LabelProblem p, std::size_t e, bool softmax) {
  // Without labels of its own a gradient of one-vs-all, and a label's share of a softmax, are it.
  double loss = 0;
  p.own = {0};
  p.offsets.assign(p.n[0] + 1, 0);
  if (softmax) p.offsets[e + 1] = 1;
  std::vector<double> scores = gradients_of(p, e, softmax, {}, loss);
  if (softmax) scores[0] += 1;
  return scores;
}

LabelAnswers plain_answers(const LabelProblem& p, bool softmax, const LogInclusion& log_q) {
  LabelAnswers out{std::vector<double>(p.n[0]), std::vector<double>(p.hidden.size()),
                   std::vector<double>(p.rows.size())};
  for (std::size_t e = 0; e < p.n[0]; ++e) {
    const std::vector<double> dz = gradients_of(p, e, softmax, log_q, out.losses[e]);
    for (std::size_t j = 0; j < p.labels; ++j) {
      for (std::size_t d = 0; d < kOurDim; ++d) {
        out.dhidden[e * kOurDim + d] += dz[j] * double(p.rows[j * kOurDim + d]);
        out.drows[j * kOurDim + d] += dz[j] * double(p.hidden[e * kOurDim + d]);
      }
    }
  }
  return out;
}

template <class T>
double worst_difference(const std::vector<T>& got, const std::vector<double>& want) {
  double worst = got.size() == want.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < want.size(); ++i) {
    worst = worse(worst, std::abs(double(got[i]) - want[i]) / (1 + std::abs(want[i])));
  }
  return worst;
}

/// room: examples that the layer has room for, more than there are.
void check_labels(const Suite& suite, LabelProblem& p, std::size_t block, const char* loss,
                  std::size_t room, LogInclusion log_q = {}) {
  const LabelAnswers want = plain_answers(p, std::string(loss) == "softmax", log_q);
  std::vector<double> losses(room);
  std::vector<float> hidden = p.hidden, dhidden(room * kOurDim), drows(p.rows.size());
  hidden.resize(room * kOurDim, NAN);
  std::vector<std::uint32_t> offsets = p.offsets;
  offsets.resize(room + 1, 0xffffffff);
  std::vector<EngineArray> in{array("n", p.n), array("hidden", hidden), array("rows", p.rows),
                              array("offsets", offsets), array("own", p.own)};
  if (!log_q.empty()) in.push_back(array("log_inclusion", log_q));
  suite.run("label_output",
            {{"labels", std::to_string(p.labels)},
             {"dim", std::to_string(kOurDim)},
             {"block", std::to_string(block)},
             {"loss", loss},
             {"precision", "f32"}},
            in, {array("losses", losses), array("dhidden", dhidden), array("drows", drows)});
  losses.resize(p.n[0]);
  dhidden.resize(p.hidden.size());
  CHECK(worst_difference(losses, want.losses) < 1e-5);
  CHECK(worst_difference(dhidden, want.dhidden) < 1e-5);
  CHECK(worst_difference(drows, want.drows) < 1e-5);
}

}  // namespace

TEST_CASE("losses over 1 to 100,000 labels by blocks are those of all logits at once") {
  const Suite suite;
  for (const char* loss : {"softmax", "one-vs-all"}) {
    CAPTURE(std::string(loss));
    for (const std::size_t labels : {1, 2, 63, 64, 65, 1000}) {
      CAPTURE(labels);
      for (const std::size_t block : {1, 64, 2000}) {
        if (labels > 100 && block == 1) continue;
        LabelProblem problem(labels, 5, 1);
        in_every_order([&] { check_labels(suite, problem, block, loss, 7); });
      }
    }
    LabelProblem many(kSanitized ? 10000 : 100000, 2, 1);
    check_labels(suite, many, 8192, loss, 2);
  }
}

TEST_CASE("logits far apart from block to block neither overflow nor vanish") {
  const Suite suite;
  LabelProblem problem(300, 4, 60);  // up to 360, where exp() of a float is infinite
  check_labels(suite, problem, 64, "softmax", 4);
}

TEST_CASE("sampled labels count for what they stand for, an example's own for themselves") {
  const Suite suite;
  LabelProblem problem(200, 5, 1);
  LogInclusion log_q = random_floats(200, 7);
  for (float& q : log_q) q = 2 * q - 2;
  for (const char* loss : {"softmax", "one-vs-all"}) {
    for (const std::size_t block : {64, 200}) {
      in_every_order([&] { check_labels(suite, problem, block, loss, 6, log_q); });
    }
  }
}

TEST_CASE("labels of the largest logits, best first, ties by the smaller label") {
  const Suite suite;
  for (const std::size_t ranks : {1, 5, 300}) {
    CAPTURE(ranks);
    for (const std::size_t block : {100, 1000}) {
      LabelProblem problem(1000, 3, 1);
      // Rows of labels that are there twice, so that logits are.
      std::copy_n(problem.rows.begin(), 400 * kOurDim, problem.rows.begin() + 500 * kOurDim);
      for (const char* loss : {"softmax", "one-vs-all"}) {
        std::vector<std::uint32_t> labels(3 * ranks), none(4);
        std::vector<float> scores(3 * ranks);
        suite.run("rank_labels",
                  {{"labels", "1000"},
                   {"dim", std::to_string(kOurDim)},
                   {"block", std::to_string(block)},
                   {"loss", loss},
                   {"ranks", std::to_string(ranks)},
                   {"precision", "f32"}},
                  {array("n", problem.n), array("hidden", problem.hidden),
                   array("rows", problem.rows), array("offsets", none)},
                  {array("labels", labels), array("scores", scores)});
        for (std::size_t e = 0; e < 3; ++e) {
          const std::vector<double> want = scores_of(problem, e, std::string(loss) == "softmax");
          std::vector<std::uint32_t> order(1000);
          std::iota(order.begin(), order.end(), 0U);
          std::stable_sort(order.begin(), order.end(),
                           [&](auto a, auto b) { return want[a] > want[b]; });
          for (std::size_t r = 0; r < ranks; ++r) {
            CHECK(labels[e * ranks + r] == order[r]);
            CHECK(double(scores[e * ranks + r]) == doctest::Approx(want[order[r]]).epsilon(1e-4));
          }
        }
      }
    }
  }
}
