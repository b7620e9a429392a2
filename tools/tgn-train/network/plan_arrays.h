#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/device/engine.h"
#include "tools/tgn-train/network/step_plan.h"

namespace frugal::tgn {

/// Of each row that has a gradient, what adds to it, ascending: neighbours of the layer above by
/// their numbers, behind them its queries.
struct GradientLists {
  std::vector<std::uint32_t> begin;  ///< [rows + 1]
  std::vector<std::uint32_t> from;

  /// From QueryRows::self_gradient and neighbor_gradient, by a counting sort.
  void sort(const QueryRows& queries, std::size_t rows);
};

/// A plan as the arrays that engines of devices take (libcore/device/engine_kinds.md).
class PlanArrays {
 public:
  /// training: with all that the plan's gradients and losses need. Good until the next call, while
  /// the plan is as it is.
  std::span<const EngineArray> of(const StepPlan& plan, bool training);

 private:
  /// What is not in the plan as the arrays have it.
  struct Layer {
    std::vector<float> since;
    std::vector<std::uint32_t> neighbors;
    GradientLists gradients;
  };
  /// Arrays without rows are left out. columns: 0 where rows are numbers.
  void add(std::string name, frugal_type type, std::size_t rows, std::size_t columns,
           const void* data);
  void add_memory(const StepPlan& plan);
  void add_stores(const StepPlan& plan);
  void add_layer(const StepPlan& plan, std::size_t k, bool training);

  std::vector<EngineArray> arrays_;
  std::vector<std::uint32_t> loads_, updates_, stores_, messages_;
  std::vector<Layer> layers_;
};

}  // namespace frugal::tgn
