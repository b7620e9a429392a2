#include "tools/sparse-train/train_init.h"

#include <algorithm>
#include <cassert>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

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

/// Its kind of network is as free as without --init where there are no trees.
void keep_output(const Model& model, TrainSettings& settings) {
  const bool asks_for_tree = settings.output == "tree" || settings.output == "hybrid";
  if (model.forest) {
    const char* const output = model.network ? "hybrid" : "tree";
    if (settings.output != "auto" && settings.output != output) {
      refuse("--output", settings.output,
             model.network ? "label trees and a network" : "label trees alone");
    }
    settings.output = output;
  } else if (asks_for_tree) {
    refuse("--output", settings.output, "a network alone");
  } else if (settings.output == "auto") {
    settings.output = "network";
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
  if (settings.trees != 0 && settings.trees != trees) {
    refuse("--trees", std::to_string(settings.trees), std::to_string(trees));
  }
  settings.trees = trees;
  if (settings.forest.beam == ForestOptions().beam) settings.forest.beam = forest.beam;
}

/// What a model is stands for the examples that it comes from: how far new ones move it falls with
/// their share of all, squared, unless new labels say that they are of another kind. init_search.h
/// then looks whether the model has seen them.
void weigh_earlier_examples(const Model& model, const TrainSettings& settings,
                            const DataFacts& facts, Plan& plan) {
  if (facts.labels > model.label_counts.counts.size()) return;
  const auto now = static_cast<double>(facts.examples);
  const double share = now / (now + static_cast<double>(model.label_counts.examples));
  const std::string reason = ": the model of --init knows " +
                             std::to_string(model.label_counts.examples) + " examples already";
  double& cost = plan.forest.nodes.solver.cost;
  if (plan.tree && settings.tree_cost <= 0) {
    cost *= share * share;
    plan.reasons.push_back("tree cost " + format_number(cost, 3) + reason);
  }
  if (plan.network && settings.learning_rate <= 0) {
    plan.learning_rate *= share * share;
    plan.reasons.push_back("learning rate " + format_number(plan.learning_rate, 3) + reason);
  }
}

}  // namespace

Plan plan_continuation(const Model& model, TrainSettings settings, const DataFacts& facts) {
  keep_output(model, settings);
  if (model.network) keep_network(model.network->shape, settings);
  if (model.forest) keep_forest(*model.forest, settings);
  Plan plan = plan_training(settings, facts);
  weigh_earlier_examples(model, settings, facts, plan);
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

}  // namespace frugal
