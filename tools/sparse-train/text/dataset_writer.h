#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/system/temporary_file.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/text/example_piece.h"

namespace frugal::sparse {

/// Reserves memory of an empty dataset for the examples of the pieces. Memory that is not written
/// to later is not taken.
void reserve_for(std::span<const ExamplePiece> pieces, Dataset& data);
/// Appends the examples of the pieces, whose features and labels are ids, to a dataset in memory.
void append_examples(std::span<const ExamplePiece> pieces, Dataset& data);

/// Collects a dataset that does not fit into memory, in unnamed files.
class DatasetFile {
 public:
  explicit DatasetFile(const std::string& folder);

  void append(const ExamplePiece& piece);
  /// Returns the mapped dataset, which always has values. Must be the last call.
  Dataset finish();

 private:
  TemporaryFile feature_begin_, features_, values_, label_begin_, labels_, weights_;
  std::uint64_t num_features_ = 0;  ///< features of all examples so far
  std::uint64_t num_labels_ = 0;
};

/// Bytes of a dataset's arrays.
std::uint64_t memory_of(const Dataset& data);

}  // namespace frugal::sparse
