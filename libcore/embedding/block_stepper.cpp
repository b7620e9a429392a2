#include "libcore/embedding/block_stepper.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "libcore/nn/optimizer_rules.h"

namespace frugal {

BlockStepper::BlockStepper(ParameterArray& array, Layout layout, float rate, ParameterPart part)
    : array_(array), layout_(layout), rate_(rate), part_(part) {
  assert(array.size() / layout.unit <= std::numeric_limits<std::uint32_t>::max());
  places_.reserve(kPending);
  sources_.reserve(kPending);
  const OptimizerOptions& options = array.optimizer();
  if (options.sums_blocks || optimizer_rule(options.kind).step_blocks == nullptr) sums_.emplace();
}

void BlockStepper::add(const float* x, std::size_t source, SlotRange range) {
  const std::uint64_t last = range.slot + range.length - 1;
  const bool one_owner = part_.count == 1 || range.slot / kPage == last / kPage;
  if (one_owner && !owns(range.slot)) return;
  if (!one_owner || range.length != layout_.block || sums_) {
    return add_pieces(x + source, range);
  }
  x_ = x;
  places_.push_back(static_cast<std::uint32_t>(range.slot / layout_.unit));
  sources_.push_back(static_cast<std::uint32_t>(source));
  if (places_.size() == kPending) flush();
}

/// The parts of a block that lie in this part's pages. What was added before comes first.
void BlockStepper::add_pieces(const float* x, SlotRange range) {
  flush();
  while (range.length != 0) {
    std::size_t length = range.length;
    if (part_.count != 1) length = std::min(length, kPage - range.slot % kPage);
    if (owns(range.slot)) {
      if (sums_) {
        sums_->add(x, {range.slot, length});
      } else {
        step_piece(x, {range.slot, length});
      }
    }
    x += length;
    range.slot += length;
    range.length -= length;
  }
}

void BlockStepper::step_piece(const float* x, SlotRange range) {
  const std::uint32_t zero = 0;
  float* history = array_.first_state();
  scatter({.table = array_.values().data() + range.slot,
           .stride = 1,
           .dim = range.length,
           .rows = &zero,
           .sources = &zero,
           .n = 1,
           .x = x},
          history == nullptr ? nullptr : history + range.slot);
}

void BlockStepper::flush() {
  if (places_.empty()) return;
  scatter({.table = array_.values().data(),
           .stride = layout_.unit,
           .dim = layout_.block,
           .rows = places_.data(),
           .sources = sources_.data(),
           .n = places_.size(),
           .x = x_},
          array_.first_state());
  places_.clear();
  sources_.clear();
}

void BlockStepper::scatter(const RowScatter& scatter, float* history) {
  const OptimizerOptions& options = array_.optimizer();
  optimizer_rule(options.kind).step_blocks(scatter, history, rate_, options);
}

void BlockStepper::finish() {
  flush();
  if (sums_) step_lines();
}

void BlockStepper::step_lines() {
  const OptimizerOptions& options = array_.optimizer();
  const auto state_at = [](float* state, std::uint64_t slot) {
    return state == nullptr ? nullptr : state + slot;
  };
  constexpr std::size_t kLine = LineSums::kLine;
  for (std::size_t l = 0; l < sums_->lines().size(); ++l) {
    const std::uint64_t slot = sums_->lines()[l] * kLine;
    const std::size_t n = std::min<std::uint64_t>(kLine, array_.size() - slot);
    step_block({array_.values().data() + slot, state_at(array_.first_state(), slot),
                state_at(array_.second_state(), slot), sums_->sums().data() + l * kLine, n},
               rate_, options);
  }
}

}  // namespace frugal
