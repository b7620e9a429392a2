#include <doctest/doctest.h>

#include <cmath>

#include "tools/sparse-train/scoring/combined_scorers.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

/// Gives every example the same labels.
class Fixed : public Scorer {
 public:
  explicit Fixed(std::vector<ScoredLabel> labels) : labels_(std::move(labels)) {}
  std::vector<ScoredLabel> predict(const Dataset&, std::size_t begin,
                                   std::size_t end) const override {
    std::vector<ScoredLabel> out;
    for (std::size_t i = begin; i < end; ++i) out.insert(out.end(), labels_.begin(), labels_.end());
    return out;
  }
  std::size_t k() const override { return labels_.size(); }

 private:
  std::vector<ScoredLabel> labels_;
};

std::vector<ScoredLabel> both(const std::vector<ScoredLabel>& forest,
                              const std::vector<ScoredLabel>& network, std::size_t top_k,
                              const HybridMix& mix = HybridMix::of_probabilities()) {
  const HybridScorer scorer(std::make_unique<Fixed>(forest), std::make_unique<Fixed>(network),
                            top_k, mix);
  const std::vector<ScoredLabel> all = scorer.predict(Dataset(), 3, 5);
  CHECK(all.size() == 2 * scorer.k());
  return {all.begin() + static_cast<std::ptrdiff_t>(scorer.k()), all.end()};
}

}  // namespace

TEST_CASE("probabilities of forest and network are averaged with their weights") {
  const auto best = both({{4, 0.8f}, {2, 0.4f}, {9, 0.1f}}, {{7, 0.9f}, {2, 0.6f}, {1, 0}}, 3);
  REQUIRE(best.size() == 3);
  CHECK(best[0].label == 2);
  CHECK(best[0].score == doctest::Approx(0.5 * 0.4 + 0.5 * 0.6));
  CHECK(best[1].label == 7);
  CHECK(best[1].score == doctest::Approx(0.5 * 0.9));
  CHECK(best[2].label == 4);
  CHECK(best[2].score == doctest::Approx(0.5 * 0.8));
}

TEST_CASE("shares of a softmax become probabilities, at most 1, and are averaged by their roots") {
  const auto best = both({{4, 0.5f}, {2, 0.5f}, {1, 0}}, {{9, 0.4f}, {4, 0.1f}, {2, 0.1f}}, 3,
                         HybridMix::of_shares(4));
  // A tie, which goes to the smaller label.
  CHECK(best[0].label == 2);
  CHECK(best[1].label == 4);
  const double root = 0.8 * std::sqrt(0.5) + 0.2 * std::sqrt(0.4);
  CHECK(best[1].score == doctest::Approx(root * root));
  CHECK(best[2].label == 9);
  CHECK(best[2].score == doctest::Approx(0.2 * 0.2));
}

TEST_CASE("labels that neither scorer found stay unfound") {
  constexpr std::uint32_t kNone = Scorer::kNoLabel;
  const auto best =
      both({{4, 0.8f}, {kNone, 0}, {kNone, 0}}, {{4, 0.6f}, {kNone, 0}, {kNone, 0}}, 2);
  CHECK(best[0].label == 4);
  CHECK(best[0].score == doctest::Approx(0.5 * 0.8 + 0.5 * 0.6));
  CHECK(best[1].label == kNone);
}
