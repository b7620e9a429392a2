#pragma once
#include <cstdint>
#include <string>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/embedding/table_set.h"
#include "libcore/io/tensor.h"

namespace frugal::robe {

/// Some rows of one table.
struct TablePiece {
  std::size_t table = 0;
  std::uint64_t row = 0;  ///< the first one's number in the table
  Tensor stored;
  Array<float> converted;          ///< where they are not stored as floats
  MatrixView<const float> values;  ///< [rows, dim], after to_floats()
};

/// Embedding tables that are passed over piece by piece, in an order that stays the same.
class TableSource {
 public:
  virtual ~TableSource() = default;
  /// For messages.
  virtual const std::string& path() const = 0;
  virtual const TableSet& tables() const = 0;
  /// Bytes of the tables as they are stored.
  virtual std::uint64_t num_bytes() const = 0;
  /// Whether there can be another pass.
  virtual bool is_regular() const = 0;

  /// Goes to the first row.
  virtual void begin() = 0;
  /// The next piece but for its values; false behind the last one.
  virtual bool next(TablePiece& piece) = 0;
  /// Fills piece.values. Fails naming table and row of a number that is not finite. On any thread.
  virtual void to_floats(TablePiece& piece) const = 0;

  /// For progress.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::uint64_t bytes_total() const = 0;
};

}  // namespace frugal::robe
