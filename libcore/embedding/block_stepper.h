#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/embedding/embedding.h"
#include "libcore/embedding/line_sums.h"
#include "libcore/embedding/parameter_array.h"
#include "libcore/kernels/kernels.h"

namespace frugal {

/// Takes the numbers that rows are made of, with their gradients.
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  /// The gradient of the numbers in `range` begins at x[source]; x stays the same and unchanged
  /// until flush().
  virtual void add(const float* x, std::size_t source, SlotRange range) = 0;
  virtual void flush() {}
};

/// Steps the blocks of a batch's gradient in the order they are added, those of one part only. The
/// array belongs to the parts in turn, a page each, so that each of its numbers sees the same steps
/// in the same order for any number of parts. Optimisers with OptimizerRule::step_blocks take every
/// block as a step of its own, unless their options want sums; the others the sum over the batch,
/// all numbers of a touched cache line together.
class BlockStepper final : public BlockSink {
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

  void add(const float* x, std::size_t source, SlotRange range) override;
  void flush() override;
  /// Call once, last.
  void finish();

 private:
  static constexpr std::size_t kPage = ParameterArray::kPage;
  static constexpr std::size_t kPending = 512;  ///< blocks that one call of a kernel steps

  bool owns(std::uint64_t slot) const { return slot / kPage % part_.count == part_.index; }
  void add_pieces(const float* x, SlotRange range);
  void scatter(const RowScatter& scatter, float* history);
  void step_piece(const float* x, SlotRange range);
  void step_lines();

  ParameterArray& array_;
  Layout layout_;
  float rate_;
  ParameterPart part_;
  const float* x_ = nullptr;
  std::vector<std::uint32_t> places_, sources_;  ///< whole blocks of this part, not stepped yet
  std::optional<LineSums> sums_;                 ///< where a step needs the sum over the batch
};

}  // namespace frugal
