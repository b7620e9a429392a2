#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/system/temporary_file.h"
#include "tools/sparse-train/data/example_piece.h"

namespace frugal::sparse {

/// Pieces whose features have ids, put away in a file without a name until those ids are final.
class PieceFile {
 public:
  explicit PieceFile(const std::string& folder) : file_(folder) {}

  /// label_names and bad_lines are not kept.
  void write(const ExamplePiece& piece);
  /// The next pieces in the order of writing, about `max_memory` bytes; none at the end.
  std::vector<ExamplePiece> read_batch(std::uint64_t max_memory);

 private:
  template <class T>
  void put(const std::vector<T>& values);
  template <class T>
  void get(std::vector<T>& values);

  TemporaryFile file_;
  std::uint64_t at_ = 0;  ///< where the next piece begins that is read
};

}  // namespace frugal::sparse
