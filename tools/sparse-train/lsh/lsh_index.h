#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/lsh/hash_family.h"
#include "tools/sparse-train/lsh/hash_tables.h"
#include "tools/sparse-train/lsh/row_center.h"

namespace frugal::sparse {

/// Which rows a rebuild hashes: those that changed since the last; all; all, with functions not
/// used before.
enum class Rehash { moved, all, new_functions };

/// Hash tables over the rows of a matrix that changes: built anew in part, as rows move.
class LshIndex {
 public:
  /// All tables empty. hash.tables and tables.tables must agree. center: subtract the mean of the
  /// rows before they are hashed.
  LshIndex(const HashOptions& hash, const TableOptions& tables, bool center, std::size_t num_rows,
           std::size_t dim);

  /// Begins to build all tables anew: finds the rows to be hashed, which come last in their
  /// buckets. Rehash::moved only where the rebuild before has come to its end.
  void begin_rebuild(MatrixView<const float> rows, Rehash rehash);
  /// Builds tables [begin, end) anew; ranges of tables may run at the same time, and at any time
  /// after begin_rebuild().
  void rebuild(MatrixView<const float> rows, std::uint32_t begin, std::uint32_t end);

  /// Codes of x: [n, dim] in all tables: that of row i in table t goes to out[t * n + i].
  void codes(MatrixView<const float> x, std::uint32_t* out) const;

  std::size_t num_rows() const { return num_rows_; }
  std::uint32_t num_tables() const { return tables_.options().tables; }
  HashTables& tables() { return tables_; }
  const HashTables& tables() const { return tables_; }
  /// Rows that the last begin_rebuild() found.
  std::size_t num_moved() const { return moved_.size(); }

  /// Tables, and what the next rebuilds need, as tensors "lsh.*". restore() fails (bad_input)
  /// naming `path` where they do not fit.
  void save(Document& state) const;
  void restore(const Document& state, const std::string& path);

 private:
  void set_generation(std::uint32_t t, std::uint64_t generation);
  void hash_moved(MatrixView<const float> rows, std::uint32_t begin, std::uint32_t end);

  std::size_t num_rows_;
  std::unique_ptr<HashFamily> family_;
  HashTables tables_;
  RowCenter center_;
  std::uint64_t generation_ = 0;                 ///< of functions
  std::vector<std::uint64_t> table_generation_;  ///< [tables] of those in use
  std::vector<std::uint32_t> codes_;             ///< [tables, rows]
  std::vector<std::uint64_t> fingerprint_;       ///< [rows] of the bytes of a row
  std::vector<std::uint32_t> order_;             ///< rows, those that moved last at the end
  std::vector<std::uint32_t> moved_;             ///< ascending
};

}  // namespace frugal::sparse
