#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace frugal {

/// Shape of an embedding table as the model sees it; its stored form may be much smaller.
struct TableShape {
  std::string name;
  std::uint64_t rows = 0;  ///< below 2^32
  /// Global row of row 0; nothing: directly after the tables before it. A table that has grown
  /// keeps its first rows in their place and continues after all tables.
  std::optional<std::uint64_t> first = {};
};

/// Rows of a grown table that have no category, because their global rows belong to other tables.
struct RowGap {
  std::uint64_t row = 0;  ///< the first row of the gap
  std::uint64_t count = 0;

  bool operator==(const RowGap&) const = default;
};

/// The embedding tables of a model, one per categorical field, with rows of `dim` numbers. Row x of
/// table t is the global row first_row(t) + x.
class TableSet {
 public:
  TableSet() = default;
  TableSet(std::vector<TableShape> tables, std::size_t dim);

  std::size_t size() const { return tables_.size(); }
  std::size_t dim() const { return dim_; }
  const TableShape& table(std::size_t t) const { return tables_[t]; }
  const std::vector<TableShape>& tables() const { return tables_; }
  std::uint64_t first_row(std::size_t t) const { return first_rows_[t]; }
  /// First global rows of all tables.
  const std::uint64_t* first_rows() const { return first_rows_.data(); }
  std::uint64_t num_rows() const { return first_rows_.back(); }
  /// Numbers in all tables, the reference of the compression ratio.
  std::uint64_t num_values() const { return num_rows() * dim_; }

 private:
  std::vector<TableShape> tables_;
  /// First rows of the tables, then the number of all rows.
  std::vector<std::uint64_t> first_rows_ = {0};
  std::size_t dim_ = 0;
};

/// Whether names, rows, places and dimension are equal.
bool same_tables(const TableSet& a, const TableSet& b);

}  // namespace frugal
