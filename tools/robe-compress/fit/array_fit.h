#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/embedding/block_embedding.h"
#include "tools/robe-compress/fit/row_weights.h"
#include "tools/robe-compress/fit/table_source.h"

namespace frugal::robe {

/// Trained tables E into one array m by weighted least squares: minimise sum_r w_r |E_r - (P
/// m)_r|^2, w_r being how often row r occurs. P has one 1 or -1 a row and number, so the normal
/// matrix is diagonal and the exact solution one weighted mean a slot, from one pass over the
/// tables.
struct FitOptions {
  double compression = 100;  ///< bytes of the tables as f32 / bytes of what is kept
  BlockHashOptions hash;
  std::optional<double> hot_share;  ///< of the bytes, for rows of their own; nothing: the best
  Storage storage = Storage::f32;
  bool find_storage = false;  ///< storage_for() the bytes instead
  /// Bytes for sums, counts and arrays; where it is little, there are more passes.
  std::uint64_t max_memory = std::uint64_t{3} << 29;
};

/// One hot share and how well the tables come out with it.
struct FitTrial {
  double hot_share = 0;
  std::uint64_t hot_rows = 0;
  std::uint64_t hashed = 0;  ///< shared numbers
  double relative_error = 0;
};

/// Bytes that fitting takes.
struct FitMemory {
  std::uint64_t sums = 0;
  std::uint64_t counts = 0;
  std::uint64_t arrays = 0;  ///< of all trials
};

struct FitResult {
  std::unique_ptr<BlockEmbedding> embedding;
  std::vector<FitTrial> trials;
  std::size_t chosen = 0;  ///< of the trials
  int passes = 0;          ///< over the tables
  FitMemory memory;
};

/// Whether the bytes hold more than one block of shared numbers.
bool has_room(const TableSet& tables, const RowWeights& weights, const FitOptions& options);

/// Called with the pass (from 1), how many there will be, and how much of it is done.
using FitProgress = std::function<void(int pass, int passes, double done)>;

/// Logs what memory it takes before it begins (verbose). Fails (usage) where the bytes do not hold
/// one block, hot rows are asked for without counts, or a pipe would have to be read twice;
/// (bad_input) as the source does.
FitResult fit_array(TableSource& tables, const RowWeights& weights, const FitOptions& options,
                    const FitProgress& progress);

}  // namespace frugal::robe
