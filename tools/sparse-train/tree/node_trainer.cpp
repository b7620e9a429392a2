#include "tools/sparse-train/tree/node_trainer.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/hash.h"
#include "tools/sparse-train/tree/row_order.h"

namespace frugal::sparse {
namespace {

/// A bias says how frequent a label is, of which few examples beside many know little: the smaller
/// their bias feature is, the less they move it.
float bias_value(const NodeTrainerOptions& options, bool goes_on) {
  return static_cast<float>(goes_on ? options.bias * options.new_share : options.bias);
}

SolverOptions with_cost(SolverOptions solver, double share) {
  solver.cost *= share;
  return solver;
}

}  // namespace

NodeTrainer::NodeTrainer(const TreeExamples& examples, NodeSource& source,
                         const NodeTrainerOptions& options, const std::optional<TreeStart>& start)
    : examples_(examples),
      source_(source),
      options_(options),
      start_(start),
      bias_value_(bias_value(options, start.has_value())) {}

/// The start of `count` children, as the solver has its weights.
void NodeTrainer::gather_start(std::uint32_t node, std::uint32_t first_child, std::size_t count) {
  const LabelTree& tree = start_->tree;
  const std::size_t width = dual_width(count);
  start_weights_.assign((node_->features().size() + 1) * width, 0.0F);
  const float* const bias = tree.bias.data() + tree.shape.slot_begin[node] + first_child;
  for (std::size_t l = 0; l < count && bias_value_ > 0; ++l)
    start_weights_[l] = bias[l] / bias_value_;
  const std::uint64_t first_row = tree.row_begin[node];
  const ChildWeight* const base = tree.weights.data() + tree.weight_begin[node];
  std::uint32_t w = 0;
  for (std::size_t r = 0; r < node_->known().size(); ++r) {
    const std::size_t row = std::size_t{node_->known()[r]} + 1;
    for (; w < tree.ends[first_row + r]; ++w) {
      const std::size_t lane = std::size_t{base[w].child} - first_child;  // wraps below the first
      if (lane < count) start_weights_[row * width + lane] = base[w].value();
    }
  }
}

void NodeTrainer::find_positives(std::uint32_t node, std::uint32_t child_begin,
                                 std::uint32_t child_end) {
  positives_.clear();
  const auto examples = examples_.of(node);
  for (std::uint32_t i = 0; i < examples.size(); ++i) {
    examples_.for_each_child(node, examples[i], [&](std::uint32_t child) {
      if (child >= child_begin && child < child_end) positives_.push_back({child, i});
    });
  }
  std::sort(positives_.begin(), positives_.end(), [](const Positive& a, const Positive& b) {
    return a.child != b.child ? a.child < b.child : a.example < b.example;
  });
}

void NodeTrainer::keep_weights(const float* weights, std::uint32_t first_child, std::size_t count,
                               NodePart& part) const {
  const auto prune = static_cast<float>(options_.prune);
  for (std::size_t l = 0; l < count; ++l) part.bias.push_back(weights[l] * bias_value_);
  const std::size_t width = dual_width(count);
  for (std::uint32_t f = 0; f < node_->features().size(); ++f) {
    const float* w = weights + (std::size_t{f} + 1) * width;
    for (std::size_t l = 0; l < count; ++l) {
      if (w[l] == 0 || std::abs(w[l]) < prune) continue;
      part.weights.push_back({f, {static_cast<std::uint16_t>(first_child + l), to_bfloat16(w[l])}});
    }
  }
}

NodeTrainer::Solvers NodeTrainer::make_solvers(const LocalExamples& local, std::uint32_t node,
                                               std::uint32_t child_begin,
                                               std::uint32_t child_end) const {
  const std::uint64_t seed = hash_combine(options_.seed, node);
  if (!start_) return {DualSolver(local, options_.solver, seed), std::nullopt};
  Solvers solvers{DualSolver(local, with_cost(options_.solver, options_.known_cost), seed), {}};
  for (std::uint32_t c = child_begin; c < child_end && !solvers.fresh; ++c) {
    if (is_fresh(node, c))
      solvers.fresh.emplace(local, with_cost(options_.solver, options_.fresh_cost), seed);
  }
  return solvers;
}

/// Children that lead to new labels learn from the new examples alone, as from no others; what the
/// earlier ones taught the rest outweighs them.
const float* NodeTrainer::solve(Solvers& solvers, const std::vector<std::uint16_t>& positives,
                                std::uint32_t node, std::uint32_t first, std::size_t count) {
  if (!start_) return solvers.known.solve(positives, count);
  gather_start(node, first, count);
  const float* const known = solvers.known.solve(positives, count, start_weights_.data());
  if (!solvers.fresh) return known;
  const float* const fresh = solvers.fresh->solve(positives, count, start_weights_.data());
  for (std::size_t l = 0; l < count; ++l) {
    const float* const from = is_fresh(node, first + static_cast<std::uint32_t>(l)) ? fresh : known;
    for (std::size_t r = l; r < start_weights_.size(); r += dual_width(count))
      start_weights_[r] = from[r];
  }
  return start_weights_.data();
}

NodePart NodeTrainer::train(std::uint32_t node, std::uint32_t child_begin,
                            std::uint32_t child_end) {
  node_ = &source_.examples_of(node);
  const LocalExamples local = node_->examples(bias_value_);
  find_positives(node, child_begin, child_end);
  NodePart part;
  part.weights.swap(recycled_);
  part.weights.clear();
  Solvers solvers = make_solvers(local, node, child_begin, child_end);
  std::vector<std::uint16_t> bits(local.size());
  auto positive = positives_.begin();
  for (std::uint32_t first = child_begin; first < child_end; first += kDualLanes) {
    const std::size_t count = std::min<std::size_t>(kDualLanes, child_end - first);
    const auto from = positive;
    for (; positive != positives_.end() && positive->child < first + count; ++positive) {
      bits[positive->example] =
          static_cast<std::uint16_t>(bits[positive->example] | 1U << (positive->child - first));
    }
    keep_weights(solve(solvers, bits, node, first, count), first, count, part);
    for (auto p = from; p != positive; ++p) bits[p->example] = 0;
  }
  part.feature_of_row = node_->features();
  return part;
}

void NodeTrainer::recycle(NodePart& part) {
  recycled_.swap(part.weights);
  part.weights = {};
  part.feature_of_row = {};
}

NodeWeights join_parts(std::span<const NodePart> parts) {
  const std::vector<std::uint32_t>& feature_of_row = parts[0].feature_of_row;
  std::vector<std::uint32_t> counts(feature_of_row.size());
  for (const NodePart& part : parts) {
    for (const NodePart::Weight& w : part.weights) ++counts[w.row];
  }
  std::vector<std::uint32_t> rows;
  for (std::uint32_t r = 0; r < counts.size(); ++r) {
    if (counts[r] != 0) rows.push_back(r);
  }
  const int bits = directory_bits(rows.size());
  std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return places_before(feature_of_row[a], feature_of_row[b], bits);
  });
  NodeWeights result;
  result.features.reserve(rows.size());
  result.ends.reserve(rows.size());
  std::uint32_t end = 0;
  for (const std::uint32_t r : rows) {
    const std::uint32_t begin = end;
    end += counts[r];
    counts[r] = begin;  // from here on: where the row's next weight goes
    result.features.push_back(feature_of_row[r]);
    result.ends.push_back(end);
  }
  result.weights.resize(end);
  for (const NodePart& part : parts) {
    for (const NodePart::Weight& w : part.weights) result.weights[counts[w.row]++] = w.weight;
  }
  return result;
}

}  // namespace frugal::sparse
