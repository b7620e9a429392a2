#pragma once
#include <atomic>
#include <string>

#include "libcore/embedding/embedding.h"
#include "tools/robe-compress/fit/table_source.h"

namespace frugal::robe {

/// The tables of an embedding in memory, however it keeps them.
class EmbeddingTables : public TableSource {
 public:
  /// Borrows the embedding. path: for messages.
  EmbeddingTables(const Embedding& embedding, std::string path);

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
  std::size_t table_ = 0;
  std::uint64_t row_ = 0;
  std::atomic<std::uint64_t> rows_read_{0};  ///< in this pass; as those of TableFile
};

}  // namespace frugal::robe
