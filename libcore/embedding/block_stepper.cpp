#include "libcore/embedding/block_stepper.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "libcore/base/hash.h"
#include "libcore/nn/optimizer_rules.h"

namespace frugal {
namespace {

constexpr std::size_t kPending = 512;  ///< blocks that are stepped by one call of a kernel
constexpr std::size_t kLine = 16;      ///< numbers in a cache line
constexpr std::size_t kFirstLines = 1024;

}  // namespace

BlockStepper::BlockStepper(ParameterArray& array, Layout layout, float rate, ParameterPart part)
    : array_(array), layout_(layout), rate_(rate), part_(part) {
  assert(array.size() / layout.unit <= std::numeric_limits<std::uint32_t>::max());
  places_.reserve(kPending);
  sources_.reserve(kPending);
  if (optimizer_rule(array.optimizer().kind).step_blocks == nullptr) table_.resize(2 * kFirstLines);
}

void BlockStepper::add(const float* x, std::size_t source, SlotRange range) {
  const std::uint64_t last = range.slot + range.length - 1;
  const bool one_owner = part_.count == 1 || range.slot / kPage == last / kPage;
  if (one_owner && !owns(range.slot)) return;
  if (!one_owner || range.length != layout_.block || !table_.empty()) {
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
      if (table_.empty()) {
        step_piece(x, {range.slot, length});
      } else {
        accumulate(x, {range.slot, length});
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
  if (!table_.empty()) step_lines();
}

void BlockStepper::accumulate(const float* x, SlotRange range) {
  for (std::size_t i = 0; i < range.length;) {
    const std::uint64_t slot = range.slot + i;
    const std::size_t n = std::min(range.length - i, kLine - slot % kLine);
    const std::size_t place = find_line(slot / kLine);  // may move the sums
    float* sums = sums_.data() + place * kLine + slot % kLine;
    for (std::size_t k = 0; k < n; ++k) sums[k] += x[i + k];
    i += n;
  }
}

/// The place of a line's sums, made where there is none.
std::size_t BlockStepper::find_line(std::uint64_t line) {
  const std::size_t mask = table_.size() - 1;
  std::size_t i = mix64(line) & mask;
  for (; table_[i] != 0; i = (i + 1) & mask) {
    if (lines_[table_[i] - 1] == line) return table_[i] - 1;
  }
  lines_.push_back(line);
  sums_.resize(lines_.size() * kLine);
  table_[i] = static_cast<std::uint32_t>(lines_.size());
  if (2 * lines_.size() > table_.size()) grow_lines();
  return lines_.size() - 1;
}

void BlockStepper::grow_lines() {
  table_.assign(2 * table_.size(), 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    std::size_t i = mix64(lines_[l]) & mask;
    while (table_[i] != 0) i = (i + 1) & mask;
    table_[i] = static_cast<std::uint32_t>(l + 1);
  }
}

void BlockStepper::step_lines() {
  const OptimizerOptions& options = array_.optimizer();
  const OptimizerRule& rule = optimizer_rule(options.kind);
  const auto state_at = [](float* state, std::uint64_t slot) {
    return state == nullptr ? nullptr : state + slot;
  };
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    const std::uint64_t slot = lines_[l] * kLine;
    const std::size_t n = std::min<std::uint64_t>(kLine, array_.size() - slot);
    rule.step({array_.values().data() + slot, state_at(array_.first_state(), slot),
               state_at(array_.second_state(), slot), sums_.data() + l * kLine, n},
              rate_, options);
  }
}

}  // namespace frugal
