#include "tools/sparse-train/scoring/evaluation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace frugal;
using namespace frugal::sparse;

namespace {

/// Ranks label i first for example i, then i + 1 ..., with scores 0.8, 0.4, 0.2.
class RoundRobin : public Scorer {
 public:
  explicit RoundRobin(std::uint32_t labels) : labels_(labels) {}
  std::vector<ScoredLabel> predict(const Dataset&, std::size_t begin,
                                   std::size_t end) const override {
    std::vector<ScoredLabel> out;
    for (std::size_t i = begin; i < end; ++i) {
      float score = 0.8F;
      for (std::size_t j = 0; j < k(); ++j, score /= 2) {
        out.push_back({static_cast<std::uint32_t>((i + j) % labels_), score});
      }
    }
    return out;
  }
  std::size_t k() const override { return 3; }

 private:
  std::uint32_t labels_;
};

Dataset labelled(const std::vector<std::vector<std::uint32_t>>& truth) {
  Dataset data;
  data.num_labels = 3;
  for (const auto& labels : truth) {
    for (const std::uint32_t l : labels) data.labels.push_back(l);
    data.label_begin.push_back(data.labels.size());
    data.feature_begin.push_back(0);
  }
  return data;
}

const LabelCounts kTraining{{5, 3, 1}, 9};

}  // namespace

TEST_CASE("single labels give accuracy, F1 and pairs of true and predicted labels") {
  const Dataset data = labelled({{0}, {1}, {0}, {}});  // ranked first: 0, 1, 2, 0
  const Evaluation e = evaluate(RoundRobin(3), data, kTraining);
  CHECK(e.single_label);
  CHECK(e.accuracy == 0.5);
  CHECK(e.precision[0] == 0.5);
  CHECK(e.unlabelled == 1);  // nothing to find, and what is predicted is wrong
  CHECK(e.micro_f1 == doctest::Approx(4.0 / 7));
  CHECK(e.macro_f1 == doctest::Approx((0.5 + 1 + 0) / 3));
  CHECK(e.confusion.size() == 3);
  CHECK(e.confusion.at({0, 2}) == 1);
}

TEST_CASE("with a threshold all labels that score as much are predicted") {
  const Dataset data = labelled({{0, 1}, {2}});  // ranked: 0 1 2, 1 2 0
  EvaluationOptions options;
  options.threshold = 0.4;
  const Evaluation e = evaluate(RoundRobin(3), data, kTraining, options);
  CHECK(!e.single_label);
  CHECK(e.confusion.empty());
  CHECK(e.tally.total().hits == 3);
  CHECK(e.tally.total().predicted == 4);
  CHECK(e.micro_f1 == doctest::Approx(6.0 / 7));
  options.threshold = 0.9;
  CHECK(evaluate(RoundRobin(3), data, kTraining, options).tally.total().predicted == 0);
}

TEST_CASE("a label that the model does not know is missed as a known one is") {
  Dataset data = labelled({{0}, {1, 4}, {3}, {3}});  // ranked first: 0, 1, 2, 0
  data.unknown_labels = {"whale", "eel"};
  const Evaluation e = evaluate(RoundRobin(3), data, kTraining);
  CHECK(e.unknown_examples == 2);
  CHECK(e.tally.total().actual == 5);
  CHECK(e.micro_f1 == doctest::Approx(4.0 / 9));
  CHECK(e.macro_f1 == doctest::Approx((2.0 / 3 + 1) / 5));  // 0, 1, 2, whale, eel
  CHECK(e.recall_at_5 == doctest::Approx((1 + 0.5) / 4));
  CHECK(e.psp[0] < 2.0 / 4);  // whoever has no training example weighs most
}

TEST_CASE("the log-loss is of the true label's share of all scores, ROC AUC of two labels") {
  const Evaluation e = evaluate(RoundRobin(3), labelled({{0}, {2}, {}}), kTraining);
  CHECK(*e.log_loss == doctest::Approx(-(std::log(4.0 / 7) + std::log(2.0 / 7)) / 2));
  CHECK(!e.roc_auc);
  CHECK(!evaluate(RoundRobin(3), labelled({{0, 1}}), kTraining).log_loss);

  class Pair : public Scorer {
   public:
    std::vector<ScoredLabel> predict(const Dataset&, std::size_t, std::size_t) const override {
      return {{1, 1}, {0, 1e-9F}, {1, 1}, {0, 1e-3F}, {0, 0.7F}, {1, 0.3F}};
    }
    std::size_t k() const override { return 2; }
  };
  // Scores that round to 1 are told apart by what the other label has.
  Dataset two = labelled({{1}, {0}, {1}});
  two.num_labels = 2;
  CHECK(*evaluate(Pair(), two, {{1, 2}, 3}).roc_auc == 0.5);
}

TEST_CASE("the constants of propensities move the propensity-scored figures alone") {
  const Dataset data = labelled({{0}, {2}, {2}});  // ranked first: 0, 1, 2
  const Evaluation plain = evaluate(RoundRobin(3), data, kTraining);
  EvaluationOptions options;
  options.propensity = {0.6, 2.6};
  const Evaluation amazon = evaluate(RoundRobin(3), data, kTraining, options);
  CHECK(plain.precision[0] == amazon.precision[0]);
  CHECK(plain.psp[0] != amazon.psp[0]);
  CHECK(plain.psndcg[0] == doctest::Approx(plain.psp[0]));  // one label a list
}
