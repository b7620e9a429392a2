#pragma once
#include <memory>
#include <string>

#include "tools/sparse-train/fit/plan.h"
#include "tools/sparse-train/outputs/output_layer.h"
#include "tools/sparse-train/settings/train_options.h"
#include "tools/sparse-train/steps/device_trainer.h"

namespace frugal::sparse {

// Parts of a network's training, made from a plan.

NetworkShape network_shape(const Plan& plan, const Dataset& data);
/// Size of the network's tables in bytes.
std::uint64_t network_bytes(const Plan& plan, const Dataset& data);

/// Fails (unavailable) if the network does not fit into memory. path: of the data.
void check_network_memory(const Plan& plan, const Dataset& data, const std::string& path);

/// Warns if Adam's learning rate and number of steps are too small. Adam moves a weight by at most
/// the rate in a step. On bibtex and wordnet-hypernyms, with any output, a total of 0.2 or less
/// still ranks labels by frequency (P@1 7.8 and 38 %); 1.9 suffices (86 %).
void warn_of_small_steps(const Plan& plan, const Dataset& data);

OutputOptions output_options(const Plan& plan, std::uint64_t seed, Precision precision);

/// `network` and `data` must outlive the layer.
std::unique_ptr<OutputLayer> make_output(const Plan& plan, Network& network, const Dataset& data,
                                         std::uint64_t seed, Precision precision);

/// Checks before reading data that the device can train this. If --device names one, fails
/// (unavailable) on options that it has no engine for, and rules out label trees for --architecture
/// auto. Does nothing on the CPU.
void prepare_for_device(TrainOptions& options);
/// Fails (unavailable) if --device names a device, which cannot continue a model of label trees.
void refuse_trees(const TrainOptions& options);
/// Checks before reading data that several ranks can share this training. Fails (unavailable)
/// otherwise.
void prepare_for_ranks(const TrainOptions& options);
/// Checks the same for a plan, and --label-shards.
void refuse_ranks(const TrainOptions& options, const Plan& plan);

/// Stores or reads the number of label shards in a checkpoint. Fails (bad_input) if it is not a
/// number.
void store_label_shards(std::uint32_t count, Metadata& metadata);
std::uint32_t stored_label_shards(const Document& state, const std::string& path);

/// True if a device engine can train the plan. Fails (unavailable) if it cannot and --device names
/// a device.
bool trains_on_devices(const TrainOptions& options, const Plan& plan);
DeviceTraining device_training(const TrainOptions& options, const Plan& plan, const Dataset& data);

/// Setup of a trainer whose schedule runs over plan.epochs epochs.
TrainerSetup trainer_setup(const Plan& plan, const Dataset& data, std::uint64_t seed,
                           Precision precision);

}  // namespace frugal::sparse
