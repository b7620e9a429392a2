#include "libcore/graph/bucket_rows.h"

#include <algorithm>
#include <array>
#include <vector>

namespace frugal {
namespace {

NodeId local_target(std::uint64_t key) { return static_cast<NodeId>(key >> 32); }
NodeId source_of(std::uint64_t key) { return static_cast<NodeId>(key); }

/// begins[v]: where row v begins; one more than there are rows.
std::vector<std::uint32_t> row_begins(const EdgeBucket& bucket, std::size_t num_rows) {
  std::vector<std::uint32_t> begins(num_rows + 1);
  for (const std::uint64_t key : bucket.keys) ++begins[local_target(key) + 1];
  for (std::size_t v = 0; v < num_rows; ++v) begins[v + 1] += begins[v];
  return begins;
}

/// Orders keys by their sources, below 2^source_bits, stably: counting sorts of 11 bits each. On
/// rows of a skewed graph this takes a quarter of the time of comparing.
void sort_by_source(Array<std::uint64_t>& keys, int source_bits, RowWorkspace& work) {
  constexpr int kDigit = 11;
  constexpr std::uint64_t kMask = (1U << kDigit) - 1;
  if (work.scratch.size() < keys.size()) {
    work.scratch = {};
    work.scratch = Array<std::uint64_t>(keys.size() + keys.size() / 4, uninitialized);
  }
  std::uint64_t *from = keys.data(), *to = work.scratch.data();
  const std::size_t n = keys.size();
  for (int shift = 0; shift < source_bits; shift += kDigit) {
    std::array<std::uint32_t, kMask + 2> places{};
    for (std::size_t i = 0; i < n; ++i) ++places[(from[i] >> shift & kMask) + 1];
    for (std::size_t d = 1; d < places.size(); ++d) places[d] += places[d - 1];
    for (std::size_t i = 0; i < n; ++i) to[places[from[i] >> shift & kMask]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys.data()) std::copy_n(from, n, to);
}

/// Edges of nothing but a source.
BucketRows plain_rows(EdgeBucket&& bucket, bool dedupe, std::span<EdgeId> degrees,
                      RowWorkspace& work) {
  // From here on passes over all keys take less time than sorting row by row.
  constexpr std::size_t kSortKeys = 16384;
  BucketRows rows;
  const bool sort_keys = bucket.size() >= kSortKeys;
  if (sort_keys) sort_by_source(bucket.keys, work.source_bits, work);
  rows.neighbors = Array<NodeId>(bucket.size(), uninitialized);
  NodeId* const all = rows.neighbors.data();
  std::vector<std::uint32_t> ends = row_begins(bucket, degrees.size());
  for (const std::uint64_t key : bucket.keys) all[ends[local_target(key)]++] = source_of(key);
  bucket = {};
  NodeId* to = all;
  std::uint32_t begin = 0;
  for (std::size_t v = 0; v < degrees.size(); ++v) {
    NodeId* const first = all + begin;
    NodeId* const last = all + ends[v];
    begin = ends[v];
    if (!sort_keys) std::sort(first, last);
    NodeId* const row = to;
    for (const NodeId* p = first; p != last; ++p) {
      const bool again = p != first && *p == p[-1];
      rows.duplicates += again;
      if (!again || !dedupe) *to++ = *p;
    }
    degrees[v] = static_cast<EdgeId>(to - row);
  }
  rows.size = static_cast<std::size_t>(to - all);
  return rows;
}

/// Edges with weights, times or numbers: what is sorted are (source, place in the bucket).
class PayloadRows {
 public:
  PayloadRows(EdgeBucket&& bucket, const BuildOptions& options)
      : bucket_(std::move(bucket)), options_(options) {
    rows_.neighbors = Array<NodeId>(bucket_.size(), uninitialized);
    if (!bucket_.weights.empty()) rows_.weights = Array<float>(bucket_.size(), uninitialized);
    if (!bucket_.times.empty()) rows_.times = Array<double>(bucket_.size(), uninitialized);
    if (!bucket_.ids.empty()) rows_.ids = Array<EdgeId>(bucket_.size(), uninitialized);
  }

  BucketRows run(std::span<EdgeId> degrees) {
    std::vector<std::uint32_t> ends = row_begins(bucket_, degrees.size());
    Array<std::uint64_t> entries(bucket_.size(), uninitialized);
    for (std::uint32_t i = 0; i < bucket_.size(); ++i) {
      const std::uint64_t key = bucket_.keys[i];
      entries[ends[local_target(key)]++] = key << 32 | i;
    }
    bucket_.keys = {};
    std::uint32_t begin = 0;
    for (std::size_t v = 0; v < degrees.size(); ++v) {
      const std::size_t before = rows_.size;
      emit({entries.data() + begin, ends[v] - begin});
      begin = ends[v];
      degrees[v] = rows_.size - before;
    }
    return std::move(rows_);
  }

 private:
  static NodeId source(std::uint64_t entry) { return static_cast<NodeId>(entry >> 32); }
  static std::uint32_t place(std::uint64_t entry) { return static_cast<std::uint32_t>(entry); }
  bool timed() const { return !bucket_.times.empty(); }
  double time(std::uint64_t entry) const { return bucket_.times[place(entry)]; }

  void emit(std::span<std::uint64_t> row) {
    if (!timed() || options_.dedupe) {
      sort_by_source(row);
      row = row.first(merge(row));
    }
    if (timed()) {
      std::sort(row.begin(), row.end(), [&](std::uint64_t a, std::uint64_t b) {
        return time(a) != time(b) ? time(a) < time(b) : place(a) < place(b);
      });
    }
    for (const std::uint64_t entry : row) append(entry);
  }

  void sort_by_source(std::span<std::uint64_t> row) const {
    if (!timed()) return std::sort(row.begin(), row.end());
    std::sort(row.begin(), row.end(), [&](std::uint64_t a, std::uint64_t b) {
      if (source(a) != source(b)) return source(a) < source(b);
      return time(a) != time(b) ? time(a) < time(b) : place(a) < place(b);
    });
  }

  /// Counts duplicates and, if asked for, merges them into their first; the entries left.
  std::size_t merge(std::span<std::uint64_t> row) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < row.size();) {
      std::size_t end = i + 1;
      while (end < row.size() && source(row[end]) == source(row[i])) ++end;
      rows_.duplicates += end - i - 1;
      if (!options_.dedupe) {
        kept = i = end;
        continue;
      }
      if (options_.merge == MergeWeights::sum) sum_weights(row.subspan(i, end - i));
      row[kept++] = row[i];
      i = end;
    }
    return kept;
  }

  void sum_weights(std::span<const std::uint64_t> same) {
    if (bucket_.weights.empty()) return;
    double sum = 0;
    for (const std::uint64_t entry : same) sum += bucket_.weights[place(entry)];
    bucket_.weights[place(same.front())] = static_cast<float>(sum);
  }

  void append(std::uint64_t entry) {
    const std::size_t at = rows_.size++;
    const std::uint32_t from = place(entry);
    rows_.neighbors[at] = source(entry);
    if (!rows_.weights.empty()) rows_.weights[at] = bucket_.weights[from];
    if (!rows_.times.empty()) rows_.times[at] = bucket_.times[from];
    if (!rows_.ids.empty()) rows_.ids[at] = bucket_.ids[from];
  }

  EdgeBucket bucket_;
  const BuildOptions& options_;
  BucketRows rows_;
};

}  // namespace

BucketRows make_rows(EdgeBucket&& bucket, const BuildOptions& options, std::span<EdgeId> degrees,
                     RowWorkspace& work) {
  if (bucket.weights.empty() && bucket.times.empty() && bucket.ids.empty()) {
    return plain_rows(std::move(bucket), options.dedupe, degrees, work);
  }
  return PayloadRows(std::move(bucket), options).run(degrees);
}

}  // namespace frugal
