#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/system/temporary_file.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/text/vocabulary.h"

namespace frugal::sparse {

struct BadLine {
  std::uint64_t line = 0;
  std::string problem;      ///< what was found and expected
  std::uint64_t lines = 1;  ///< of the record
};

/// The examples of a part of the input.
struct ExamplePiece {
  std::vector<std::uint32_t> num_features;  ///< by example
  std::vector<std::uint32_t> features;      ///< ids, example after example; or
  HashedPiece hashed;                       ///< features whose ids are not known yet
  std::vector<float> values;                ///< as in the input; empty: all 1, but for n-grams:
  std::vector<std::uint8_t> counts;         ///< of n-grams until unpack_counts(); 0: it is in
  std::vector<std::uint32_t> large_counts;  ///< this list, from left to right
  std::vector<double> numbers;              ///< by example and column of numbers, not yet features
  std::vector<float> weights;               ///< by example, of a column of them; or empty
  std::vector<std::uint32_t> num_labels;    ///< by example
  std::vector<std::uint32_t> labels;        ///< ids (XMC) or indices into label_names
  std::vector<std::string> label_names;
  std::vector<BadLine> bad_lines;
  std::vector<BadLine> joined_rows;  ///< examples that may be several rows
  std::vector<ColumnValues> column_values;
  std::uint64_t empty_lines = 0;  ///< which are no examples

  std::size_t size() const { return num_features.size(); }
  /// Bytes of memory, about, while n-grams are hashes and with counts as values.
  std::uint64_t memory() const {
    return 8 * num_features.size() + 4 * weights.size() +
           4 * (features.size() + values.size() + counts.size()) + 8 * numbers.size() +
           9 * hashed.size() + 4 * labels.size() + 64 * label_names.size();
  }
};

/// Appends counts of n-grams.
void pack_counts(std::span<const std::uint32_t> counts, ExamplePiece& piece);
/// Turns the counts into values. Has no effect on a piece without counts.
void unpack_counts(ExamplePiece& piece);

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
