#include "tools/sparse-train/train_init.h"

#include <algorithm>
#include <cassert>

#include "libcore/base/error.h"

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

}  // namespace

Model load_initial_model(const std::string& path) {
  Model model = load_model(path);
  if (model.network) return model;
  fail(ExitStatus::usage, path, ": has label trees alone, expected a network for --init");
}

Plan plan_continuation(const Network& network, TrainSettings settings, const DataFacts& facts) {
  const NetworkShape& shape = network.shape;
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
  Plan plan = plan_training(settings, facts);
  if (plan.tree && settings.output == "auto") {
    settings.output = output_name(plan.output);
    plan = plan_training(settings, facts);
  }
  if (!plan.tree) return plan;
  fail(ExitStatus::usage, "--output ", settings.output,
       " grows label trees, which would know the new data alone, expected a network for --init");
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
