#pragma once
#include <cstdint>
#include <string>

#include "libcore/io/tensor_file.h"
#include "libcore/options/option_fields.h"

namespace frugal {

/// --accumulate: mini-batches whose gradients make a step together, shared by the ranks of MPI; 0
/// is one a rank. parts: what a mini-batch's share in the step is, "mean gradient".
OptionField& add_accumulate(const OptionFields& f, std::uint32_t& mini_batches,
                            const std::string& parts);

/// Mini-batches of a step: `given`; without, as many as before in the checkpoint `state` (null:
/// none) of that path, whatever ranks there are now; else one a rank.
std::uint32_t mini_batches_of_step(std::uint32_t given, int ranks, const Document* state,
                                   const std::string& path);

/// Keeps it in a checkpoint.
void save_mini_batches(std::uint32_t mini_batches, Document& state);

/// Fails (unavailable) where a device is named for steps that are made together.
void refuse_device_for_joint_steps(const std::string& device, int ranks);

}  // namespace frugal
