#include "tools/tgn-train/network/engine_model.h"

#include <algorithm>
#include <string>

#include "libcore/base/text.h"

namespace frugal::tgn {
namespace {

EngineArray array_of(const std::string& name, std::span<const float> numbers) {
  return {name, FRUGAL_F32, {numbers.size()}, const_cast<float*>(numbers.data())};
}

constexpr std::span<const float> kNothing;

/// The arrays of a parameter: its values and, unless empty, the optimiser's state.
std::vector<EngineArray> arrays_of(const std::string& name, std::span<const float> numbers,
                                   std::span<const float> state) {
  std::vector<EngineArray> arrays{array_of(name, numbers)};
  if (!state.empty()) arrays.push_back(array_of(name + ".state", state));
  return arrays;
}

template <class Names, class Kind>
std::string name_of(const Names& names, Kind kind) {
  return std::string(names[static_cast<std::size_t>(kind)]);
}

std::string text_of(float value) { return format_number(static_cast<double>(value)); }

}  // namespace

EngineModel::EngineModel(TgnModel& model, const std::optional<OptimizerOptions>& optimizer,
                         bool message_time)
    : model_(model), optimizer_(optimizer), message_time_(message_time) {}

EngineSettings EngineModel::settings() const {
  const TgnOptions& o = model_.options();
  const TgnInputs& inputs = model_.inputs();
  const auto number = [](std::size_t n) { return std::to_string(n); };
  EngineSettings settings{{"neighbors", number(o.neighbors)},
                          {"memory_dim", number(o.memory_dim)},
                          {"time_dim", number(o.time_dim)},
                          {"edge_dim", number(inputs.edge_features)},
                          {"pair_dim", number(inputs.pair_features)},
                          {"node_features", inputs.node_features ? "1" : "0"},
                          {"message", name_of(kMessageNames, o.message)},
                          {"message_dim", number(o.message_dim)},
                          {"updater", name_of(kUpdaterNames, o.updater)},
                          {"embedding", name_of(kEmbeddingNames, o.embedding)},
                          {"layers", number(o.layers)},
                          {"heads", number(o.heads)},
                          {"dropout", text_of(o.dropout)},
                          {"train_time", o.train_time ? "1" : "0"},
                          {"message_time", message_time_ ? "1" : "0"},
                          {"precision", name_of(kPrecisionNames, o.precision)}};
  if (!optimizer_) return settings;
  const EngineSettings more = engine_settings(*optimizer_);
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

/// True if engines keep optimiser state for the time encoder. If no gradient reaches it, they do
/// not: the state is all zero.
bool EngineModel::times_have_state() const {
  return layers_encode_times(model_.options().embedding) || message_time_;
}

/// Visits the parameters that every training step changes. Without training the decoder is left
/// out, because the CPU computes the scores.
void EngineModel::visit_network(const ParameterVisit& visit) {
  model_.visit_layers(visit);
  if (optimizer_) model_.visit_decoder(visit);
}

/// steps: set to the layers' number of optimiser steps.
ParameterVisit EngineModel::setting(DeviceEngine& engine, std::uint64_t& steps,
                                    bool has_state) const {
  ParameterVisit visit;
  visit.layer = [&engine, &steps, this](const std::string& name, DenseLayer& layer) {
    const DenseLayer::Rows rows = layer.get_rows();
    engine.set(arrays_of(name, rows.weights, optimizer_ ? std::span(rows.state) : kNothing));
    steps = layer.steps();
  };
  visit.vector = [&engine, trains = has_state && optimizer_.has_value()](
                     const std::string& name, VectorParameter& vector, bool learns) {
    const std::span<const float> state = vector.state();
    engine.set(arrays_of(name, vector.values(), learns && trains ? state : kNothing));
  };
  return visit;
}

ParameterVisit EngineModel::getting(DeviceEngine& engine, std::uint64_t steps,
                                    bool has_state) const {
  ParameterVisit visit;
  visit.layer = [&engine, steps](const std::string& name, DenseLayer& layer) {
    const DenseLayer::Rows rows = layer.get_rows();
    engine.get(arrays_of(name, rows.weights, rows.state));
    layer.set_rows(rows, steps);
  };
  visit.vector = [&engine, steps, has_state](const std::string& name, VectorParameter& vector,
                                             bool learns) {
    if (!learns) return;
    if (has_state) engine.get(arrays_of(name, vector.values(), vector.state()));
    vector.set_steps(steps);
  };
  return visit;
}

void EngineModel::bring(DeviceEngine& engine) {
  if (is_there_) return;
  visit_network(setting(engine, steps_));
  model_.visit_time(setting(engine, steps_, times_have_state()));
  model_.visit_updater(setting(engine, updater_steps_));
  is_there_ = true;
}

void EngineModel::bring_back(DeviceEngine& engine) {
  if (!is_ahead_) return;
  visit_network(getting(engine, steps_));
  model_.visit_time(getting(engine, steps_, times_have_state()));
  model_.visit_updater(getting(engine, updater_steps_));
  is_ahead_ = false;
}

std::span<const double> EngineModel::count_step(const StepPlan& plan, const TgnPass& pass,
                                                float rate) {
  ++steps_;
  if (plan.updates.size() != 0) ++updater_steps_;
  is_ahead_ = true;
  numbers_.clear();
  add_scale(rate, steps_);
  // The engine does not read the updater's numbers in a step without updates. They are finite
  // nevertheless.
  add_scale(rate, std::max<std::uint64_t>(1, updater_steps_));
  for (std::size_t k = 0; k < model_.options().layers; ++k) {
    numbers_.push_back(dropout_key(pass, k));
  }
  return numbers_;
}

void EngineModel::add_scale(float rate, std::uint64_t step) {
  const AdamScale scale = adam_scale(*optimizer_, rate, step);
  numbers_.push_back(static_cast<double>(scale.rate));
  numbers_.push_back(static_cast<double>(scale.epsilon));
}

}  // namespace frugal::tgn
