#pragma once
#include <cstdint>
#include <string>

#include "libcore/options/option_fields.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// The mini-batches, or parts of one, whose gradients make up an optimiser step of all ranks. By
/// default the ranks share one mini-batch of --batch-size. More mini-batches mean fewer steps,
/// which learn less at the same learning rate.
struct JointBatches {
  std::uint32_t count = 1;
  std::size_t size = 1;    ///< samples of one part
  bool share_one = false;  ///< the ranks share a single mini-batch
};

/// Adds --accumulate: the number of mini-batches whose gradients make up a step, divided among the
/// ranks. 0: one mini-batch, of which each rank takes a part. parts: name of a mini-batch's
/// contribution in the help, "mean gradient".
OptionField& add_accumulate(const OptionFields& f, std::uint32_t& mini_batches,
                            const std::string& parts);

/// Parts of a step. `given` not 0: that many mini-batches. Otherwise one mini-batch, divided into
/// as many parts as in the checkpoint `state` at `path`, whatever the number of ranks now; without
/// a checkpoint (null) into one part per rank.
JointBatches batches_of_step(std::uint32_t given, std::size_t batch_size, int ranks,
                             const Document* state, const std::string& path);

/// Stores them in a checkpoint.
void save_batches(const JointBatches& batches, Document& state);

/// Explanation of a step for the user, and what more mini-batches mean; "" for steps of one.
std::string joint_step_text(const JointBatches& batches, const std::string& samples);

/// Fails (unavailable) if --device names a device: no engine makes joint steps.
void refuse_device_for_joint_steps(const std::string& device, int ranks);

}  // namespace frugal
