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

/// The places of the tables that patterns mean, * and ? standing for any characters; without
/// patterns all. Fails (usage) with `path` for a pattern that means none.
std::vector<std::size_t> choose_tables(const std::vector<std::string>& tables,
                                       const std::vector<std::string>& patterns,
                                       const std::string& path);

/// Embedding tables in a tensor file, .npy or .npz: floating-point tensors [rows, dim] of one dim,
/// read piece by piece in the order of the file, as often as asked if it is a regular file. Errors:
/// bad_input (65) with the table's name, and those of DocumentSource.
class TableFile : public TableSource {
 public:
  /// `names`: which tensors are tables, * and ? standing for any characters; none: all. Those
  /// named NAME.counts never are.
  TableFile(const std::string& path, const std::vector<std::string>& names,
            const TensorReadOptions& options);

  const std::string& path() const override { return path_; }
  const TableSet& tables() const override { return tables_; }
  std::uint64_t num_bytes() const override { return num_bytes_; }
  bool is_regular() const override { return regular_; }

  /// The tensor NAME.counts of a table, or nullptr.
  const TensorInfo* counts_of(std::size_t table) const;
  /// Where the first table's data begin, as TensorInfo::begin.
  std::uint64_t data_begin() const { return chosen_[0].begin; }
  /// Elements [begin, end) of a tensor. In a pipe in the order of the data.
  Tensor read(const std::string& tensor, std::uint64_t begin, std::uint64_t end);

  /// Once only in a pipe.
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
  std::vector<TensorInfo> chosen_;  ///< the tables, in the order of their data
  TableSet tables_;
  std::uint64_t num_bytes_ = 0;
  std::size_t table_ = 0;
  std::uint64_t row_ = 0;
  /// Of tables, as stored, in this pass; those who show progress look at it meanwhile.
  std::atomic<std::uint64_t> bytes_read_{0};
};

}  // namespace frugal::robe
