#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/embedding/embedding.h"
#include "libcore/embedding/table_set.h"
#include "libcore/tensors/tensor.h"
#include "libcore/threading/ordered_pipeline.h"
#include "libcore/threading/parallel.h"

namespace frugal::robe {

/// Some rows of one table.
struct TablePiece {
  std::size_t table = 0;
  std::uint64_t row = 0;  ///< number of the first row in the table
  Tensor stored;
  Array<float> converted;          ///< converted values, if they are not stored as floats
  MatrixView<const float> values;  ///< [rows, dim], after to_floats()
};

/// Embedding tables that are read piece by piece, always in the same order.
class TableSource {
 public:
  virtual ~TableSource() = default;
  /// Path, for messages.
  virtual const std::string& path() const = 0;
  virtual const TableSet& tables() const = 0;
  /// Bytes of the tables, as stored.
  virtual std::uint64_t num_bytes() const = 0;
  /// True if the tables can be read repeatedly.
  virtual bool is_regular() const = 0;

  /// Starts a pass at the first row.
  virtual void begin() = 0;
  /// Reads the next piece, without piece.values; false after the last one.
  virtual bool next(TablePiece& piece) = 0;
  /// Sets piece.values. Fails, with table and row, for a number that is not finite. May be called
  /// by any thread.
  virtual void to_floats(TablePiece& piece) const = 0;

  /// Progress of the pass, in bytes.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::uint64_t bytes_total() const = 0;
};

/// Tables of an embedding in memory, stored in any form. gaps: rows to skip in each table.
class EmbeddingTables : public TableSource {
 public:
  /// Borrows the embedding. path: for messages.
  EmbeddingTables(const Embedding& embedding, std::string path,
                  std::vector<std::vector<RowGap>> gaps = {});

  const std::string& path() const override { return path_; }
  const TableSet& tables() const override { return embedding_.tables(); }
  std::uint64_t num_bytes() const override { return embedding_.num_bytes(); }
  bool is_regular() const override { return true; }
  void begin() override;
  bool next(TablePiece& piece) override;
  void to_floats(TablePiece& piece) const override;
  std::uint64_t bytes_read() const override { return rows_read_ * row_bytes_; }
  std::uint64_t bytes_total() const override { return tables().num_rows() * row_bytes_; }

 private:
  const Embedding& embedding_;
  std::string path_;
  std::uint64_t row_bytes_;
  std::vector<std::vector<RowGap>> gaps_;
  std::size_t table_ = 0;
  std::uint64_t row_ = 0;
  std::atomic<std::uint64_t> rows_read_{0};  ///< rows read in this pass; as TableFile::bytes_read_
};

/// A pass over the tables. `work` runs concurrently for several pieces and leaves its result in
/// Found. `use` receives the results one after another, in the order of the file, so its sums do
/// not depend on the number of threads.
template <class Found>
struct TablePass {
  std::function<void(const TablePiece&, Found&)> work;
  std::function<void(const TablePiece&, Found&)> use;

  void run(TableSource& file) const {
    struct Item {
      TablePiece piece;
      Found found;
    };
    file.begin();
    OrderedPipeline<Item> pipeline;
    pipeline.produce = [&](Item& item) { return file.next(item.piece); };
    pipeline.transform = [&](Item& item) {
      file.to_floats(item.piece);
      work(item.piece, item.found);
    };
    pipeline.consume = [&](Item& item) { use(item.piece, item.found); };
    pipeline.run(static_cast<std::size_t>(num_threads()) + 2);
  }
};

}  // namespace frugal::robe
