#include "tools/sparse-train/steps/feature_step.h"

#include <algorithm>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/embedding_bag.h"
#include "libcore/threading/parallel.h"

namespace frugal::sparse {
namespace {

/// Ranges of features per thread: more than one, so that a thread with cheap rows takes another.
constexpr std::size_t kRangesPerThread = 4;
/// Rows that stay in a core's cache, and what another row costs compared with one of them.
constexpr std::size_t kCachedBytes = std::size_t{1} << 20;
constexpr std::uint64_t kColdCost = 3;
/// Units up to which rows are stepped for one example after the other: with 15 to 63 that takes
/// half of the time at the same accuracy; with 128 a tenth less, but P@1 of a set with 32,000
/// labels is a point lower.
constexpr std::size_t kNarrow = 64;
constexpr std::size_t kRowsAhead = 6;  ///< rows to prefetch

}  // namespace

/// The part of a batch that falls into a range, by feature instead of by example.
struct FeatureStep::Group {
  std::vector<std::uint32_t> rows;      ///< features, in the order they are first met
  std::vector<std::uint32_t> begin;     ///< [rows + 1]
  std::vector<std::uint32_t> examples;  ///< that have the feature: positions in the batch
  std::vector<float> values;
  std::vector<std::uint32_t> row_of;  ///< [entries] in the order of the examples
  std::vector<std::uint32_t> place;   ///< [features of the range] where in rows it stood last
};

FeatureStep::FeatureStep(RowTable& table, const Dataset& data, std::size_t batch_size,
                         const OptimizerOptions& optimizer)
    : table_(table),
      data_(data),
      optimizer_(optimizer),
      num_ranges_(num_threads() == 1 ? 1
                                     : kRangesPerThread * static_cast<std::size_t>(num_threads())),
      splits_(batch_size * (num_ranges_ + 1)) {
  share_out();
}

/// Cuts the features into ranges of about equal work, from a sample of the examples.
void FeatureStep::share_out() {
  const std::size_t cached = kCachedBytes / (table_.stride() * sizeof(float));
  std::vector<std::uint64_t> cost(data_.num_features, 0);
  const std::size_t every = std::max<std::size_t>(1, data_.size() / 2000);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < data_.size(); i += every) {
    for (const std::uint32_t f : data_.features_of(i)) {
      const std::uint64_t c = f < cached ? 1 : kColdCost;
      cost[f] += c;
      total += c;
    }
  }
  range_begin_.assign(1, 0);
  std::uint64_t sum = 0;
  for (std::uint32_t f = 0; f < data_.num_features && range_begin_.size() < num_ranges_; ++f) {
    sum += cost[f];
    if (sum * num_ranges_ >= total * range_begin_.size()) range_begin_.push_back(f + 1);
  }
  range_begin_.resize(num_ranges_ + 1, data_.num_features);
}

bool FeatureStep::steps_by_example(const OptimizerOptions& optimizer, std::size_t dim) {
  return steps_bags(optimizer) && dim <= kNarrow;
}

void FeatureStep::split(std::size_t k, std::uint32_t example) {
  const std::span<const std::uint32_t> features = data_.features_of(example);
  std::uint32_t* split = splits_.data() + k * (num_ranges_ + 1);
  auto position = features.begin();
  for (std::size_t r = 0; r <= num_ranges_; ++r) {
    position = std::lower_bound(position, features.end(), range_begin_[r]);
    split[r] = static_cast<std::uint32_t>(position - features.begin());
  }
}

void FeatureStep::group(std::size_t range, std::span<const std::uint32_t> examples,
                        Group& out) const {
  const std::uint32_t first = range_begin_[range];
  out.place.resize(std::max<std::size_t>(out.place.size(), range_begin_[range + 1] - first));
  out.rows.clear();
  out.row_of.clear();
  out.begin.clear();
  const auto for_each_part = [&](auto body) {
    for (std::size_t k = 0; k < examples.size(); ++k) {
      const std::uint32_t* split = splits_.data() + k * (num_ranges_ + 1) + range;
      if (split[0] != split[1]) body(k, examples[k], split[0], split[1]);
    }
  };
  for_each_part([&](std::size_t, std::uint32_t i, std::uint32_t from, std::uint32_t to) {
    for (const std::uint32_t f : data_.features_of(i).subspan(from, to - from)) {
      std::uint32_t& place = out.place[f - first];
      if (place >= out.rows.size() || out.rows[place] != f) {
        place = static_cast<std::uint32_t>(out.rows.size());
        out.rows.push_back(f);
        out.begin.push_back(0);
      }
      ++out.begin[place];
      out.row_of.push_back(place);
    }
  });
  std::uint32_t sum = 0;
  for (std::uint32_t& begin : out.begin) sum += std::exchange(begin, sum);
  out.examples.resize(sum);
  out.values.resize(sum);
  const std::uint32_t* row = out.row_of.data();
  for_each_part([&](std::size_t k, std::uint32_t i, std::uint32_t from, std::uint32_t to) {
    const std::span<const float> values = data_.values_of(i);
    for (std::uint32_t j = from; j < to; ++j) {
      const std::uint32_t at = out.begin[*row++]++;
      out.examples[at] = static_cast<std::uint32_t>(k);
      out.values[at] = values.empty() ? 1.0F : values[j];
    }
  });
  // Each begin has moved to the end of its row, which is the begin of the next.
  out.begin.insert(out.begin.begin(), 0);
}

void FeatureStep::run(std::size_t range, std::span<const std::uint32_t> examples,
                      MatrixView<const float> gradient, float rate) {
  if (!steps_by_example(optimizer_, table_.dim())) {
    return run_by_row(range, examples, gradient, rate);
  }
  for (std::size_t k = 0; k < examples.size(); ++k) {
    const std::uint32_t* split = splits_.data() + k * (num_ranges_ + 1) + range;
    if (split[0] == split[1]) continue;
    const Bag bag{data_.features_of(examples[k]), data_.values_of(examples[k])};
    embedding_bag_step(table_, bag.part(split[0], split[1]), gradient.row(k), rate, optimizer_);
  }
}

void FeatureStep::run_by_row(std::size_t range, std::span<const std::uint32_t> examples,
                             MatrixView<const float> gradient, float rate) {
  thread_local Group group_memory;
  thread_local Array<float> sum_memory;
  Group& entries = group_memory;
  group(range, examples, entries);
  const std::size_t dim = table_.dim();
  if (sum_memory.size() < dim) sum_memory = Array<float>(dim, uninitialized);
  float* sum = sum_memory.data();
  const Kernels& kernel = kernels();
  for (std::size_t r = 0; r < entries.rows.size(); ++r) {
    if (r + kRowsAhead < entries.rows.size()) {
      const float* coming = table_.row(entries.rows[r + kRowsAhead]);
      for (std::size_t i = 0; i < table_.stride(); i += 16) __builtin_prefetch(coming + i, 1);
    }
    std::fill_n(sum, dim, 0.0F);
    const std::uint32_t begin = entries.begin[r];
    kernel.gather_sum(gradient.data, gradient.stride, dim, entries.examples.data() + begin,
                      entries.values.data() + begin, entries.begin[r + 1] - begin, sum);
    step_row(table_, entries.rows[r], sum, rate, optimizer_);
  }
}

}  // namespace frugal::sparse
