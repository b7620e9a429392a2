#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/device/engine.h"
#include "tools/tgn-train/network/step_plan.h"

namespace frugal::tgn {

/// For each row below, the entries that add to its gradient, ascending: numbers of neighbours of
/// the layer above, then numbers of its queries, counted on from the neighbours.
struct GradientLists {
  std::vector<std::uint32_t> begin;  ///< [rows + 1]
  std::vector<std::uint32_t> from;

  /// Fills the lists from QueryRows::self_gradient and neighbor_gradient by a counting sort.
  void sort(const QueryRows& queries, std::size_t rows);
};

/// A plan as the arrays that device engines read (libcore/device/engine_kinds.md).
class PlanArrays {
 public:
  /// training: adds what gradients and losses need. Valid until the next call, while the plan does
  /// not change.
  std::span<const EngineArray> of(const StepPlan& plan, bool training);

 private:
  /// A layer's arrays that the plan has in another layout or not at all.
  struct Layer {
    std::vector<float> since;
    std::vector<std::uint32_t> neighbors;
    GradientLists gradients;
  };
  /// Adds an array, unless it has no rows. columns: 0 for a vector.
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
