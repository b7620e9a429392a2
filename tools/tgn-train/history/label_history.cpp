#include "tools/tgn-train/history/label_history.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/nn/state_tensors.h"
#include "libcore/system/limits.h"

namespace frugal::tgn {
namespace {

constexpr float kRecentShare = 0.2F;
/// Labels that expected() adds to those of a node, chosen on validation parts of bitcoin-otc,
/// MovieLens and Wikipedia.
constexpr float kPriorLabels = 2;
/// Limit of the sums of a file that keeps a network's numbers in the range of float.
constexpr float kMostTally = 1e30F;
constexpr char kTallies[] = "label_history.tallies", kWaitingNodes[] = "label_history.nodes",
               kWaitingLabels[] = "label_history.labels", kPresent[] = "label_history.time",
               kTimes[] = "label_history.times", kTotals[] = "label_history.totals";

}  // namespace

void LabelHistory::check_room(std::size_t num_nodes) const {
  const std::size_t bytes = row() * sizeof(float) + (ages_ ? sizeof(double) : 0);
  check_memory("a table of past labels, " + std::to_string(2 * row()) + " numbers for each of " +
                   std::to_string(num_nodes) + " nodes,",
               2 * num_nodes * bytes);
}

void LabelHistory::grow(std::size_t num_nodes) {
  if (num_nodes * 2 * row() > tallies_.capacity()) {
    // Nodes come one by one in a pipe; half as much again makes few copies of them.
    const std::size_t nodes = std::max(num_nodes, tallies_.size() / (2 * row()) * 3 / 2);
    check_room(nodes);
    tallies_.reserve(nodes * 2 * row());
    if (ages_) times_.reserve(nodes * 2);
  }
  tallies_.resize(num_nodes * 2 * row());
  if (ages_) times_.resize(num_nodes * 2, kNever);
}

void LabelHistory::go_to(double time) {
  if (time == time_[0]) return;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    count(nodes_[2 * i], nodes_[2 * i + 1], labels_[i]);
  }
  nodes_.clear();
  labels_.clear();
  time_[0] = time;
}

void LabelHistory::add(NodeId source, NodeId destination, float label) {
  if (std::isnan(label)) return;
  nodes_.insert(nodes_.end(), {source, destination});
  labels_.push_back(label);
}

void LabelHistory::count(NodeId source, NodeId destination, float label) {
  totals_[0] += 1;
  totals_[1 + place_of(label)] += value_of(label);
  float of_source = 0, of_destination = 0;
  if (type_ == LabelType::numbers) {
    of_source = label - mean() - offset(destination, as_destination);
    of_destination = label - mean() - offset(source, as_source);
  }
  count(source, as_source, label, of_source);
  count(destination, as_destination, label, of_destination);
  if (counts_pairs_) pairs_.count(source, destination, label, time_[0]);
}

void LabelHistory::count(NodeId node, Role role, float label, float residual) {
  float* const tally = tallies_.data() + (2 * node + role) * row();
  float* const sums = tally + 1;
  float* const last = sums + width_;
  float* const recent = last + width_;
  tally[0] += 1;
  if (ages_) times_[2 * node + role] = time_[0];
  const std::size_t at = place_of(label);
  const float value = value_of(label);
  sums[at] += value;
  std::fill_n(last, width_, 0.0F);
  last[at] = value;
  for (std::size_t i = 0; i < width_; ++i) recent[i] *= 1 - kRecentShare;
  recent[at] += kRecentShare * value;
  if (type_ == LabelType::numbers) tally[row() - 1] += residual;
}

LabelHistory::Tally LabelHistory::of(NodeId node, Role role) const {
  const float* const tally = tallies_.data() + (2 * node + role) * row();
  const auto part = [&](std::size_t i) { return std::span(tally + 1 + i * width_, width_); };
  return {tally[0], part(0), part(1), part(2)};
}

/// Mean residual of the node's labels, shrunk towards 0 by kPriorLabels.
float LabelHistory::offset(NodeId node, Role role) const {
  const float* const tally = tallies_.data() + (2 * node + role) * row();
  return tally[row() - 1] / (tally[0] + kPriorLabels);
}

void LabelHistory::expected(NodeId source, NodeId destination, float* out) const {
  if (type_ == LabelType::numbers) {
    *out = mean() + offset(source, as_source) + offset(destination, as_destination);
    return;
  }
  const Tally left = of(source, as_source), right = of(destination, as_destination);
  const std::size_t classes = type_ == LabelType::binary ? 2 : width_;
  const auto logarithm = [&](float left_sum, float right_sum, double total) {
    const double prior = (total + 1) / (totals_[0] + static_cast<double>(classes));
    const auto share = [&](float sum, float count) {
      return (sum + kPriorLabels * prior) / (count + kPriorLabels);
    };
    return std::log(share(left_sum, left.count) * share(right_sum, right.count) / prior);
  };
  for (std::size_t k = 0; k < width_; ++k) {
    out[k] = static_cast<float>(logarithm(left.sums[k], right.sums[k], totals_[1 + k]));
  }
  if (type_ != LabelType::binary) return;
  *out -= static_cast<float>(
      logarithm(left.count - left.sums[0], right.count - right.sums[0], totals_[0] - totals_[1]));
}

float* LabelHistory::write_last(std::span<const float> last, float count, double time,
                                float* out) const {
  out = std::copy(last.begin(), last.end(), out);
  *out++ = std::log1p(count);
  if (!ages_) return out;
  const double units = count == 0 ? 0 : std::max(0.0, ages_->scaled(time_[0] - time));
  const auto age = static_cast<float>(std::log1p(kStepsOfUnit * units) / std::log1p(kStepsOfUnit));
  *out++ = age;
  const float at = std::min(age, 1.0F) * static_cast<float>(kAgeKnots - 1);
  for (std::size_t knot = 0; knot < kAgeKnots; ++knot) {
    const float share = std::max(0.0F, 1 - std::abs(at - static_cast<float>(knot)));
    out = std::transform(last.begin(), last.end(), out,
                         [share](float label) { return share * label; });
  }
  return out;
}

void LabelHistory::read(NodeId source, NodeId destination, float* out) const {
  const auto write = [&](NodeId node, Role role) {
    const Tally tally = of(node, role);
    for (const float sum : tally.sums) *out++ = sum / (tally.count + 1);
    out = std::copy(tally.recent.begin(), tally.recent.end(), out);
    out = write_last(tally.last, tally.count, ages_ ? times_[2 * node + role] : 0, out);
  };
  write(source, as_source);
  write(destination, as_destination);
  write(source, as_destination);
  write(destination, as_source);
  const auto write_pair = [&](NodeId from, NodeId to) {
    const PairLabels::Tally pair = pairs_.of(from, to);
    if (pair.count == 0) {
      out = std::fill_n(out, last_inputs(width_, ages_.has_value()), 0.0F);
      return;
    }
    std::vector<float> last(width_);
    last[place_of(pair.last)] = value_of(pair.last);
    out = write_last(last, pair.count, pair.time, out);
  };
  write_pair(source, destination);
  write_pair(destination, source);
  if (type_ != LabelType::classes) expected(source, destination, out);
}

void LabelHistory::save(Document& document, std::size_t num_nodes) {
  grow(num_nodes);
  const auto lend = [&]<class T>(const char* name, std::span<const T> values, const Shape& shape) {
    document.tensors.push_back(Tensor::lend<T>(name, shape, values));
  };
  lend(kTallies, std::span<const float>(tallies_), {num_nodes, 2 * row()});
  if (ages_) lend(kTimes, std::span<const double>(times_), {num_nodes, 2});
  lend(kWaitingNodes, std::span<const NodeId>(nodes_), {nodes_.size()});
  lend(kWaitingLabels, std::span<const float>(labels_), {labels_.size()});
  lend(kPresent, std::span<const double>(time_), {1});
  lend(kTotals, std::span<const double>(totals_), {1 + width_});
  pairs_.save(document);
}

bool LabelHistory::is_label(float number) const {
  if (type_ == LabelType::numbers) return std::abs(number) <= kMostDeviations;
  if (type_ == LabelType::binary) return number == 0 || number == 1;
  return number >= 0 && number < static_cast<float>(width_) && number == std::floor(number);
}

/// Sums, last labels and recent means of a node, the first being its number of labels. Those of
/// classes and of labels 0 and 1 lie between 0 and that number, or 1.
bool LabelHistory::is_possible(std::span<const float> tally) const {
  if (!(tally[0] >= 0) || !std::isfinite(tally[0])) return false;
  for (std::size_t i = 1; i < tally.size(); ++i) {
    const float most = i <= width_ ? tally[0] : 1;
    const bool good = type_ == LabelType::numbers ? std::abs(tally[i]) <= kMostTally
                                                  : tally[i] >= 0 && tally[i] <= most;
    if (!good) return false;
  }
  return true;
}

/// A node without labels in a role has no time of a last one; others have one before `time`.
bool LabelHistory::are_possible(std::span<const float> tallies, std::span<const double> times,
                                double time) const {
  for (std::size_t i = 0; i < tallies.size(); i += row()) {
    const bool none = tallies[i] == 0;
    if (!is_possible(tallies.subspan(i, row())) || (!none && time == kNever)) return false;
    if (!ages_) continue;
    const double last = times[i / row()];
    if (none ? last != kNever : !(last >= 0 && last < time)) return false;
  }
  return true;
}

/// Classes add up to the number of labels.
bool LabelHistory::are_possible(std::span<const double> totals) const {
  if (!std::all_of(totals.begin(), totals.end(), [](double x) { return std::isfinite(x); })) {
    return false;
  }
  if (type_ == LabelType::numbers) {
    return totals[0] >= 0 && std::abs(totals[1]) <= kMostTally * totals[0];
  }
  const double sum = std::accumulate(totals.begin() + 1, totals.end(), 0.0);
  const double least = *std::min_element(totals.begin(), totals.end());
  return least >= 0 && (type_ == LabelType::binary ? sum <= totals[0] : sum == totals[0]);
}

void LabelHistory::load(const Document& document, const std::string& path, std::size_t num_nodes,
                        double last_time) {
  const std::uint64_t nodes = num_nodes, numbers = 2 * row();
  if (document.find(kTallies) == nullptr) {
    fail(ExitStatus::bad_input, path,
         ": has no past labels, expected a state that predict saved with the same --task");
  }
  const auto tallies =
      shaped_tensor(document, path, kTallies, {nodes, numbers}, Dtype::f32).as<float>();
  std::span<const double> times;
  if (ages_) times = shaped_tensor(document, path, kTimes, {nodes, 2}, Dtype::f64).as<double>();
  const Tensor* const waiting = document.find(kWaitingLabels);
  const std::uint64_t count = waiting == nullptr || waiting->shape.empty() ? 0 : waiting->shape[0];
  const auto labels =
      shaped_tensor(document, path, kWaitingLabels, {count}, Dtype::f32).as<float>();
  const auto ends =
      shaped_tensor(document, path, kWaitingNodes, {2 * count}, dtype_of<NodeId>()).as<NodeId>();
  const double time = shaped_tensor(document, path, kPresent, {1}, Dtype::f64).as<double>()[0];
  const auto totals = shaped_tensor(document, path, kTotals, {1 + width_}, Dtype::f64).as<double>();
  PairLabels pairs;
  pairs.load(document, path);
  if (time != kNever && !(time >= 0 && time <= last_time)) {
    fail(ExitStatus::bad_input, path, ": tensor '", kPresent, "' is ", time, ", expected 0 to ",
         last_time, ", the time of the stream's last event");
  }
  const auto is_known = [this](float label) { return is_label(label); };
  const bool good =
      (time != kNever || labels.empty()) && are_possible(tallies, times, time) &&
      are_possible(totals) && pairs.are_possible(num_nodes, time, is_known) &&
      std::all_of(labels.begin(), labels.end(), is_known) &&
      std::all_of(ends.begin(), ends.end(), [&](NodeId node) { return node < num_nodes; });
  if (!good) {
    fail(ExitStatus::bad_input, path,
         ": tensors 'label_history.*' have an impossible number, expected tallies of labels");
  }
  tallies_.assign(tallies.begin(), tallies.end());
  times_.assign(times.begin(), times.end());
  nodes_.assign(ends.begin(), ends.end());
  labels_.assign(labels.begin(), labels.end());
  totals_.assign(totals.begin(), totals.end());
  pairs_ = std::move(pairs);
  time_[0] = time;
}

}  // namespace frugal::tgn
