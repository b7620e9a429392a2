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

/// Sums over everything that is stored in each slot of an array, in blocks of consecutive slots:
/// for numbers e with weight w it is sum(w e) / sum(w) that minimises sum(w (e - slot)^2). Only
/// slots [begin, end) are kept, so that an array may be larger than the sums that fit into memory.
class SlotSums {
 public:
  struct Blocks {
    std::size_t length = 1;
    bool some_shorter = false;  ///< add() is also called with fewer numbers
  };
  SlotSums(std::uint64_t begin, std::uint64_t end, Blocks blocks);
  static std::uint64_t bytes_for(std::uint64_t slots, Blocks blocks) {
    return slots * (blocks.some_shorter ? 3 : 2) * sizeof(double);
  }

  std::uint64_t end() const { return end_; }

  /// Number x[i] lies in slot + i, for i < n; slots of others are passed over.
  void add(std::uint64_t slot, double weight, const float* x, std::size_t n);
  /// Asks for the memory that add() of a whole block needs.
  void prefetch(std::uint64_t slot) const;

  /// The best value of each slot to values[end - begin], 0 where nothing lies; returns
  /// sum(value^2 sum(w)): what they explain of sum(w e^2).
  double solve(float* values) const;

 private:
  double solve_piece(std::size_t from, std::size_t to, float* values) const;

  std::uint64_t begin_, end_;
  std::size_t length_;
  std::uint64_t first_start_;  ///< of a block that reaches into [begin, end)
  Array<double> numerators_;
  /// The weight of whole blocks by the slot where they begin: one number a block in place of one
  /// for each of its slots, which is most of the memory that a block touches otherwise.
  Array<double> starts_;
  Array<double> shorter_;  ///< the weight of shorter ones, by slot
};

/// How the bytes of an array are spent.
struct ArrayPlan {
  std::vector<std::uint64_t> hot;  ///< rows (of all tables) with numbers of their own, ascending
  std::uint64_t hashed = 0;        ///< shared numbers; 0: fewer than one block has
};

/// Of `bytes` the share goes to the heaviest rows, each with a key of four bytes unless rows
/// descend in weight.
ArrayPlan plan_array(const TableSet& tables, const RowWeights& weights, std::uint64_t bytes,
                     double hot_share, Storage storage);

/// What an array of this plan explains of sum(w), as it is to be expected if all rows have numbers
/// of the same size: of a row that shares its slots with others of weight W in all, w / (w + W);
/// for W the mean over the slots.
double expected_explained(const ArrayPlan& plan, const RowWeights& weights, const TableSet& tables);

/// An array that is being fitted to tables, some of its slots at a time.
class FitCandidate {
 public:
  /// Borrows the weights.
  FitCandidate(const TableSet& tables, const RowWeights& weights, const BlockHashOptions& hash,
               ArrayPlan plan);

  std::uint64_t hashed() const { return embedding_->num_hashed(); }
  /// Slots that are not solved yet.
  std::uint64_t slots_left() const { return hashed() - solved_; }

  /// What is added to the sums.
  SlotSums::Blocks blocks() const;
  /// The next n slots take part in the pass that follows; 0: none.
  void begin_pass(std::uint64_t n);
  bool takes_part() const { return sums_.has_value(); }

  /// Where the numbers of a piece lie.
  struct Placed {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> starts;  ///< [rows, blocks]
    std::vector<float> with_signs;      ///< [rows, dim], where there are signs
  };
  /// On any thread.
  void place(const TablePiece& piece, Placed& placed) const;
  /// The pieces one after another.
  void add(const TablePiece& piece, const Placed& placed);
  void end_pass();

  /// Of sum(w e^2), what the array explains once all slots are solved.
  double explained() const { return explained_; }
  std::unique_ptr<BlockEmbedding> take() { return std::move(embedding_); }

 private:
  void add_row(const std::uint32_t* starts, double weight, const float* x);
  void add_hot(std::size_t number, double weight, const float* x);

  const RowWeights& weights_;
  double unseen_;  ///< weight of rows that count 0
  std::vector<std::uint64_t> hot_;
  std::unique_ptr<BlockEmbedding> embedding_;
  std::optional<SlotSums> sums_;
  std::uint64_t solved_ = 0;
  double explained_ = 0;
};

}  // namespace frugal::robe
