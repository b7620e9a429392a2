#include "tools/tgn-train/history/co_occurrence.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/nn/state_tensors.h"

namespace frugal::tgn {
namespace {

/// Destinations whose distance is counted, and that each score reaches back to.
constexpr std::size_t kNext = 2, kRecent = 10, kLasting = 32;
constexpr float kFade = 0.8F, kLastingFade = 0.97F, kBack = 0.5F;
/// Candidates from which on a pass over whole rows is cheaper than looking each one up.
constexpr std::size_t kMany = 64;

void add_share(CoOccurrenceScore& sum, const CoOccurrenceScore& share, float weight) {
  sum.next += share.next * weight;
  sum.recent += share.recent * weight;
  sum.lasting += share.lasting * weight;
}

}  // namespace

std::uint64_t CoOccurrence::most_bytes(std::uint64_t sent, std::uint64_t received) {
  // An event adds entries for the kRecent events of its source before it, and those after it add
  // as many. Arrays that grow have room for up to twice their size.
  const std::uint64_t entries = std::min<std::uint64_t>(2 * kRecent * received, kMaxEntries);
  const std::uint64_t partners = std::min<std::uint64_t>(sent, kLasting);
  return sizeof(std::vector<Entry>) + sizeof(std::vector<NodeId>) + sizeof(std::uint32_t) +
         sizeof(CoOccurrenceScore) + 2 * (entries * sizeof(Entry) + partners * sizeof(NodeId));
}

void CoOccurrence::grow(std::size_t num_nodes) {
  rows_.resize(num_nodes);
  partners_.resize(num_nodes);
  counts_.resize(num_nodes);
  sums_.resize(num_nodes);
}

void CoOccurrence::drop_half(std::vector<Entry>& row) {
  const auto middle = row.begin() + static_cast<std::ptrdiff_t>(row.size() / 2);
  std::nth_element(row.begin(), middle, row.end(), [](const Entry& a, const Entry& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.node < b.node;
  });
  row.erase(middle, row.end());
  std::sort(row.begin(), row.end(), [](const Entry& a, const Entry& b) { return a.node < b.node; });
}

void CoOccurrence::strengthen(NodeId node, NodeId other, float weight) {
  std::vector<Entry>& row = rows_[node];
  const auto is_before = [](const Entry& entry, NodeId to) { return entry.node < to; };
  auto at = std::lower_bound(row.begin(), row.end(), other, is_before);
  if (at == row.end() || at->node != other) {
    if (row.size() == kMaxEntries) {
      drop_half(row);
      at = std::lower_bound(row.begin(), row.end(), other, is_before);
    }
    at = row.insert(at, {other, 0});
  }
  at->weight += weight;
}

void CoOccurrence::add(NodeId source, NodeId destination) {
  forget_sums();
  std::vector<NodeId>& partners = partners_[source];
  float weight = 1;
  for (std::size_t j = 0; j < std::min(partners.size(), kRecent); ++j, weight *= kFade) {
    const NodeId earlier = partners[partners.size() - 1 - j];
    strengthen(earlier, destination, weight);
    strengthen(destination, earlier, kBack * weight);
  }
  if (partners.size() == kLasting) partners.erase(partners.begin());
  partners.push_back(destination);
  ++counts_[destination];
}

template <class Visit>
void CoOccurrence::for_each_partner(NodeId source, const Visit& visit) const {
  const std::vector<NodeId>& partners = partners_[source];
  float fade = 1, lasting = 1;
  for (std::size_t j = 0; j < partners.size(); ++j) {
    const NodeId partner = partners[partners.size() - 1 - j];
    const float norm = 1 / std::sqrt(static_cast<float>(counts_[partner]) + 1);
    visit(rows_[partner], CoOccurrenceScore{j < kNext ? fade * norm : 0,
                                            j < kRecent ? fade * norm : 0, lasting * norm});
    fade *= kFade;
    lasting *= kLastingFade;
  }
}

void CoOccurrence::forget_sums() {
  for (const NodeId node : touched_) sums_[node] = {};
  touched_.clear();
  summed_.reset();
}

/// Sums the rows of the source's destinations, for all candidates at once. The sums stay until an
/// event comes or another source.
void CoOccurrence::scatter(NodeId source) {
  if (summed_ == source) return;
  forget_sums();
  summed_ = source;
  for_each_partner(source, [&](const std::vector<Entry>& row, const CoOccurrenceScore& share) {
    for (const Entry& entry : row) {
      if (sums_[entry.node].lasting == 0) touched_.push_back(entry.node);
      add_share(sums_[entry.node], share, entry.weight);
    }
  });
}

CoOccurrenceScore CoOccurrence::scaled(const CoOccurrenceScore& sum, NodeId candidate) const {
  const float norm = 1 / std::sqrt(static_cast<float>(counts_[candidate]) + 10);
  return {sum.next * norm, sum.recent * norm, sum.lasting * norm};
}

void CoOccurrence::score(NodeId source, std::span<const NodeId> candidates,
                         std::vector<CoOccurrenceScore>& scores) {
  scores.clear();
  if (candidates.size() >= kMany || summed_ == source) {
    scatter(source);
    for (const NodeId node : candidates) scores.push_back(scaled(sums_[node], node));
    return;
  }
  // Sums are computed in the same order as in scatter(), so they are equal to the bit.
  scores.resize(candidates.size());
  for_each_partner(source, [&](const std::vector<Entry>& row, const CoOccurrenceScore& share) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const auto at = std::lower_bound(row.begin(), row.end(), candidates[i],
                                       [](const Entry& e, NodeId to) { return e.node < to; });
      if (at != row.end() && at->node == candidates[i]) add_share(scores[i], share, at->weight);
    }
  });
  for (std::size_t i = 0; i < candidates.size(); ++i) scores[i] = scaled(scores[i], candidates[i]);
}

void CoOccurrence::near(NodeId source, std::vector<NodeId>& nodes,
                        std::vector<CoOccurrenceScore>& scores) {
  scatter(source);
  nodes = touched_;
  scores.clear();
  for (const NodeId node : nodes) scores.push_back(scaled(sums_[node], node));
}

void CoOccurrence::best(NodeId source, std::size_t count, std::vector<NodeId>& nodes,
                        const std::span<const NodeId>* among) {
  scatter(source);
  std::vector<std::pair<float, NodeId>> order;
  for (const NodeId node : touched_) {
    if (among != nullptr && !std::binary_search(among->begin(), among->end(), node)) continue;
    order.emplace_back(-scaled(sums_[node], node).lasting, node);
  }
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), end, order.end());
  nodes.clear();
  for (auto at = order.begin(); at != end; ++at) nodes.push_back(at->second);
}

namespace {

/// Adds rows of numbers as two tensors: where each row begins, and all rows.
template <class T>
void add_rows(Document& document, const std::string& name,
              const std::vector<std::vector<T>>& rows) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<T> all;
  for (const std::vector<T>& row : rows) {
    all.insert(all.end(), row.begin(), row.end());
    offsets.push_back(all.size());
  }
  document.tensors.push_back(
      Tensor::copy_of<std::uint64_t>(name + ".offsets", {offsets.size()}, offsets));
  document.tensors.push_back(Tensor::copy_of<T>(name, {all.size()}, all));
}

template <class T>
std::vector<std::vector<T>> rows_of(const Document& document, const std::string& path,
                                    const std::string& name, std::size_t num_rows) {
  const auto offsets = shaped_tensor(document, path, name + ".offsets", {num_rows + 1}, Dtype::u64)
                           .as<std::uint64_t>();
  const auto all =
      shaped_tensor(document, path, name, {offsets.back()}, dtype_of<T>()).template as<T>();
  if (offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end())) {
    fail(ExitStatus::bad_input, path, ": tensor '", name, ".offsets' does not ascend from 0");
  }
  std::vector<std::vector<T>> rows(num_rows);
  for (std::size_t i = 0; i < num_rows; ++i) {
    rows[i].assign(all.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
                   all.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]));
  }
  return rows;
}

}  // namespace

void CoOccurrence::save(Document& document, const std::string& prefix,
                        std::size_t num_nodes) const {
  std::vector<std::vector<NodeId>> nodes(num_nodes);
  std::vector<std::vector<float>> weights(num_nodes);
  for (std::size_t v = 0; v < num_nodes; ++v) {
    for (const Entry& entry : rows_[v]) {
      nodes[v].push_back(entry.node);
      weights[v].push_back(entry.weight);
    }
  }
  add_rows(document, prefix + "near", nodes);
  add_rows(document, prefix + "weights", weights);
  nodes.assign(partners_.begin(), partners_.begin() + static_cast<std::ptrdiff_t>(num_nodes));
  add_rows(document, prefix + "partners", nodes);
  document.tensors.push_back(
      Tensor::copy_of<std::uint32_t>(prefix + "counts", {num_nodes}, {counts_.data(), num_nodes}));
}

void CoOccurrence::load(const Document& document, const std::string& path,
                        const std::string& prefix, std::size_t num_nodes) {
  const auto nodes = rows_of<NodeId>(document, path, prefix + "near", num_nodes);
  const auto weights = rows_of<float>(document, path, prefix + "weights", num_nodes);
  auto partners = rows_of<NodeId>(document, path, prefix + "partners", num_nodes);
  const auto counts =
      shaped_tensor(document, path, prefix + "counts", {num_nodes}, Dtype::u32).as<std::uint32_t>();
  bool good = true;
  for (std::size_t v = 0; v < num_nodes; ++v) {
    good = good && nodes[v].size() == weights[v].size() && nodes[v].size() <= kMaxEntries &&
           partners[v].size() <= kLasting &&
           std::adjacent_find(nodes[v].begin(), nodes[v].end(), std::greater_equal<>()) ==
               nodes[v].end() &&
           (nodes[v].empty() || nodes[v].back() < num_nodes) &&
           std::all_of(partners[v].begin(), partners[v].end(),
                       [&](NodeId node) { return node < num_nodes; }) &&
           std::all_of(weights[v].begin(), weights[v].end(),
                       [](float weight) { return std::isfinite(weight) && weight > 0; });
  }
  if (!good) {
    fail(ExitStatus::bad_input, path, ": tensors ", prefix,
         "* are not counts of nodes that occur near each other");
  }
  for (std::size_t v = 0; v < num_nodes; ++v) {
    rows_[v].clear();
    for (std::size_t i = 0; i < nodes[v].size(); ++i) {
      rows_[v].push_back({nodes[v][i], weights[v][i]});
    }
    partners_[v] = std::move(partners[v]);
    counts_[v] = counts[v];
  }
}

}  // namespace frugal::tgn
