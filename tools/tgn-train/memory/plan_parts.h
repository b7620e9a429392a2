#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/tgn-train/network/step_plan.h"

namespace frugal::tgn {

/// Cuts a step into parts that can be computed independently. Each part has the queries of an equal
/// share of the events, a share of the records to store, and all updates that both need. An update
/// can therefore be in several parts. The gradient of the step is the sum of the parts' gradients.
/// Plans of DyRep cannot be cut.
class PlanParts {
 public:
  explicit PlanParts(std::size_t count) : parts_(count) {}

  /// Cuts the plan of a step with that many events; see SharedSteps. StepPlan::passed is not set in
  /// the parts. Valid until the next call.
  std::span<const StepPlan> cut(const StepPlan& whole, std::size_t events);

 private:
  /// Rows [begin, end) of a layer.
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
  // Working memory of cut(), for the present part.
  std::vector<Rows> rows_;                                    ///< [layers]
  std::vector<std::uint8_t> needed_;                          ///< [slots]
  std::vector<std::uint32_t> slot_numbers_, update_numbers_;  ///< number in the part, or kNoRow
};

}  // namespace frugal::tgn
