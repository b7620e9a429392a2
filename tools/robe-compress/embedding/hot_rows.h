#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/base/hash_index.h"
#include "libcore/io/tensor_file.h"
#include "tools/robe-compress/embedding/table_set.h"

namespace frugal {

/// Rows that have parameters of their own because they are frequent: the first rows of each table
/// where rows are numbered by frequency, else any, which costs a key each.
class HotRows {
 public:
  static constexpr std::uint32_t kNone = HashIndex::kMissing;

  HotRows() = default;  ///< none
  /// counts[t]: of the first rows of table t.
  static HotRows first_rows(std::vector<std::uint32_t> counts);
  /// rows[t]: of table t, without repetition.
  static HotRows listed(std::vector<std::vector<std::uint32_t>> rows);

  std::uint64_t size() const { return size_; }
  /// Four bytes a listed row; numbers of first rows come for nothing.
  std::uint64_t num_key_bytes() const { return listed_ ? 4 * size_ : 0; }
  /// The row's number among the hot ones, or kNone.
  std::uint32_t find(std::size_t table, std::uint32_t row) const {
    if (size_ == 0) return kNone;
    if (listed_) return index_.find(key(table, row));
    return row < counts_[table] ? begins_[table] + row : kNone;
  }

  void save(Document& document) const;
  static HotRows load(const Document& document, const std::string& path, const TableSet& tables);

 private:
  static std::uint64_t key(std::size_t table, std::uint32_t row);
  void number();

  bool listed_ = false;
  std::uint64_t size_ = 0;
  std::vector<std::uint32_t> counts_;  ///< by table
  std::vector<std::uint32_t> begins_;  ///< the first one's number, by table
  std::vector<std::uint32_t> rows_;    ///< listed ones, table by table
  HashIndex index_;                    ///< from keys to numbers
};

}  // namespace frugal
