#include "tools/sparse-train/fit/setup.h"

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/device/registry.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/parallel/communicator.h"
#include "libcore/system/limits.h"
#include "tools/sparse-train/network/device_scorer.h"
#include "tools/sparse-train/outputs/lsh_candidates.h"
#include "tools/sparse-train/outputs/lsh_output.h"
#include "tools/sparse-train/outputs/output_layers.h"
#include "tools/sparse-train/scoring/evaluation.h"

namespace frugal::sparse {
namespace {

constexpr double kLeastReach = 0.3;  ///< of a weight: rate times steps

OptimizerOptions optimizer_of(const Plan& plan) {
  OptimizerOptions options;
  options.kind = optimizer_from_name(plan.optimizer);
  options.weight_decay = plan.weight_decay;
  return options;
}

}  // namespace

NetworkShape network_shape(const Plan& plan, const Dataset& data) {
  NetworkShape shape;
  shape.num_features = data.num_features;
  shape.num_labels = data.num_labels;
  shape.hidden = plan.hidden;
  shape.activation = activation_from_name(plan.activation);
  shape.loss = loss_from_name(plan.loss);
  shape.layers = plan.layers;
  shape.half_labels = plan.label_weights == "bf16";
  return shape;
}

std::uint64_t network_bytes(const Plan& plan, const Dataset& data) {
  return Network::num_bytes(network_shape(plan, data), optimizer_from_name(plan.optimizer));
}

void check_network_memory(const Plan& plan, const Dataset& data, const std::string& path) {
  const NetworkShape shape = network_shape(plan, data);
  check_memory(path + ": a network of " + std::to_string(shape.num_features) + " features, " +
                   std::to_string(shape.hidden) + " hidden units and " +
                   std::to_string(shape.num_labels) + " labels",
               network_bytes(plan, data));
}

void warn_of_small_steps(const Plan& plan, const Dataset& data) {
  const std::size_t batches = (data.size() + plan.batch_size - 1) / plan.batch_size;
  const double steps = static_cast<double>(batches) * plan.epochs;
  const double reach = plan.learning_rate * steps;
  if (optimizer_from_name(plan.optimizer) != OptimizerKind::adam || reach >= kLeastReach) return;
  log_warning("Adam at rate ", format_number(plan.learning_rate), " moves a weight by at most ",
              format_number(reach, 2), " in ", steps,
              " steps, which is too little to learn: raise --learning-rate or --epochs");
}

OutputOptions output_options(const Plan& plan, std::uint64_t seed, Precision precision) {
  OutputOptions options;
  options.batch_size = plan.batch_size;
  options.negatives = plan.negatives;
  options.correct_sampling = plan.correct_sampling;
  options.seed = seed;
  options.optimizer = optimizer_of(plan);
  options.precision = precision;
  return options;
}

std::unique_ptr<OutputLayer> make_output(const Plan& plan, Network& network, const Dataset& data,
                                         std::uint64_t seed, Precision precision) {
  const OutputOptions options = output_options(plan, seed, precision);
  if (plan.output == OutputKind::dense) return make_dense_output(network, data, options);
  if (!plan.uses_tables()) return make_shared_output(network, data, options);
  LshOptions lsh = choose_lsh(plan.lsh, data.num_labels);
  lsh.set_seed(seed);
  if (plan.output == OutputKind::shared) {
    return make_shared_output(network, data, options,
                              std::make_unique<LshCandidates>(network, data, lsh, plan.batch_size));
  }
  return make_lsh_output(network, data, options, lsh);
}

void refuse_trees(const TrainOptions& options) {
  if (names_device(options.device)) fail(ExitStatus::unavailable, kNoTreesOnDevices);
}

void prepare_for_device(TrainOptions& options) {
  if (!names_device(options.device)) return;
  TrainSettings& s = options.settings;
  if (s.has_trees() || s.architecture == "lsh" || s.lsh.hard != 0) refuse_trees(options);
  network_settings({.layers = s.layers}, OptimizerKind::sgd);
  if (s.weight_decay > 0) {
    fail(ExitStatus::unavailable, "--weight-decay has no engine for devices: use --device cpu");
  }
  if (s.architecture == "auto") s.architecture = "network";
}

namespace {

bool on_ranks(const TrainOptions& options) {
  return options.ranks != nullptr && options.ranks->size() > 1;
}

}  // namespace

void prepare_for_ranks(const TrainOptions& options) {
  if (names_device(options.device) && (on_ranks(options) || options.settings.label_shards > 1)) {
    fail(ExitStatus::unavailable, "--device ", options.device, " has no engine for ",
         on_ranks(options) ? "several ranks" : "--label-shards", ": use --device cpu");
  }
  if (!on_ranks(options)) return;
  if (!options.init.empty()) {
    fail(ExitStatus::unavailable, "--init goes on in one process, not on several ranks");
  }
  if (options.settings.find_learning_rate) {
    fail(ExitStatus::unavailable,
         "--find-learning-rate trains in one process, not on several ranks");
  }
  if (options.data == "-") {
    fail(ExitStatus::unavailable, "stdin is the first rank's alone: name a file, which all read");
  }
}

void refuse_ranks(const TrainOptions& options, const Plan& plan) {
  if (!plan.has_network() || !plan.uses_tables()) return;
  if (!on_ranks(options) && options.settings.label_shards <= 1) return;
  fail(ExitStatus::unavailable,
       "hash tables are of one process and have no label shards: use --architecture dense or "
       "shared, without --lsh-hard");
}

namespace {

constexpr char kLabelShards[] = "sparse-train.label_shards";

}  // namespace

void store_label_shards(std::uint32_t count, Metadata& metadata) {
  metadata[kLabelShards] = std::to_string(count);
}

std::uint32_t stored_label_shards(const Document& state, const std::string& path) {
  const auto found = state.metadata.find(kLabelShards);
  if (found == state.metadata.end()) return 1;
  const auto count = parse_number<std::uint32_t>(found->second);
  if (!count || *count == 0) {
    fail(ExitStatus::bad_input, path, ": ", kLabelShards, " is '", printable(found->second),
         "', expected a number of label shards");
  }
  return *count;
}

bool trains_on_devices(const TrainOptions& options, const Plan& plan) {
  const bool can = plan.has_network() && !plan.has_trees() && !plan.uses_tables();
  if (!can) refuse_trees(options);
  return can && plan.weight_decay == 0;
}

DeviceTraining device_training(const TrainOptions& options, const Plan& plan, const Dataset& data) {
  DeviceTraining training{options.device, "sparse-train train",
                          trainer_setup(plan, data, options.seed, options.precision)};
  training.shared = plan.output == OutputKind::shared;
  training.negatives = plan.negatives;
  training.correct_sampling = plan.correct_sampling;
  training.ranks = options.fitted_f1 ? kDecidedRanks : kEvaluatedRanks;
  return training;
}

TrainerSetup trainer_setup(const Plan& plan, const Dataset& data, std::uint64_t seed,
                           Precision precision) {
  TrainerSetup setup;
  setup.batch_size = plan.batch_size;
  setup.optimizer = optimizer_of(plan);
  setup.dropout = plan.dropout;
  setup.precision = precision;
  setup.seed = seed;
  const std::uint64_t batches = (data.size() + plan.batch_size - 1) / plan.batch_size;
  setup.schedule = Schedule{schedule_from_name(plan.schedule), plan.learning_rate}.over(
      batches * static_cast<std::uint64_t>(plan.epochs), plan.warm_up);
  return setup;
}

}  // namespace frugal::sparse
