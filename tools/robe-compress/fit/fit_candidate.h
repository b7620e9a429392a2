#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "libcore/embedding/block_embedding.h"
#include "tools/robe-compress/fit/row_weights.h"
#include "tools/robe-compress/fit/slot_sums.h"
#include "tools/robe-compress/fit/table_file.h"

namespace frugal::robe {

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
