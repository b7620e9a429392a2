#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/tgn-train/network/step_plan.h"

namespace frugal::tgn {

/// Cuts a step into parts that can be computed apart. Each has the queries of its events, as many
/// as the others' but for one, its share of what memory keeps, and all updates that both need. An
/// update may so be in several parts; the gradient of the step is the sum of theirs. Plans of DyRep
/// are not cut.
class PlanParts {
 public:
  explicit PlanParts(std::size_t count) : parts_(count) {}

  /// events: whose queries the plan has. The parts have no StepPlan::passed. Good until the next
  /// call.
  std::span<const StepPlan> cut(const StepPlan& whole, std::size_t events);

 private:
  /// Consecutive rows of a layer.
  struct Rows {
    std::size_t begin = 0, end = 0;
  };
  bool keeps(const StepPlan& whole, const MemoryStore& store, std::size_t number) const;
  void find_rows(const StepPlan& whole, Rows top);
  void mark_slots(const StepPlan& whole, std::size_t number);
  void number_slots(const StepPlan& whole, StepPlan& part);
  void copy_updates(const StepPlan& whole, StepPlan& part);
  void copy_loads(const StepPlan& whole, StepPlan& part) const;
  void copy_layer(const StepPlan& whole, std::size_t layer, StepPlan& part) const;
  void copy_stores(const StepPlan& whole, std::size_t number, StepPlan& part) const;
  std::uint32_t update_of(std::uint32_t update) const {
    return update == kNoRow ? kNoRow : update_numbers_[update];
  }

  std::vector<StepPlan> parts_;
  // Of the part in work.
  std::vector<Rows> rows_;                                    ///< of each layer
  std::vector<std::uint8_t> needed_;                          ///< [slots]
  std::vector<std::uint32_t> slot_numbers_, update_numbers_;  ///< in the part, or kNoRow
};

}  // namespace frugal::tgn
