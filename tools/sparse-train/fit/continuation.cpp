#include "tools/sparse-train/fit/continuation.h"

#include <algorithm>
#include <cassert>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"

namespace frugal::sparse {
namespace {

/// Number of examples that a new label may count as if there are none of known labels. Measured on
/// 20,000 WordNet glosses with 44 labels, and 1,000 examples of a new label alone: P@1 of the
/// others falls by 0.02 points; with twice as many by 1 point, without the limit by 69.
constexpr double kFewNew = 10;

void copy_rows(const RowTable& from, RowTable& to) {
  assert(from.dim() == to.dim() && from.rows() <= to.rows());
  for (std::size_t r = 0; r < from.rows(); ++r) {
    to.write(r, from.row(r), static_cast<std::uint32_t>(r));
  }
}

[[noreturn]] void refuse(const char* option, const std::string& asked, const std::string& found) {
  fail(ExitStatus::usage, option, " is ", asked, ", but the model of --init has ", found);
}

void keep(const char* option, std::string_view value, std::string& setting) {
  if (setting != "auto" && setting != value) refuse(option, setting, std::string(value));
  setting = value;
}

/// Takes the architecture from the model of --init, and refuses another one. Without trees, the
/// network's output stays free.
void keep_output(const Model& model, TrainSettings& settings) {
  const bool asks_for_tree = settings.architecture == "tree" || settings.architecture == "hybrid";
  if (model.forest) {
    const char* const output = model.network ? "hybrid" : "tree";
    if (settings.architecture != "auto" && settings.architecture != output) {
      refuse("--architecture", settings.architecture,
             model.network ? "label trees and a network" : "label trees alone");
    }
    settings.architecture = output;
  } else if (asks_for_tree) {
    refuse("--architecture", settings.architecture, "a network alone");
  } else if (settings.architecture == "auto") {
    settings.architecture = "network";
  }
}

void keep_network(const NetworkShape& shape, TrainSettings& settings) {
  if (settings.hidden != 0 && settings.hidden != shape.hidden) {
    refuse("--hidden", std::to_string(settings.hidden), std::to_string(shape.hidden));
  }
  if (!settings.layers.empty() && settings.layers != shape.layers) {
    fail(ExitStatus::usage, "--layers differs from those of the model of --init, expected none");
  }
  settings.hidden = shape.hidden;
  settings.layers = shape.layers;
  keep("--activation", activation_name(shape.activation), settings.activation);
  keep("--loss", loss_name(shape.loss), settings.loss);
}

void keep_forest(const LabelForest& forest, TrainSettings& settings) {
  const auto trees = static_cast<std::uint32_t>(forest.trees.size());
  if (settings.forest.trees != 0 && settings.forest.trees != trees) {
    refuse("--trees", std::to_string(settings.forest.trees), std::to_string(trees));
  }
  settings.forest.trees = trees;
  if (settings.forest.beam == ForestOptions().beam) settings.forest.beam = forest.beam;
}

/// Examples of a training that goes on, by what the model knows of their labels.
struct Acquaintance {
  std::size_t known = 0;  ///< with a label that the model has examples of
  std::size_t fresh = 0;  ///< with a label that it has none of
};

Acquaintance acquaintance(const LabelCounts& earlier, const Dataset& data) {
  Acquaintance result;
  for (std::size_t i = 0; i < data.size(); ++i) {
    bool known = false, fresh = false;
    for (const std::uint32_t l : data.labels_of(i)) {
      const bool knows = l < earlier.counts.size() && earlier.counts[l] > 0;
      (knows ? known : fresh) = true;
    }
    result.known += known;
    result.fresh += fresh;
  }
  return result;
}

/// Limits the weight of examples with new labels. Only examples of known labels separate the new
/// labels from them. Without such examples a classifier would accept everything, so each new label
/// counts as kFewNew examples at most.
void weigh_new_labels(const Acquaintance& examples, double all, Plan& plan) {
  NodeTrainerOptions& nodes = plan.forest.nodes;
  const auto known = static_cast<double>(examples.known);
  nodes.fresh_cost = std::min(1.0, (known + kFewNew) / static_cast<double>(examples.fresh));
  nodes.known_cost = std::clamp(2 * known / all, nodes.known_cost, 1.0);
  if (nodes.fresh_cost == 1) return;
  log_warning(examples.fresh, " examples have labels that are new to the model of --init, ",
              examples.known, " have one that it knows: the new labels are learnt with ",
              format_number(100 * nodes.fresh_cost, 2),
              " % of their weight, or the model would forget the others. Train on as many examples "
              "of known labels with them");
}

/// Lowers the weight of the data for a model of --init, because the model stands for the examples
/// it was trained on. The cost of trees and the learning rate are multiplied by the squared share
/// of the new examples among all. With new labels the network is left alone, because the examples
/// are of another kind.
void weigh_earlier_examples(const Model& model, const TrainSettings& settings, const Dataset& data,
                            Plan& plan) {
  const auto now = static_cast<double>(data.size());
  const double all = now + static_cast<double>(model.label_counts.examples);
  const double share = now / all;
  const std::string reason = ": the model of --init knows " +
                             std::to_string(model.label_counts.examples) + " examples already";
  const Acquaintance examples = acquaintance(model.label_counts, data);
  if (plan.has_trees() && settings.forest.nodes.solver.cost <= 0) {
    NodeTrainerOptions& nodes = plan.forest.nodes;
    nodes.new_share = share;
    nodes.known_cost = share * share;
    if (examples.fresh > 0) weigh_new_labels(examples, all, plan);
    plan.reasons.push_back("tree cost " + format_number(nodes.solver.cost * nodes.known_cost, 3) +
                           reason);
  }
  if (plan.has_network() && settings.learning_rate <= 0 && examples.fresh == 0) {
    plan.learning_rate *= share * share;
    plan.reasons.push_back("learning rate " + format_number(plan.learning_rate, 3) + reason);
  }
}

}  // namespace

Plan plan_continuation(const Model& model, TrainSettings settings, const Dataset& data) {
  keep_output(model, settings);
  if (model.network) keep_network(model.network->shape, settings);
  if (model.forest) keep_forest(*model.forest, settings);
  Plan plan = plan_training(settings, facts_of(data));
  weigh_earlier_examples(model, settings, data, plan);
  if (model.forest) {
    plan.reasons.push_back("trees " + std::to_string(plan.forest.trees) +
                           ": those of the model of --init, trained further");
  }
  return plan;
}

void copy_parameters(const Network& from, Network& to) {
  copy_rows(from.features, to.features);
  for (std::size_t i = 0; i < from.layers.size(); ++i) copy_rows(from.layers[i], to.layers[i]);
  copy_rows(from.labels, to.labels);
}

void add_counts(const LabelCounts& earlier, LabelCounts& counts) {
  counts.examples += earlier.examples;
  for (std::size_t l = 0; l < earlier.counts.size(); ++l) counts.counts[l] += earlier.counts[l];
}

}  // namespace frugal::sparse
