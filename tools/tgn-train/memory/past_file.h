#pragma once
#include <cstddef>
#include <string>

#include "libcore/io/tensor_file.h"
#include "tools/tgn-train/memory/step_planner.h"

namespace frugal::tgn {

/// Adds of the first nodes their last events and those before: tensors past.last and past.previous.
void save_past(const StepPlanner::Past& past, std::size_t num_nodes, Document& document);

/// The same again, of as many nodes as the view has, those behind the first `num_nodes` without
/// events. Fails (bad_input) with `path` where a node has an event that it is not in, or one that
/// is not before `end`.
StepPlanner::Past load_past(const Document& document, const std::string& path,
                            const EventView& events, std::size_t num_nodes, EventId end);

}  // namespace frugal::tgn
