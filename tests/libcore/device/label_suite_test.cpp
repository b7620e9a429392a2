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

/// Sampled labels: the logarithms of their probabilities.
using LogInclusion = std::vector<float>;

/// A batch with random numbers; examples have 0, 1, 2, ... own labels, and again. dim: units and
/// a 1.
struct LabelProblem {
  explicit LabelProblem(std::size_t num_labels, std::size_t num_examples, float scale,
                        std::size_t numbers = 6)
      : labels(num_labels),
        dim(numbers),
        n{static_cast<std::uint32_t>(num_examples)},
        hidden(random_floats(num_examples * dim, 1)),
        rows(random_floats(num_labels * dim, 2)) {
    for (float& w : rows) w *= scale;
    for (std::size_t e = 0; e < num_examples; ++e) hidden[(e + 1) * dim - 1] = 1;
    Rng rng(3);
    offsets.push_back(0);
    for (std::size_t e = 0; e < num_examples; ++e) {
      std::vector<std::uint32_t> of_example;
      while (of_example.size() < std::min(e % 7, num_labels)) {
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

  std::size_t labels, dim;
  std::vector<std::uint32_t> n, offsets, own;
  std::vector<float> hidden, rows;
};

/// Losses with the largest logit of an example, by its absolute value; gradients with the sums of
/// the absolute values that they are sums of.
struct LabelAnswers {
  std::vector<double> losses, dhidden, drows, losses_size, dhidden_size, drows_size;
};

/// log_q: empty where no label is sampled.
std::vector<double> gradients_of(const LabelProblem& p, std::size_t e, bool softmax,
                                 const LogInclusion& log_q, double& loss, double& size) {
  std::vector<double> z(p.labels), target(p.labels), weight(p.labels, 1);
  for (std::size_t j = 0; j < p.labels; ++j) {
    for (std::size_t d = 0; d < p.dim; ++d) {
      z[j] += double(p.hidden[e * p.dim + d]) * double(p.rows[j * p.dim + d]);
    }
  }
  const std::uint32_t begin = p.offsets[e], end = p.offsets[e + 1];
  for (std::size_t j = 0; j < log_q.size(); ++j) {
    const bool own =
        std::find(p.own.begin() + begin, p.own.begin() + end, j) != p.own.begin() + end;
    if (softmax && !own) z[j] -= double(log_q[j]);
    if (!softmax && !own) weight[j] = std::exp(-double(log_q[j]));
  }
  const double share = softmax ? 1.0 / (end - begin) : 1;
  double largest = z[0], sum = 0;
  size = 0;
  for (const double x : z) {
    largest = std::max(largest, x);
    size = std::max(size, std::abs(x));
  }
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
  double loss = 0, size = 0;
  p.own = {0};
  p.offsets.assign(p.n[0] + 1, 0);
  if (softmax) p.offsets[e + 1] = 1;
  std::vector<double> scores = gradients_of(p, e, softmax, {}, loss, size);
  if (softmax) scores[0] += 1;
  return scores;
}

LabelAnswers plain_answers(const LabelProblem& p, bool softmax, const LogInclusion& log_q) {
  const std::vector<double> rows(p.rows.size()), hidden(p.hidden.size());
  const std::vector<double> losses(p.n[0]);
  LabelAnswers out{losses, hidden, rows, losses, hidden, rows};
  for (std::size_t e = 0; e < p.n[0]; ++e) {
    const std::vector<double> dz =
        gradients_of(p, e, softmax, log_q, out.losses[e], out.losses_size[e]);
    for (std::size_t j = 0; j < p.labels; ++j) {
      for (std::size_t d = 0; d < p.dim; ++d) {
        const std::size_t of_example = e * p.dim + d, of_label = j * p.dim + d;
        const double to_hidden = dz[j] * double(p.rows[of_label]),
                     to_row = dz[j] * double(p.hidden[of_example]);
        out.dhidden[of_example] += to_hidden;
        out.dhidden_size[of_example] += std::abs(to_hidden);
        out.drows[of_label] += to_row;
        out.drows_size[of_label] += std::abs(to_row);
      }
    }
  }
  return out;
}

/// The worst difference as a share of 1e-5 (1 + wanted number) + rounding size. Not of the numbers
/// that all rows of `dim` numbers end with, where that is not 0.
template <class T>
double worst_share(const std::vector<T>& got, const std::vector<double>& want, double rounding,
                   const std::vector<double>& size, std::size_t dim) {
  double worst = got.size() == want.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (dim != 0 && i % dim == dim - 1) continue;
    const double bound = 1e-5 * (1 + std::abs(want[i])) + rounding * size[i];
    worst = worse(worst, std::abs(double(got[i]) - want[i]) / bound);
  }
  return worst;
}

struct LabelRun {
  std::vector<double> losses;
  std::vector<float> dhidden, drows;
};

/// room: examples that the layer has room for, more than there are.
LabelRun run_labels(const Suite& suite, const LabelProblem& p, std::size_t block,
                    const std::string& loss, const std::string& precision, std::size_t room,
                    LogInclusion log_q) {
  LabelRun out{std::vector<double>(room), std::vector<float>(room * p.dim),
               std::vector<float>(p.rows.size())};
  LabelProblem in = p;
  in.hidden.resize(room * p.dim, NAN);
  in.offsets.resize(room + 1, 0xffffffff);
  std::vector<EngineArray> arrays{array("n", in.n), array("hidden", in.hidden),
                                  array("rows", in.rows), array("offsets", in.offsets),
                                  array("own", in.own)};
  if (!log_q.empty()) arrays.push_back(array("log_inclusion", log_q));
  suite.run(
      "label_output",
      {{"labels", std::to_string(p.labels)},
       {"dim", std::to_string(p.dim)},
       {"block", std::to_string(block)},
       {"loss", loss},
       {"precision", precision}},
      arrays,
      {array("losses", out.losses), array("dhidden", out.dhidden), array("drows", out.drows)});
  out.losses.resize(p.n[0]);
  out.dhidden.resize(p.hidden.size());
  return out;
}

/// rounding: of a weight that a product is made with. Logits are off by some 2^-24 of themselves.
void check_run(const LabelRun& got, const LabelAnswers& want, const LabelProblem& p,
               double rounding) {
  CHECK(worst_share(got.losses, want.losses, 1e-6, want.losses_size, 0) < 1);
  CHECK(worst_share(got.dhidden, want.dhidden, rounding, want.dhidden_size, p.dim) < 1);
  CHECK(worst_share(got.drows, want.drows, rounding, want.drows_size, 0) < 1);
}

void check_labels(const Suite& suite, const LabelProblem& p, std::size_t block, const char* loss,
                  std::size_t room, const LogInclusion& log_q = {}) {
  check_run(run_labels(suite, p, block, loss, "f32", room, log_q),
            plain_answers(p, std::string(loss) == "softmax", log_q), p, 0);
}

float near_bf16(float x) { return to_float(to_bfloat16(x)); }

/// Numbers kept as bf16: units and weights, but not biases.
void round_problem(LabelProblem& p) {
  for (std::vector<float>* numbers : {&p.hidden, &p.rows}) {
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      if (i % p.dim != p.dim - 1) (*numbers)[i] = near_bf16((*numbers)[i]);
    }
  }
}

/// Tiles of tensor cores against double precision of the same rounded numbers, by the same bits in
/// every order of the threads. Weights of rows have 8 bits: each is off by up to 2^-8 of itself.
void check_tiles(const Suite& suite, LabelProblem p, std::size_t block, const char* loss,
                 std::size_t room) {
  round_problem(p);
  const LabelAnswers want = plain_answers(p, std::string(loss) == "softmax", {});
  LabelRun first;
  in_every_order([&] {
    LabelRun got = run_labels(suite, p, block, loss, "bf16", room, {});
    check_run(got, want, p, 1.0 / 256);
    if (first.drows.empty()) first = got;
    CHECK(got.losses == first.losses);
    CHECK(same_bits(got.drows, first.drows));
    for (std::size_t e = 0; e < p.n[0]; ++e) {  // the last number of a row is not written
      CHECK(
          same_bits({&got.dhidden[e * p.dim], p.dim - 1}, {&first.dhidden[e * p.dim], p.dim - 1}));
    }
  });
}

}  // namespace

// Seconds: each block of labels is nine kernels of hundreds of fibres.
TEST_CASE("losses over 1 to 100,000 labels by blocks are those of all logits at once") {
  const Suite suite;
  for (const char* loss : {"softmax", "one-vs-all"}) {
    CAPTURE(std::string(loss));
    for (const std::size_t labels : {1, 2, 63, 64, 65, 1000}) {
      CAPTURE(labels);
      for (const std::size_t block : {1, 64, 2000}) {
        if (labels > (kSanitized ? 2 : 64) && block == 1) continue;
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

TEST_CASE("tiles of labels and examples in registers: awkward sizes, by the same bits every time") {
  const Suite suite;
  struct Sizes {
    std::size_t labels, examples, room, dim, block;
  };
  // Labels and examples below, at and above tiles of 64 and 128; 1 to 256 units; the last block of
  // labels shorter than the others.
  const Sizes all[] = {{1, 1, 1, 8, 0},       {63, 5, 7, 8, 64},       {65, 64, 65, 66, 0},
                       {200, 3, 130, 9, 48},  {300, 70, 70, 129, 100}, {130, 7, 9, 136, 64},
                       {100, 66, 66, 257, 0}, {150, 140, 140, 65, 0},  {260, 129, 129, 129, 0}};
  for (const char* loss : {"softmax", "one-vs-all"}) {
    CAPTURE(std::string(loss));
    for (const Sizes& s : all) {
      CAPTURE(s.labels);
      check_tiles(suite, LabelProblem(s.labels, s.examples, 1, s.dim), s.block, loss, s.room);
    }
  }
}

TEST_CASE("wider units than tiles take, and sampled labels, are multiplied otherwise") {
  const Suite suite;
  LabelProblem wide(40, 3, 1, 300);
  round_problem(wide);
  for (std::size_t i = 299; i < wide.rows.size(); i += 300) wide.rows[i] = near_bf16(wide.rows[i]);
  check_run(run_labels(suite, wide, 0, "softmax", "bf16", 3, {}), plain_answers(wide, true, {}),
            wide, 1.0 / 256);
  LabelProblem sampled(40, 3, 1, 8);
  round_problem(sampled);
  const LogInclusion log_q(40, -2);
  for (std::size_t i = 7; i < sampled.rows.size(); i += 8) sampled.rows[i] = 0.5F;
  for (const char* loss : {"softmax", "one-vs-all"}) {
    check_run(run_labels(suite, sampled, 0, loss, "bf16", 3, log_q),
              plain_answers(sampled, std::string(loss) == "softmax", log_q), sampled, 1.0 / 256);
  }
}

TEST_CASE("tiles of logits far apart neither overflow nor vanish") {
  const Suite suite;
  LabelProblem problem(300, 8, 60);
  check_tiles(suite, problem, 64, "softmax", 8);
}

/// A weight of bf16 is off by up to 1/256, which is more than what is left of such a gradient.
TEST_CASE("examples that are certain of their labels have the small gradient that is left") {
  const Suite suite;
  LabelProblem p(240, 6, 0.1F, 8);
  p.offsets.resize(1);
  p.own.clear();
  for (std::uint32_t e = 0; e < 6; ++e) {
    for (const std::uint32_t label : {20 * e, 20 * e + 120}) {  // equally likely, but for a little
      p.own.push_back(label);
      float* row = &p.rows[label * 8];
      for (std::size_t d = 0; d < 7; ++d) row[d] = 4 * p.hidden[e * 8 + d];
      row[7] = label < 120 ? 7.0F : 7.03F;
    }
    p.offsets.push_back(2 * e + 2);
  }
  check_tiles(suite, p, 64, "softmax", 6);
  check_tiles(suite, p, 64, "one-vs-all", 6);
}

TEST_CASE("labels of the largest logits, best first, ties by the smaller label") {
  const Suite suite;
  for (const std::size_t ranks : {1, 5, 300}) {
    CAPTURE(ranks);
    for (const std::size_t block : {100, 1000}) {
      LabelProblem problem(1000, 3, 1);
      // Rows of labels that are there twice, so that logits are.
      std::copy_n(problem.rows.begin(), 400 * problem.dim,
                  problem.rows.begin() + 500 * problem.dim);
      for (const char* loss : {"softmax", "one-vs-all"}) {
        std::vector<std::uint32_t> labels(3 * ranks);
        std::vector<float> scores(3 * ranks);
        suite.run(
            "rank_labels",
            {{"labels", "1000"},
             {"dim", std::to_string(problem.dim)},
             {"block", std::to_string(block)},
             {"loss", loss},
             {"ranks", std::to_string(ranks)},
             {"precision", "f32"}},
            {array("n", problem.n), array("hidden", problem.hidden), array("rows", problem.rows)},
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
