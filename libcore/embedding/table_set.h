#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace frugal {

/// One embedding table as the model sees it; what is stored may be much smaller.
struct TableShape {
  std::string name;
  std::uint64_t rows = 0;  ///< below 2^32
  /// The global row of row 0; nothing: behind the tables before. Rows of a table that has grown
  /// begin in its own place and go on behind all tables.
  std::optional<std::uint64_t> first = {};
};

/// Rows of a table that has grown which no category has, for they are another table's.
struct RowGap {
  std::uint64_t row = 0;  ///< the first
  std::uint64_t count = 0;

  bool operator==(const RowGap&) const = default;
};

/// The embedding tables of a model, one a field, with rows of `dim` numbers. Row x of table t is
/// the global row first_row(t) + x.
class TableSet {
 public:
  TableSet() = default;
  TableSet(std::vector<TableShape> tables, std::size_t dim);

  std::size_t size() const { return tables_.size(); }
  std::size_t dim() const { return dim_; }
  const TableShape& table(std::size_t t) const { return tables_[t]; }
  const std::vector<TableShape>& tables() const { return tables_; }
  std::uint64_t first_row(std::size_t t) const { return first_rows_[t]; }
  /// By table.
  const std::uint64_t* first_rows() const { return first_rows_.data(); }
  std::uint64_t num_rows() const { return first_rows_.back(); }
  /// Numbers in all tables: what compression is measured against.
  std::uint64_t num_values() const { return num_rows() * dim_; }

 private:
  std::vector<TableShape> tables_;
  std::vector<std::uint64_t> first_rows_ = {0};  ///< and, last, the number of all rows
  std::size_t dim_ = 0;
};

/// Equal names, rows, places and dimension.
bool same_tables(const TableSet& a, const TableSet& b);

}  // namespace frugal
