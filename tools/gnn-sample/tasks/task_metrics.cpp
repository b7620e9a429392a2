#include "tools/gnn-sample/tasks/task_metrics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>

#include "libcore/base/text.h"

namespace frugal::gnn {
namespace {

constexpr std::array<std::size_t, LinkMetrics::kMaxHits> kHits = {10, 20, 50, 100};

/// A score that can be compared: NaN counts as the worst possible one.
float comparable(float score, bool is_link) {
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  if (!std::isnan(score)) return score;
  return is_link ? kLowest : -kLowest;
}

}  // namespace

void LinkMetrics::add_pair(float score, bool is_link) {
  binary_.add({&score, 1}, std::array{is_link ? 1.0F : 0.0F});
  scores_.emplace_back(score, is_link);
}

void LinkMetrics::add_rank(double rank, std::size_t negatives) {
  fewest_negatives_ = std::min(fewest_negatives_, negatives);
  ++ranks_;
  reciprocals_ += 1 / rank;
  for (std::size_t i = 0; i < kMaxHits; ++i) {
    hits_[i] += rank <= static_cast<double>(kHits[i]) ? 1 : 0;
  }
}

void LinkMetrics::add(float score, std::span<const float> negatives) {
  assert(!negatives.empty());
  score = comparable(score, true);
  add_pair(score, true);
  add_pair(comparable(negatives[0], false), false);
  double rank = 1;
  for (const float negative : negatives) {
    const float other = comparable(negative, false);
    rank += other > score ? 1 : other == score ? 0.5 : 0;
  }
  add_rank(rank, negatives.size());
}

void LinkMetrics::add_all(std::span<const float> links, std::span<const float> negatives) {
  assert(!negatives.empty());
  std::vector<float> sorted;
  for (const float negative : negatives) sorted.push_back(comparable(negative, false));
  for (const float negative : sorted) add_pair(negative, false);
  std::sort(sorted.begin(), sorted.end());
  for (const float link : links) {
    const float score = comparable(link, true);
    add_pair(score, true);
    const auto equal = std::equal_range(sorted.begin(), sorted.end(), score);
    add_rank(1 + static_cast<double>(sorted.end() - equal.second) +
                 0.5 * static_cast<double>(equal.second - equal.first),
             sorted.size());
  }
}

double LinkMetrics::average_precision() const {
  std::vector<std::pair<float, bool>> sorted = scores_;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  std::uint64_t links = 0;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    std::uint64_t equal = 0;
    for (; end < sorted.size() && sorted[end].first == sorted[begin].first; ++end) {
      equal += sorted[end].second ? 1 : 0;
    }
    links += equal;
    sum += static_cast<double>(equal) * static_cast<double>(links) / static_cast<double>(end);
  }
  return sum / static_cast<double>(ranks_);
}

NamedValues LinkMetrics::values() const {
  NamedValues values = {{"mrr", mrr()}};
  for (std::size_t i = 0; i < num_hits_ && kHits[i] <= fewest_negatives_; ++i) {
    values.emplace_back("hits_at_" + std::to_string(kHits[i]),
                        static_cast<double>(hits_[i]) / static_cast<double>(ranks_));
  }
  values.insert(values.end(),
                {{"auc", auc()}, {"average_precision", average_precision()}, {"log_loss", loss()}});
  return values;
}

std::optional<std::uint32_t> commonest_class(const NodeSet& set, std::span<const NodeId> nodes) {
  std::vector<std::uint64_t> counts(set.labels.empty() ? 0 : set.num_classes);
  if (counts.empty()) return std::nullopt;
  for (const NodeId node : nodes) {
    if (set.labels[node] >= 0) ++counts[static_cast<std::size_t>(set.labels[node])];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  if (*most == 0) return std::nullopt;
  return static_cast<std::uint32_t>(most - counts.begin());
}

NodeMetrics::NodeMetrics(const NodeSet& set, const ValueScale& scale,
                         std::optional<std::uint32_t> commonest)
    : set_(set),
      values_(scale),
      of_values_(!set.values.empty()),
      several_(!set.label_matrix.empty()),
      commonest_(commonest),
      confusion_(several_ ? 0 : set.num_classes) {
  if (!several_ && set.num_classes == 2) binary_.emplace();
}

void NodeMetrics::add(NodeId node, std::span<const float> outputs) {
  if (!set_.is_labelled(node)) return;
  if (of_values_) {
    values_.add(outputs[0], set_.values[node]);
    ++nodes_;
  } else if (several_) {
    add_labels(node, outputs);
  } else if (set_.labels[node] >= 0) {
    add_class(node, outputs);
  }
}

void NodeMetrics::add_class(NodeId node, std::span<const float> outputs) {
  const auto actual = static_cast<std::uint32_t>(set_.labels[node]);
  const auto best = std::max_element(outputs.begin(), outputs.end());
  confusion_.add(actual, static_cast<std::uint32_t>(best - outputs.begin()));
  double sum = 0;
  for (const float x : outputs) sum += std::exp(static_cast<double>(x) - *best);
  loss_ += std::log(sum) + *best - outputs[actual];
  if (binary_) {
    const float logit = outputs[1] - outputs[0], label = static_cast<float>(actual);
    binary_->add({&logit, 1}, {&label, 1});
  }
  ++nodes_;
}

void NodeMetrics::add_labels(NodeId node, std::span<const float> outputs) {
  const std::uint8_t* labels = set_.label_matrix.data() + node * outputs.size();
  double loss = 0;
  for (std::size_t c = 0; c < outputs.size(); ++c) {
    const double x = outputs[c];
    const bool has = labels[c] != 0, says = x > 0;
    loss += std::log1p(std::exp(-std::abs(x))) + std::max(x, 0.0) - (has ? x : 0);
    hits_ += has && says ? 1 : 0;
    misses_ += has != says ? 1 : 0;
  }
  loss_ += loss / static_cast<double>(outputs.size());
  ++nodes_;
}

std::string NodeMetrics::baseline() const {
  if (several_) return "";
  return of_values_ ? "rmse " + format_number(values_.baseline_rmse(), 4)
                    : "accuracy " + format_number(commonest_share(), 4);
}

bool NodeMetrics::beats_baseline() const {
  if (nodes_ == 0 || several_) return true;
  if (of_values_) return values_.rmse() == 0 || values_.rmse() < values_.baseline_rmse();
  return accuracy() == 1 || accuracy() > commonest_share();
}

double NodeMetrics::accuracy() const {
  if (!several_) return nodes_ == 0 ? 0 : confusion_.accuracy();
  const double twice = 2 * static_cast<double>(hits_);
  return hits_ == 0 ? 0 : twice / (twice + static_cast<double>(misses_));
}

double NodeMetrics::macro_f1() const { return confusion_.macro_f1(); }

std::uint64_t NodeMetrics::nodes_of_class(std::size_t actual) const {
  std::uint64_t nodes = 0;
  for (std::size_t said = 0; said < set_.num_classes; ++said) {
    nodes += confusion_.count(actual, said);
  }
  return nodes;
}

double NodeMetrics::commonest_share() const {
  std::uint64_t most = 0;
  if (commonest_) {
    most = nodes_of_class(*commonest_);
  } else {
    for (std::size_t c = 0; c < set_.num_classes; ++c) most = std::max(most, nodes_of_class(c));
  }
  return static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(1, nodes_));
}

std::optional<double> NodeMetrics::auc() const {
  if (!binary_ || !binary_->has_both_classes()) return std::nullopt;
  return binary_->auc();
}

NamedValues NodeMetrics::values() const {
  NamedValues values;
  if (of_values_) return values_.named();
  if (several_) {
    values = {{"micro_f1", accuracy()}};
  } else {
    values = {{"accuracy", accuracy()}, {"macro_f1", macro_f1()}};
  }
  values.emplace_back("log_loss", loss());
  if (const auto area = auc()) values.emplace_back("auc", *area);
  return values;
}

}  // namespace frugal::gnn
