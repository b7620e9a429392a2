#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace frugal::sparse {

/// Replacement in a full bucket. fifo: drops the oldest row. reservoir: keeps a uniform sample of
/// all rows added (Vitter, 1985).
enum class BucketPolicy { fifo, reservoir };
BucketPolicy bucket_policy_from_name(std::string_view name);

struct TableOptions {
  std::uint32_t tables = 50;
  std::uint32_t range_pow = 18;  ///< buckets of a table: 2^range_pow
  std::uint32_t bucket_size = 128;
  BucketPolicy policy = BucketPolicy::fifo;
  std::uint64_t seed = 0;
};

/// Buckets of rows. A table's buckets are stored consecutively in one array, so memory grows with
/// the number of rows, not with bucket_size.
class HashTables {
 public:
  /// Starts with empty buckets.
  explicit HashTables(const TableOptions& options);

  /// Rebuilds table t: adds rows order[0], order[1], ..., row r to bucket codes[r]. Different
  /// tables may be built concurrently.
  void build(std::uint32_t t, std::span<const std::uint32_t> codes,
             std::span<const std::uint32_t> order);

  struct Entry {
    std::uint32_t table;
    std::uint32_t bucket;
    std::uint32_t row;
    auto operator<=>(const Entry&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  /// Adds entries in ascending order, except those that exist already.
  void insert(std::vector<Entry> entries);

  std::span<const std::uint32_t> bucket(std::uint32_t t, std::uint32_t code) const {
    const std::vector<std::uint32_t>& begin = tables_[t].begin;
    return {tables_[t].rows.data() + begin[code], tables_[t].rows.data() + begin[code + 1]};
  }
  const TableOptions& options() const { return options_; }

  /// Arrays of a table, for saving.
  std::span<const std::uint32_t> starts(std::uint32_t t) const { return tables_[t].begin; }
  std::span<const std::uint32_t> rows(std::uint32_t t) const { return tables_[t].rows; }
  /// Restores saved arrays; false if they are not those of a table with rows below num_rows.
  bool restore(std::uint32_t t, std::span<const std::uint32_t> starts,
               std::span<const std::uint32_t> rows, std::size_t num_rows);

 private:
  struct Table {
    std::vector<std::uint32_t> begin;  ///< [2^range_pow + 1] where a bucket begins in `rows`
    std::vector<std::uint32_t> rows;
  };
  std::uint32_t place(std::uint32_t t, std::uint32_t bucket, std::int64_t seen) const;
  void insert_into(std::uint32_t t, std::span<const Entry> entries);

  TableOptions options_;
  std::vector<Table> tables_;
};

}  // namespace frugal::sparse
