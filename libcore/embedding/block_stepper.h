#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/embedding/embedding.h"
#include "libcore/embedding/parameter_array.h"
#include "libcore/kernels/kernels.h"

namespace frugal {

/// Steps the blocks of a batch's gradient in the order they are added, those of one part only. The
/// array belongs to the parts in turn, a page each, so that each of its numbers sees the same steps
/// in the same order for any number of parts. Optimisers with OptimizerRule::step_blocks take every
/// block as a step of its own; the others the sum over the batch, all numbers of a touched cache
/// line together.
class BlockStepper {
 public:
  /// Blocks of `layout.block` numbers at multiples of `layout.unit` are the fast ones; others may
  /// be shorter.
  struct Layout {
    std::size_t block = 1;
    std::size_t unit = 1;  ///< array size / unit < 2^32
  };
  BlockStepper(ParameterArray& array, Layout layout, float rate, ParameterPart part);
  BlockStepper(const BlockStepper&) = delete;
  BlockStepper& operator=(const BlockStepper&) = delete;

  /// The gradient of the numbers in `range` begins at x[source]; x stays the same and unchanged
  /// until flush().
  void add(const float* x, std::size_t source, SlotRange range);
  void flush();
  /// Call once, last.
  void finish();

 private:
  static constexpr std::size_t kPage = 4096;  ///< numbers; larger than any block but those of rows

  bool owns(std::uint64_t slot) const { return slot / kPage % part_.count == part_.index; }
  void add_pieces(const float* x, SlotRange range);
  void scatter(const RowScatter& scatter, float* history);
  void step_piece(const float* x, SlotRange range);
  void accumulate(const float* x, SlotRange range);
  std::size_t find_line(std::uint64_t line);
  void grow_lines();
  void step_lines();

  ParameterArray& array_;
  Layout layout_;
  float rate_;
  ParameterPart part_;
  const float* x_ = nullptr;
  std::vector<std::uint32_t> places_, sources_;  ///< whole blocks of this part, not stepped yet
  // Of sums: those of the lines touched, and a hash table from lines to them.
  std::vector<std::uint64_t> lines_;
  std::vector<float> sums_;
  std::vector<std::uint32_t> table_;
};

}  // namespace frugal
