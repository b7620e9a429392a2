#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libcore/tables/piece_reader.h"
#include "tools/sparse-train/text/example_parser.h"

namespace frugal::sparse {

using FinishPiece = std::function<void(ExamplePiece& piece, std::span<const std::uint64_t> hashes)>;

/// Reads all examples of an input with all threads: whoever is free takes the next piece of the
/// text, parses it and, while it is in the caches, calls finish(piece, hashes of its features), on
/// several threads at once. Pieces come back in order. Where one batch ends and the next begins
/// depends on the threads, but not whether the first is all there is; nothing else may be made of
/// it.
class ExampleReader {
 public:
  /// All arguments must outlive the object.
  ExampleReader(PieceReader& reader, const InputLayout& layout, const FeatureOptions& options,
                const KnownFeatures& known, FinishPiece finish);

  /// The next pieces, about `max_memory` bytes of them, or all that are left; none at the end of
  /// what is more. Fails with the first
  /// bad line beyond options.skip_bad, or where an XMC header does not tell the number of points.
  std::vector<ExamplePiece> next_batch(std::uint64_t max_memory);
  bool at_end() const { return at_end_; }
  const std::string& name() const { return reader_.name(); }

 private:
  void check_bad_lines(std::vector<ExamplePiece>& pieces);
  void finish_input();

  PieceReader& reader_;
  const InputLayout& layout_;
  const FeatureOptions& options_;
  KnownFeatures known_;
  FinishPiece finish_;
  bool all_read_ = false;  ///< though at_end() may wait for one more call
  bool at_end_ = false;
  std::uint64_t num_records_ = 0;  ///< bad ones included
  std::uint64_t num_empty_ = 0;    ///< lines
  std::uint64_t num_bad_ = 0;
  std::string first_bad_;
  std::uint64_t num_joined_ = 0;  ///< examples that may be several rows
  std::string first_joined_;
};

/// Takes features and labels that are HashIndex::kMissing or LabelTable::kMissing out of a piece.
void drop_missing(ExamplePiece& piece);

}  // namespace frugal::sparse
