#pragma once
#include <cstddef>
#include <memory>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/system/mapped_memory.h"
#include "libcore/system/temporary_file.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/data/sparse_rows.h"

namespace frugal::gnn {

/// Computed features of all nodes, owned: dense f32 rows in memory or in a file without a name
/// (TemporaryFile), or sparse rows in memory.
class FeatureStore {
 public:
  FeatureStore() = default;
  /// Dense rows of undefined numbers. Fails (unavailable) if they do not fit into memory or, with
  /// in_file, (io_error) if they do not fit on the disk.
  FeatureStore(std::size_t rows, std::size_t dim, bool in_file);
  explicit FeatureStore(SparseRows rows) : sparse_(std::move(rows)) {}

  std::size_t rows() const { return rows_; }
  std::size_t dim() const { return dim_; }
  bool in_file() const { return file_ != nullptr; }
  /// Dense rows in memory, [rows, dim]; the caller writes them.
  MatrixView<float> dense() { return {memory_.data(), rows_, dim_}; }
  /// The file of dense rows, as [rows dim] numbers; the caller writes them.
  TemporaryFile& file() { return *file_; }
  FeatureView view() const;

 private:
  std::size_t rows_ = 0, dim_ = 0;
  Array<float> memory_;
  std::shared_ptr<TemporaryFile> file_;
  std::shared_ptr<MappedMemory> map_;  ///< of the file
  SparseRows sparse_;                  ///< if dim_ is 0
};

}  // namespace frugal::gnn
