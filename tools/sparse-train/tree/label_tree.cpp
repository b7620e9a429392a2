#include "tools/sparse-train/tree/label_tree.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/threading/parallel.h"
#include "tools/sparse-train/tree/row_order.h"

namespace frugal::sparse {

void TreeShape::check_outline(const std::string& where, std::uint32_t num_labels) const {
  if (slot_begin.size() < 2 || slot_begin[0] != 0) {
    fail(ExitStatus::bad_input, where, ": slots of the root are missing, expected them from 0 on");
  }
  for (std::uint32_t n = 0; n < num_nodes(); ++n) {
    const std::uint64_t begin = slot_begin[n];
    const std::uint64_t end = slot_begin[n + 1];
    if (begin >= end || (begin < first_label_slot() && end > first_label_slot())) {
      fail(ExitStatus::bad_input, where, ": node ", n, " has the slots ", begin, " to ", end,
           ", expected at least one, and only nodes or only labels");
    }
  }
  if (num_slots() - first_label_slot() != labels.size()) {
    fail(ExitStatus::bad_input, where, ": has ", num_slots(), " slots, expected ",
         first_label_slot() + labels.size());
  }
  const auto largest = std::max_element(labels.begin(), labels.end());
  if (largest != labels.end() && *largest >= num_labels) {
    fail(ExitStatus::bad_input, where, ": label ", *largest, " is out of range, expected one of ",
         num_labels);
  }
}

void TreeShape::check(const std::string& where, std::uint32_t num_labels) const {
  check_outline(where, num_labels);
  std::vector<std::uint32_t> sorted = labels;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    fail(ExitStatus::bad_input, where, ": label ", *twice, " stands twice, expected it once");
  }
}

namespace {

constexpr std::size_t kFeaturesAtATime = 128;

template <class T>
void check_offsets(const std::string& where, const char* name, const std::vector<T>& begin,
                   std::size_t num_nodes, std::size_t total) {
  const bool ascending = std::is_sorted(begin.begin(), begin.end());
  if (begin.size() != num_nodes + 1 || begin.front() != 0 || begin.back() != total || !ascending) {
    fail(ExitStatus::bad_input, where, ": ", name, " of ", begin.size(),
         " offsets does not ascend from 0 to ", total, " over ", num_nodes, " nodes");
  }
}

}  // namespace

void LabelTree::check(const std::string& where, std::uint32_t num_features,
                      std::uint32_t num_labels) const {
  if (lent) {
    shape.check_outline(where, num_labels);
  } else {
    shape.check(where, num_labels);
  }
  const std::size_t nodes = shape.num_nodes();
  if (bias.size() != shape.num_slots()) {
    fail(ExitStatus::bad_input, where, ": has ", bias.size(), " biases, expected ",
         shape.num_slots());
  }
  for (std::size_t s = 0; s < bias.size(); ++s) {
    if (!std::isfinite(bias[s]))
      fail(ExitStatus::bad_input, where, ": bias of slot ", s, " is ", bias[s],
           ", expected a number");
  }
  const std::size_t num_ends = lent ? lent->ends.size() : ends.size();
  const std::size_t num_rows = lent ? lent->features.size() : features.size();
  if (num_ends != num_rows) {
    fail(ExitStatus::bad_input, where, ": has ", num_ends, " ends of rows, expected ", num_rows);
  }
  check_offsets(where, "row_begin", row_begin, nodes, num_rows);
  check_offsets(where, "weight_begin", weight_begin, nodes,
                lent ? lent->weights.size() : weights.size());
  if (!lent) check_rows(where, num_features);
}

void LabelTree::check_rows(const std::string& where, std::uint32_t num_features) const {
  parallel_for(shape.num_nodes(), 64, [&](std::size_t n) {
    const auto place = [&] { return where + ": node " + std::to_string(n); };
    const std::uint64_t count = weight_begin[n + 1] - weight_begin[n];
    const int bits = directory_bits(row_begin[n + 1] - row_begin[n]);
    std::uint32_t end = 0;
    for (std::uint64_t r = row_begin[n]; r < row_begin[n + 1]; ++r) {
      if (features[r] >= num_features ||
          (r > row_begin[n] && !places_before(features[r - 1], features[r], bits))) {
        fail(ExitStatus::bad_input, place(), ": feature ", features[r],
             " is out of range or order, expected one of ", num_features, " by its hash");
      }
      if (ends[r] < end || ends[r] > count) {
        fail(ExitStatus::bad_input, place(), ": a row ends at ", ends[r], ", expected ", end,
             " to ", count);
      }
      end = ends[r];
    }
    if (end != count) {
      fail(ExitStatus::bad_input, place(), ": rows hold ", end, " weights, expected ", count);
    }
    const std::uint32_t children = shape.num_children(static_cast<std::uint32_t>(n));
    for (std::uint64_t w = weight_begin[n]; w < weight_begin[n + 1]; ++w) {
      if (weights[w].child >= children || !std::isfinite(weights[w].value())) {
        fail(ExitStatus::bad_input, place(), ": weight ", weights[w].value(), " of child ",
             weights[w].child, ", expected a number and one of ", children, " children");
      }
    }
  });
}

void LabelTree::build_directory() {
  const std::size_t nodes = shape.num_nodes();
  directory_begin.assign(1, 0);
  for (std::size_t n = 0; n < nodes; ++n) {
    const std::uint64_t buckets = std::uint64_t{1}
                                  << directory_bits(row_begin[n + 1] - row_begin[n]);
    directory_begin.push_back(directory_begin.back() + buckets + 1);
  }
  directory.assign(directory_begin.back(), 0);
  parallel_for(nodes, 64, [&](std::size_t n) {
    const int bits = directory_bits(row_begin[n + 1] - row_begin[n]);
    std::uint32_t* const ends_of_buckets = directory.data() + directory_begin[n] + 1;
    for (std::uint64_t r = row_begin[n]; r < row_begin[n + 1]; ++r)
      ends_of_buckets[bucket_of(features[r], bits)] =
          static_cast<std::uint32_t>(r - row_begin[n] + 1);
    const std::uint64_t buckets = std::uint64_t{1} << bits;
    for (std::uint64_t b = 1; b < buckets; ++b)
      ends_of_buckets[b] = std::max(ends_of_buckets[b], ends_of_buckets[b - 1]);
  });
}

/// In turns over some features at a time: each turn asks for the cache lines that the next one
/// reads, which lie anywhere in memory, instead of waiting for one after the other.
void LabelTree::score_children(std::uint32_t node,
                               std::span<const std::uint32_t> features_of_example,
                               std::span<const float> values, float* scores) const {
  std::copy(bias.begin() + shape.slot_begin[node], bias.begin() + shape.slot_begin[node + 1],
            scores);
  if (lent) {
    return lent->add_products({row_begin[node], row_begin[node + 1], weight_begin[node],
                               weight_begin[node + 1], shape.num_children(node)},
                              features_of_example, values, scores);
  }
  for (std::size_t j = 0; j < features_of_example.size(); j += kFeaturesAtATime) {
    const std::size_t n = std::min(kFeaturesAtATime, features_of_example.size() - j);
    add_products(node, features_of_example.subspan(j, n),
                 values.empty() ? values : values.subspan(j, n), scores);
  }
}

void LabelTree::add_products(std::uint32_t node, std::span<const std::uint32_t> some_features,
                             std::span<const float> values, float* scores) const {
  struct Place {
    std::uint32_t begin, end;  ///< rows of the feature's bucket, then weights
    std::uint32_t feature;     ///< which of these
  };
  Place places[kFeaturesAtATime];
  const std::uint32_t* const first_of_bucket = directory.data() + directory_begin[node];
  const std::uint32_t* const row_features = features.data() + row_begin[node];
  const std::uint32_t* const row_ends = ends.data() + row_begin[node];
  const ChildWeight* const base = weights.data() + weight_begin[node];
  const int bits = directory_bits(row_begin[node + 1] - row_begin[node]);
  const auto size = static_cast<std::uint32_t>(some_features.size());
  for (std::uint32_t j = 0; j < size; ++j) {
    places[j].begin = bucket_of(some_features[j], bits);
    __builtin_prefetch(first_of_bucket + places[j].begin);
  }
  std::size_t n = 0;
  for (std::uint32_t j = 0; j < size; ++j) {
    const std::uint32_t b = places[j].begin;
    places[n] = {first_of_bucket[b], first_of_bucket[b + 1], j};
    __builtin_prefetch(row_features + places[n].begin);
    __builtin_prefetch(row_ends + places[n].begin);
    n += places[n].begin != places[n].end;
  }
  std::size_t found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Place& at = places[i];
    std::uint32_t row = at.begin;
    while (row < at.end && row_features[row] != some_features[at.feature]) ++row;
    if (row == at.end) continue;
    places[found] = {row == 0 ? 0 : row_ends[row - 1], row_ends[row], at.feature};
    __builtin_prefetch(base + places[found++].begin);
  }
  for (const Place& at : std::span(places, found)) {
    const float value = values.empty() ? 1.0f : values[at.feature];
    for (std::uint32_t w = at.begin; w < at.end; ++w)
      scores[base[w].child] += value * base[w].value();
  }
}

std::uint64_t LabelTree::num_bytes() const {
  return bias.size() * sizeof(float) + features.size() * 8 + weights.size() * sizeof(ChildWeight) +
         directory.size() * 4 + shape.labels.size() * 4 +
         (row_begin.size() + weight_begin.size() + directory_begin.size()) * 8;
}

}  // namespace frugal::sparse
