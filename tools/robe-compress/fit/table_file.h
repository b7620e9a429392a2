#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/arrays/document_source.h"
#include "tools/robe-compress/fit/table_source.h"

namespace frugal::robe {

/// Indices of the tables that match patterns with * and ?; all tables if there are no patterns.
/// Fails (usage) with `path` for a pattern without a match.
std::vector<std::size_t> choose_tables(const std::vector<std::string>& tables,
                                       const std::vector<std::string>& patterns,
                                       const std::string& path);

/// Embedding tables in a tensor file, .npy or .npz: floating-point tensors [rows, dim] with the
/// same dim. They are read piece by piece in the order of the file; a regular file can be read
/// repeatedly. Fails (bad_input) with the table's name, and as DocumentSource.
class TableFile : public TableSource {
 public:
  /// names: patterns with * and ? of the tensors that are tables; empty: all. Tensors named
  /// NAME.counts never are.
  TableFile(const std::string& path, const std::vector<std::string>& names,
            const TensorReadOptions& options);

  const std::string& path() const override { return path_; }
  const TableSet& tables() const override { return tables_; }
  std::uint64_t num_bytes() const override { return num_bytes_; }
  bool is_regular() const override { return regular_; }

  /// Tensor NAME.counts of a table, or nullptr.
  const TensorInfo* counts_of(std::size_t table) const;
  /// Offset of the first table's data, as TensorInfo::begin.
  std::uint64_t data_begin() const { return chosen_[0].begin; }
  /// Reads elements [begin, end) of a tensor. In a pipe, reads must be in the order of the data.
  Tensor read(const std::string& tensor, std::uint64_t begin, std::uint64_t end);

  /// Can be called only once for a pipe.
  void begin() override;
  bool next(TablePiece& piece) override;
  void to_floats(TablePiece& piece) const override;

  std::uint64_t bytes_read() const override { return bytes_read_; }
  std::uint64_t bytes_total() const override { return num_bytes_; }

 private:
  void open();
  void choose(const std::vector<std::string>& names);
  void check(const TensorInfo& tensor, std::uint64_t dim) const;

  std::string path_;
  TensorReadOptions options_;
  bool regular_ = false;
  std::unique_ptr<DocumentSource> source_;
  DocumentInfo info_;
  std::vector<TensorInfo> chosen_;  ///< tables, in the order of their data
  TableSet tables_;
  std::uint64_t num_bytes_ = 0;
  std::size_t table_ = 0;
  std::uint64_t row_ = 0;
  /// Bytes of tables, as stored, read in this pass. Progress displays read it concurrently.
  std::atomic<std::uint64_t> bytes_read_{0};
};

}  // namespace frugal::robe
