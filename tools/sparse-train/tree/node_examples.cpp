#include "tools/sparse-train/tree/node_examples.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace frugal::sparse {
namespace {

/// A feature may be this much more frequent than one before it: folds and samples of data whose
/// features are in order are about in order.
constexpr std::uint64_t kOutOfOrder = 2, kOutOfOrderExamples = 8;

}  // namespace

void NodeExamples::gather(const Dataset& data, std::span<const std::uint32_t> examples,
                          std::span<const std::uint32_t> known,
                          std::vector<std::uint32_t>& scratch) {
  lender_ = nullptr;
  begin_.assign(1, 0);
  ids_.clear();
  values_.clear();
  weights_.clear();
  features_.clear();
  const auto number = [&](std::uint32_t feature) {
    std::uint32_t& after = scratch[feature];
    if (after == 0) {
      features_.push_back(feature);
      after = static_cast<std::uint32_t>(features_.size());
    }
    return after - 1;
  };
  std::size_t size = 0;
  for (const std::uint32_t e : examples) size += data.features_of(e).size();
  ids_.reserve(size);
  values_.reserve(size);
  begin_.reserve(examples.size() + 1);
  for (const std::uint32_t e : examples) {
    const auto values = data.values_of(e);
    for (const std::uint32_t f : data.features_of(e)) ids_.push_back(number(f));
    values_.insert(values_.end(), values.begin(), values.end());
    values_.resize(ids_.size(), 1.0F);
    begin_.push_back(ids_.size());
    if (!data.weights.empty()) weights_.push_back(data.weights[e]);
  }
  number_by_count(scratch);
  known_.clear();
  for (const std::uint32_t f : known) known_.push_back(number(f));
  for (const std::uint32_t f : features_) scratch[f] = 0;
}

/// number_of: of each feature of the data, plus 1.
void NodeExamples::number_by_count(std::vector<std::uint32_t>& number_of) {
  std::vector<std::uint32_t> counts(features_.size());
  for (const std::uint32_t id : ids_) ++counts[id];
  std::vector<std::uint32_t> by_count(features_.size());
  std::iota(by_count.begin(), by_count.end(), 0U);
  std::stable_sort(by_count.begin(), by_count.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return counts[a] > counts[b]; });
  std::vector<std::uint32_t> features;
  features.reserve(by_count.size());
  for (const std::uint32_t id : by_count) {
    counts[id] = static_cast<std::uint32_t>(features.size());  // from here on: its new number
    features.push_back(features_[id]);
    number_of[features.back()] = static_cast<std::uint32_t>(features.size());
  }
  features_ = std::move(features);
  for (std::uint32_t& id : ids_) id = counts[id];
}

void NodeExamples::lend(const Dataset& data, std::span<const std::uint32_t> known) {
  lender_ = &data;
  features_.resize(data.num_features);
  std::iota(features_.begin(), features_.end(), 0U);
  known_.assign(known.begin(), known.end());
}

LocalExamples NodeExamples::examples(float bias) const {
  LocalExamples view;
  if (lender_ == nullptr) {
    view = {begin_, ids_, values_, weights_, bias, 0};
  } else {
    view = {{lender_->feature_begin.data(), lender_->feature_begin.size()},
            {lender_->features.data(), lender_->features.size()},
            {lender_->values.data(), lender_->values.size()},
            {lender_->weights.data(), lender_->weights.size()},
            bias,
            0};
  }
  view.num_features = static_cast<std::uint32_t>(features_.size());
  return view;
}

bool are_by_frequency(const Dataset& data) {
  std::vector<std::uint32_t> counts(data.num_features);
  for (const std::uint32_t f : data.features) ++counts[f];
  std::uint64_t fewest = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint32_t count : counts) {
    if (count > kOutOfOrder * fewest + kOutOfOrderExamples) return false;
    fewest = std::min<std::uint64_t>(fewest, count);
  }
  return true;
}

NodeSource::NodeSource(const Dataset& data, const TreeExamples& examples,
                       std::span<const std::uint32_t> jobs, const LabelTree* start)
    : data_(data), examples_(examples), start_(start) {
  lends_ = !data.values.empty() && are_by_frequency(data);
  for (std::uint32_t node = 0; node < jobs.size(); ++node) {
    if (jobs[node] > 1) shared_.try_emplace(node);
  }
}

void NodeSource::fill(std::uint32_t node, NodeExamples& examples,
                      std::vector<std::uint32_t>& scratch) const {
  std::span<const std::uint32_t> known;
  if (start_ != nullptr) {
    known = std::span(start_->features)
                .subspan(start_->row_begin[node],
                         start_->row_begin[node + 1] - start_->row_begin[node]);
  }
  if (lends_ && examples_.of(node).size() == data_.size()) return examples.lend(data_, known);
  scratch.resize(data_.num_features);
  examples.gather(data_, examples_.of(node), known, scratch);
}

const NodeExamples& NodeSource::Reader::examples_of(std::uint32_t node) {
  if (shared_ && shared_node_ == node) return *shared_;
  shared_.reset();  // first, so that only those that are in use lie in memory
  const auto found = source_.shared_.find(node);
  if (found == source_.shared_.end()) {
    source_.fill(node, own_, scratch_);
    return own_;
  }
  own_ = NodeExamples();
  shared_node_ = node;
  const std::lock_guard lock(found->second.mutex);
  shared_ = found->second.examples.lock();
  if (!shared_) {
    const auto made = std::make_shared<NodeExamples>();
    source_.fill(node, *made, scratch_);
    shared_ = made;
    found->second.examples = shared_;
  }
  return *shared_;
}

}  // namespace frugal::sparse
