#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/hash_index.h"
#include "libcore/embedding/table_set.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Returns the `n` rows with the largest keys, in ascending order. Among equal keys the first rows
/// win; key 0 never does. each_key(use) must call use(key) with an unsigned 32-bit key for every
/// row in order; it is called three times.
template <class EachKey>
std::vector<std::uint64_t> heaviest_rows(std::uint64_t n, const EachKey& each_key) {
  // Finds the n-th key: first its upper, then its lower half.
  std::vector<std::uint64_t> histogram(std::size_t{1} << 16);
  std::uint64_t positive = 0;
  each_key([&](std::uint32_t key) {
    ++histogram[key >> 16];
    positive += key != 0 ? 1 : 0;
  });
  n = std::min(n, positive);
  std::vector<std::uint64_t> rows;
  if (n == 0) return rows;
  std::uint64_t left = n;
  const auto find_half = [&] {
    std::uint32_t half = 0xffff;
    while (histogram[half] < left) left -= histogram[half--];
    return half;
  };
  const std::uint32_t high = find_half();
  std::fill(histogram.begin(), histogram.end(), 0);
  each_key([&](std::uint32_t key) {
    if (key >> 16 == high) ++histogram[key & 0xffff];
  });
  const std::uint32_t least = high << 16 | find_half();
  rows.reserve(n);
  std::uint64_t row = 0;
  each_key([&](std::uint32_t key) {  // takes `left` of the rows with the n-th key
    if (key > least || (key == least && left > 0)) rows.push_back(row);
    if (key == least && left > 0) --left;
    ++row;
  });
  return rows;
}

/// Frequent rows, which have private parameters. If rows are numbered by frequency, they are one
/// run of each table's rows; otherwise any rows, each of which costs a key.
class HotRows {
 public:
  static constexpr std::uint32_t kNone = HashIndex::kMissing;

  HotRows() = default;  ///< none
  /// rows: global numbers (TableSet::first_row), ascending. They are stored as runs if they form
  /// one in every table.
  static HotRows of(const TableSet& tables, std::span<const std::uint64_t> rows);

  std::uint64_t size() const { return size_; }
  /// Bytes of the keys: four per listed row; runs need none.
  std::uint64_t num_key_bytes() const { return listed_ ? 4 * size_ : 0; }
  /// Number of the row among the hot ones, or kNone.
  std::uint32_t find(std::size_t table, std::uint32_t row) const {
    if (size_ == 0) return kNone;
    if (listed_) return index_.find(key(table, row));
    const Run& run = runs_[table];
    return row - run.first < run.count ? run.number + (row - run.first) : kNone;
  }

  /// Arrays for device engines. runs(): for each table the run's first row, length and first
  /// number. keys(): if rows are listed, (table << 32 | row, number), ascending. One of the two is
  /// empty.
  std::vector<std::uint32_t> runs() const;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys() const;

  void save(Document& document) const;
  /// Fails (bad_input) on anything that save() does not write.
  static HotRows load(const Document& document, const TableSet& tables);

 private:
  /// Hot rows of one table; listed rows are only counted.
  struct Run {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t number = 0;  ///< number of the first among all hot rows
  };
  static std::uint64_t key(std::size_t table, std::uint32_t row);
  void number();
  void list(std::vector<std::uint32_t> rows);

  bool listed_ = false;
  std::uint64_t size_ = 0;
  std::vector<Run> runs_;            ///< by table
  std::vector<std::uint32_t> rows_;  ///< listed rows, table by table
  HashIndex index_;                  ///< from keys to numbers
};

}  // namespace frugal
