#include "tools/sparse-train/tree/forest_scorer.h"

#include <algorithm>
#include <cmath>

#include "libcore/threading/parallel.h"

namespace frugal::sparse {
namespace {

/// No label is surer: labels that all trees are sure of differ by the noise of their classifiers
/// only, and the counts of the labels say more. On wordnet-hypernyms, where the label 'entity' is
/// right nine times in ten, P@1 over six seeds is 89.6 to 89.8 by counts, 89.1 to 89.2 by chance.
constexpr float kSure = 0.9999F;

/// Probability by a power of the hinge between the square of Parabel (Prabhu et al., WWW 2018) and
/// the cube of PECOS (Yu et al., JMLR 2022). On held-out data, the square is 0.4 points of P@1
/// worse than the cube on wordnet-hypernyms, and the cube 0.3 worse than this on citeulike-t.
float probability_of(float margin) {
  const float short_of = std::max(0.0f, 1 - margin);
  return std::exp(-short_of * short_of * std::sqrt(short_of));
}

/// As probability_of(), with a smoothed hinge that is never 0: larger margins rank higher, even
/// beyond 1.
float smooth_probability_of(float margin) {
  constexpr float kRounding = 0.04F;
  const float x = 1 - margin;
  const float short_of = (x + std::sqrt(x * x + kRounding)) / 2;
  return std::exp(-short_of * short_of * std::sqrt(short_of));
}

}  // namespace

ForestSearch::ForestSearch(const LabelForest& forest, std::span<const std::uint64_t> label_counts,
                           std::size_t beam)
    : forest_(forest),
      label_counts_(label_counts),
      beam_(beam),
      place_of_label_(forest.num_labels) {
  std::uint32_t most = 0;
  for (const LabelTree& tree : forest.trees) {
    for (std::uint32_t n = 0; n < tree.shape.num_nodes(); ++n)
      most = std::max(most, tree.shape.num_children(n));
  }
  scores_.resize(most);
}

void ForestSearch::keep_best_nodes() {
  if (next_level_.size() <= beam_) return;
  std::nth_element(next_level_.begin(), next_level_.begin() + static_cast<std::ptrdiff_t>(beam_),
                   next_level_.end(), [](const Node& a, const Node& b) {
                     return a.probability != b.probability ? a.probability > b.probability
                                                           : a.node < b.node;
                   });
  next_level_.resize(beam_);
}

void ForestSearch::add(std::uint32_t label, float probability) {
  std::uint32_t& place = place_of_label_[label];
  if (place == 0) {
    found_.push_back({label, probability});
    place = static_cast<std::uint32_t>(found_.size());
  } else {
    found_[place - 1].score += probability;
  }
}

void ForestSearch::search(const LabelTree& tree, std::span<const std::uint32_t> features,
                          std::span<const float> values) {
  const TreeShape& shape = tree.shape;
  const float share = 1 / static_cast<float>(forest_.trees.size());
  // Classifiers that rank alone say more by large margins than the counts do.
  const bool flat = shape.num_nodes() == 1;
  level_.assign(1, {0, 1.0f});
  while (!level_.empty()) {
    next_level_.clear();
    for (const Node& at : level_) {
      tree.score_children(at.node, features, values, scores_.data());
      const std::uint32_t first = shape.slot_begin[at.node];
      const bool leaf = shape.is_leaf(at.node);
      for (std::uint32_t c = 0; c < shape.num_children(at.node); ++c) {
        const float probability =
            flat ? smooth_probability_of(scores_[c]) : at.probability * probability_of(scores_[c]);
        if (leaf) {
          add(shape.label_of(first + c), share * probability);
        } else {
          next_level_.push_back({first + c + 1, probability});
        }
      }
    }
    keep_best_nodes();
    // In the order of their chunks in memory.
    std::sort(next_level_.begin(), next_level_.end(),
              [](const Node& a, const Node& b) { return a.node < b.node; });
    level_.swap(next_level_);
  }
}

const std::vector<ScoredLabel>& ForestSearch::labels(std::span<const std::uint32_t> features,
                                                     std::span<const float> values) {
  found_.clear();
  for (const LabelTree& tree : forest_.trees) search(tree, features, values);
  for (const ScoredLabel& s : found_) place_of_label_[s.label] = 0;
  return found_;
}

std::span<const ScoredLabel> ForestSearch::best(std::span<const std::uint32_t> features,
                                                std::span<const float> values, std::size_t k) {
  labels(features, values);
  for (ScoredLabel& s : found_) s.score = std::min(s.score, kSure);
  const std::size_t n = std::min(k, found_.size());
  std::partial_sort(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(n), found_.end(),
                    [this](const ScoredLabel& a, const ScoredLabel& b) {
                      if (a.score != b.score || label_counts_[a.label] == label_counts_[b.label])
                        return ranks_before(a, b);
                      return label_counts_[a.label] > label_counts_[b.label];
                    });
  return {found_.data(), n};
}

ForestScorer::ForestScorer(const LabelForest& forest, std::span<const std::uint64_t> label_counts,
                           std::size_t top_k, std::size_t beam)
    : k_(std::min<std::size_t>(top_k, forest.num_labels)),
      searches_([&forest, label_counts, beam = beam != 0 ? beam : forest.beam] {
        return std::make_unique<ForestSearch>(forest, label_counts, beam);
      }) {}

ForestScorer::~ForestScorer() = default;

std::vector<ScoredLabel> ForestScorer::predict(const Dataset& data, std::size_t begin,
                                               std::size_t end) const {
  std::vector<ScoredLabel> out((end - begin) * k_, ScoredLabel{kNoLabel, 0});
  parallel_ranges(end - begin, [&](std::size_t first, std::size_t last, int) {
    searches_.with([&](ForestSearch& search) {
      for (std::size_t i = first; i < last; ++i) {
        const auto best = search.best(data.features_of(begin + i), data.values_of(begin + i), k_);
        std::copy(best.begin(), best.end(), out.begin() + static_cast<std::ptrdiff_t>(i * k_));
      }
    });
  });
  return out;
}

}  // namespace frugal::sparse
