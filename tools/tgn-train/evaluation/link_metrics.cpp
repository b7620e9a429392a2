#include "tools/tgn-train/evaluation/link_metrics.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "libcore/metrics/ranking.h"

namespace frugal::tgn {
namespace {

constexpr unsigned kHits[] = {1, 3, 10};
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void LinkMetrics::add(float link, float negative) {
  constexpr float kMost = std::numeric_limits<float>::infinity();
  scores_.insert(scores_.end(),
                 {std::isnan(link) ? -kMost : link, std::isnan(negative) ? kMost : negative});
  is_link_.insert(is_link_.end(), {1, 0});
}

void LinkMetrics::add_rank(std::uint64_t above, std::uint64_t equal) {
  const double rank = 1 + static_cast<double>(above) + 0.5 * static_cast<double>(equal);
  ++ranked_;
  reciprocals_ += 1 / rank;
  for (std::size_t i = 0; i < std::size(kHits); ++i) hits_[i] += rank <= kHits[i] ? 1 : 0;
}

void LinkMetrics::remove_ranks() {
  ranked_ = 0;
  reciprocals_ = 0;
  std::fill(std::begin(hits_), std::end(hits_), 0);
}

double LinkMetrics::average_precision() const {
  return frugal::average_precision(scores_, is_link_);
}

double LinkMetrics::auc() const { return frugal::auc(scores_, is_link_); }

template <class Metric>
double LinkMetrics::mean_over_batches(Metric metric) const {
  double sum = 0;
  std::size_t batches = 0;
  const std::span<const float> scores = scores_;
  const std::span<const std::uint8_t> is_link = is_link_;
  for (std::size_t begin = 0; begin < scores.size(); begin += 2 * batch_, ++batches) {
    const std::size_t size = std::min(2 * batch_, scores.size() - begin);
    sum += metric(scores.subspan(begin, size), is_link.subspan(begin, size));
  }
  return batches == 0 ? kNone : sum / static_cast<double>(batches);
}

double LinkMetrics::ap_batch() const { return mean_over_batches(frugal::average_precision); }

double LinkMetrics::auc_batch() const { return mean_over_batches(frugal::auc); }

double LinkMetrics::mrr() const {
  return ranked_ == 0 ? kNone : reciprocals_ / static_cast<double>(ranked_);
}

double LinkMetrics::hits_at(unsigned k) const {
  const auto* at = std::find(std::begin(kHits), std::end(kHits), k);
  assert(at != std::end(kHits));
  return ranked_ == 0
             ? kNone
             : static_cast<double>(hits_[at - std::begin(kHits)]) / static_cast<double>(ranked_);
}

NamedValues LinkMetrics::values() const {
  NamedValues values;
  if (links() > 0) {
    const std::string batch = std::to_string(batch_);
    values = {{"average_precision", average_precision()},
              {"auc", auc()},
              {"average_precision_batch" + batch, ap_batch()},
              {"auc_batch" + batch, auc_batch()}};
  }
  if (ranked_ > 0) {
    values.emplace_back("mrr", mrr());
    for (const unsigned k : kHits) values.emplace_back("hits_at_" + std::to_string(k), hits_at(k));
  }
  return values;
}

}  // namespace frugal::tgn
