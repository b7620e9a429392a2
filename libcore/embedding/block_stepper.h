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

/// Receives the numbers that rows consist of, with their gradients.
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  /// The gradient of the numbers in `range` begins at x[source]. All calls up to flush() must pass
  /// the same x, unchanged.
  virtual void add(const float* x, std::size_t source, SlotRange range) = 0;
  virtual void flush() {}
};

/// Steps the blocks of a batch's gradient in the order in which they are added, as far as they
/// belong to one part. Pages of the array belong to the parts in turn, so that each number gets the
/// same steps in the same order for any number of parts. Optimisers with OptimizerRule::step_blocks
/// step every block on its own, unless their options want sums. The others step the sum over the
/// batch, all numbers of a touched cache line together.
class BlockStepper final : public BlockSink {
 public:
  /// Shape of the blocks that are stepped fast: `block` numbers at multiples of `unit`. Others may
  /// be shorter.
  struct Layout {
    std::size_t block = 1;
    std::size_t unit = 1;  ///< array size / unit must be below 2^32
  };
  BlockStepper(ParameterArray& array, Layout layout, float rate, ParameterPart part);
  BlockStepper(const BlockStepper&) = delete;
  BlockStepper& operator=(const BlockStepper&) = delete;

  void add(const float* x, std::size_t source, SlotRange range) override;
  void flush() override;
  /// Steps all that is pending. Call it once, last.
  void finish();

 private:
  static constexpr std::size_t kPage = ParameterArray::kPage;
  static constexpr std::size_t kPending = 512;  ///< blocks that one kernel call steps

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
  std::vector<std::uint32_t> places_, sources_;  ///< whole blocks of this part that are pending
  std::optional<LineSums> sums_;                 ///< used if a step needs the sum over the batch
};

}  // namespace frugal
