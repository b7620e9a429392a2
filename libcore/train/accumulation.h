#pragma once
#include <cstdint>
#include <string>

#include "libcore/options/option_fields.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Parts that make up a step of all ranks. Its rate is that of a mini-batch of --batch-size, so by
/// default the ranks share one: larger steps are fewer, and learn less at the same rate.
struct JointBatches {
  std::uint32_t count = 1;
  std::size_t size = 1;    ///< samples of each
  bool share_one = false;  ///< the parts of a mini-batch
};

/// --accumulate: mini-batches whose gradients make a step together, shared by the ranks of MPI; 0
/// is one of which each rank has a part. parts: what a mini-batch's share in the step is, "mean
/// gradient".
OptionField& add_accumulate(const OptionFields& f, std::uint32_t& mini_batches,
                            const std::string& parts);

/// `given` mini-batches of that size; without, parts of one: as many as before in the checkpoint
/// `state` (null: none) of that path, whatever ranks there are now, else as many as ranks.
JointBatches batches_of_step(std::uint32_t given, std::size_t batch_size, int ranks,
                             const Document* state, const std::string& path);

/// Keeps them in a checkpoint.
void save_batches(const JointBatches& batches, Document& state);

/// For people: what a step has, and what a larger one means. "" for steps of one mini-batch.
std::string joint_step_text(const JointBatches& batches, const std::string& samples);

/// Fails (unavailable) where a device is named for steps that are made together.
void refuse_device_for_joint_steps(const std::string& device, int ranks);

}  // namespace frugal
