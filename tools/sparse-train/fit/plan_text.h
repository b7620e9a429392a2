#pragma once
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/fit/plan.h"

namespace frugal::sparse {

/// All settings of a plan that have an effect, as one line of "name=value": equal lines mean equal
/// training.
std::string plan_text(const Plan& plan);

/// Stores the plan in a checkpoint.
void store_plan(const Plan& plan, Metadata& metadata);
/// Fails (usage) if the checkpoint at `path` is of a training by another plan.
void check_stored_plan(const Plan& plan, const Metadata& metadata, const std::string& path);

}  // namespace frugal::sparse
