#include "tools/sparse-train/lsh/hash_tables.h"

#include <algorithm>
#include <array>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"

namespace frugal::sparse {
namespace {

constexpr std::uint64_t kReservoirStream = 11;
constexpr std::array<std::string_view, 2> kPolicyNames = {"fifo", "reservoir"};

}  // namespace

BucketPolicy bucket_policy_from_name(std::string_view name) {
  const auto found = std::find(kPolicyNames.begin(), kPolicyNames.end(), name);
  if (found == kPolicyNames.end()) {
    fail(ExitStatus::usage, "unknown bucket policy '", name, "', expected fifo or reservoir");
  }
  return static_cast<BucketPolicy>(found - kPolicyNames.begin());
}

HashTables::HashTables(const TableOptions& options) : options_(options), tables_(options.tables) {
  for (Table& table : tables_) table.begin.resize((std::size_t{1} << options.range_pow) + 1);
}

/// Where in its bucket the next row goes when `seen` have come before (below 0: rows that later
/// ones will drop); bucket_size: nowhere.
std::uint32_t HashTables::place(std::uint32_t t, std::uint32_t bucket, std::int64_t seen) const {
  const std::uint32_t size = options_.bucket_size;
  if (seen < 0) return size;
  if (seen < size) return static_cast<std::uint32_t>(seen);
  const auto index = static_cast<std::uint64_t>(seen);
  Rng rng(options_.seed, hash_combine(kReservoirStream, std::uint64_t{t} << 32 | bucket), index);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(rng.below(index + 1), size));
}

void HashTables::build(std::uint32_t t, std::span<const std::uint32_t> codes,
                       std::span<const std::uint32_t> order) {
  Table& table = tables_[t];
  const std::size_t buckets = table.begin.size() - 1;
  thread_local std::vector<std::int64_t> seen;
  seen.assign(buckets, 0);
  for (const std::uint32_t r : order) ++seen[codes[r]];
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::int64_t kept = std::min<std::int64_t>(seen[b], options_.bucket_size);
    table.begin[b + 1] = table.begin[b] + static_cast<std::uint32_t>(kept);
    seen[b] = options_.policy == BucketPolicy::fifo ? kept - seen[b] : 0;
  }
  table.rows.resize(table.begin[buckets]);
  for (const std::uint32_t r : order) {
    const std::uint32_t bucket = codes[r];
    const std::uint32_t to = place(t, bucket, seen[bucket]++);
    if (to < options_.bucket_size) table.rows[table.begin[bucket] + to] = r;
  }
}

void HashTables::insert(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  const auto there = [this](const Entry& e) {
    const auto rows = bucket(e.table, e.bucket);
    return std::find(rows.begin(), rows.end(), e.row) != rows.end();
  };
  std::erase_if(entries, there);
  for (auto first = entries.begin(); first != entries.end();) {
    const auto last =
        std::find_if(first, entries.end(), [&](const Entry& e) { return e.table != first->table; });
    insert_into(first->table, {first, last});
    first = last;
  }
}

/// A bucket with new rows is built from the old ones and these; where each row came in the order of
/// all is not known any more, so a reservoir counts those that are there.
void HashTables::insert_into(std::uint32_t t, std::span<const Entry> entries) {
  const Table old = std::move(tables_[t]);
  Table& table = tables_[t];
  table.begin.assign(old.begin.size(), 0);
  table.rows.reserve(old.rows.size() + entries.size());
  auto next = entries.begin();
  for (std::uint32_t b = 0; b + 1 < old.begin.size(); ++b) {
    const std::size_t begin = table.rows.size();
    table.rows.insert(table.rows.end(), old.rows.begin() + old.begin[b],
                      old.rows.begin() + old.begin[b + 1]);
    for (; next != entries.end() && next->bucket == b; ++next) {
      const std::size_t size = table.rows.size() - begin;
      if (size < options_.bucket_size) {
        table.rows.push_back(next->row);
      } else if (options_.policy == BucketPolicy::fifo) {
        const auto first = table.rows.begin() + static_cast<std::ptrdiff_t>(begin);
        std::rotate(first, first + 1, table.rows.end());
        table.rows.back() = next->row;
      } else if (const std::uint32_t to = place(t, b, options_.bucket_size); to < size) {
        table.rows[begin + to] = next->row;
      }
    }
    table.begin[b + 1] = static_cast<std::uint32_t>(table.rows.size());
  }
}

bool HashTables::restore(std::uint32_t t, std::span<const std::uint32_t> starts,
                         std::span<const std::uint32_t> rows, std::size_t num_rows) {
  Table& table = tables_[t];
  if (starts.size() != table.begin.size() || starts.front() != 0 || starts.back() != rows.size() ||
      !std::is_sorted(starts.begin(), starts.end()) ||
      std::any_of(rows.begin(), rows.end(), [&](std::uint32_t r) { return r >= num_rows; })) {
    return false;
  }
  table.begin.assign(starts.begin(), starts.end());
  table.rows.assign(rows.begin(), rows.end());
  return true;
}

}  // namespace frugal::sparse
