#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/embedding/block_embedding.h"
#include "tools/robe-compress/fit/row_weights.h"
#include "tools/robe-compress/fit/table_file.h"

namespace frugal::robe {

/// Weighted sums of the numbers mapped to each slot of an array, in blocks of consecutive slots.
/// For numbers e with weights w, sum(w e) / sum(w) minimises sum(w (e - slot)^2). Only slots
/// [begin, end) are kept, so the array may be larger than the sums that fit into memory.
class SlotSums {
 public:
  struct Blocks {
    std::size_t length = 1;
    bool some_shorter = false;  ///< add() is also called for shorter blocks
  };
  SlotSums(std::uint64_t begin, std::uint64_t end, Blocks blocks);
  static std::uint64_t bytes_for(std::uint64_t slots, Blocks blocks) {
    return slots * (blocks.some_shorter ? 3 : 2) * sizeof(double);
  }

  std::uint64_t end() const { return end_; }

  /// Adds x[i] to slot + i, for i < n. Ignores slots outside [begin, end).
  void add(std::uint64_t slot, double weight, const float* x, std::size_t n);
  /// Prefetches the memory that add() of a whole block will use.
  void prefetch(std::uint64_t slot) const;

  /// Writes the best value of each slot to values, [end - begin]; 0 for an empty slot. Returns
  /// sum(value^2 sum(w)), the part of sum(w e^2) that the values explain.
  double solve(float* values) const;

 private:
  double solve_piece(std::size_t from, std::size_t to, float* values) const;

  std::uint64_t begin_, end_;
  std::size_t length_;
  std::uint64_t first_start_;  ///< first start of a block that overlaps [begin, end)
  Array<double> numerators_;
  /// Weights of whole blocks, by the slot where they begin. One number for each block replaces one
  /// for each of its slots, most of the memory that a block would touch.
  Array<double> starts_;
  Array<double> shorter_;  ///< weights of shorter blocks, by slot
};

/// Division of an array's bytes into hot rows and shared numbers.
struct ArrayPlan {
  /// hot rows (of all tables), which have numbers of their own; ascending
  std::vector<std::uint64_t> hot;
  std::uint64_t hashed = 0;  ///< number of shared numbers; 0: fewer than a block
};

/// Gives the share `hot_share` of `bytes` to the rows with the largest weights. Each costs four
/// more bytes for a key, unless rows are sorted by falling weight.
ArrayPlan plan_array(const TableSet& tables, const RowWeights& weights, std::uint64_t bytes,
                     double hot_share, Storage storage);

/// Expected part of sum(w) that an array of this plan explains if the numbers of all rows have the
/// same size: w / (w + W) for a row that shares its slots with others of total weight W, where W is
/// the mean over the slots.
double expected_explained(const ArrayPlan& plan, const RowWeights& weights, const TableSet& tables);

/// An array that is fitted to tables in passes, some of its slots in each.
class FitCandidate {
 public:
  /// Borrows the weights.
  FitCandidate(const TableSet& tables, const RowWeights& weights, const BlockHashOptions& hash,
               ArrayPlan plan);

  std::uint64_t hashed() const { return embedding_->num_hashed(); }
  /// Number of slots that are not solved yet.
  std::uint64_t slots_left() const { return hashed() - solved_; }

  /// Blocks that are added to the sums.
  SlotSums::Blocks blocks() const;
  /// Starts a pass that fits the next n slots; 0: none.
  void begin_pass(std::uint64_t n);
  bool takes_part() const { return sums_.has_value(); }

  /// Slots of the numbers of a piece.
  struct Placed {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> starts;  ///< [rows, blocks]
    std::vector<float> with_signs;      ///< [rows, dim], if there are signs
  };
  /// Computes the slots of a piece. May be called by any thread.
  void place(const TablePiece& piece, Placed& placed) const;
  /// Adds a piece. Pieces must be added one after another, in order.
  void add(const TablePiece& piece, const Placed& placed);
  void end_pass();

  /// Part of sum(w e^2) that the array explains, once all slots are solved.
  double explained() const { return explained_; }
  std::unique_ptr<BlockEmbedding> take() { return std::move(embedding_); }

 private:
  void add_row(const std::uint32_t* starts, double weight, const float* x);
  void add_hot(std::size_t number, double weight, const float* x);

  const RowWeights& weights_;
  double unseen_;  ///< weight of rows with a count of 0
  std::vector<std::uint64_t> hot_;
  std::unique_ptr<BlockEmbedding> embedding_;
  std::optional<SlotSums> sums_;
  std::uint64_t solved_ = 0;
  double explained_ = 0;
};

}  // namespace frugal::robe
