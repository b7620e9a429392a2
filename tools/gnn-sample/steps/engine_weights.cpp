#include "tools/gnn-sample/steps/engine_weights.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/nn/optimizer_rules.h"

namespace frugal::gnn {
namespace {

constexpr const char* kStates[] = {".first", ".second"};

EngineArray array_of(const std::string& name, std::span<float> numbers) {
  return {name, FRUGAL_F32, {numbers.size()}, numbers.data()};
}

/// Numbers of a matrix without what lies behind its rows.
class DenseCopy {
 public:
  explicit DenseCopy(const Weights& weights)
      : numbers_(weights.size()), in_(weights.in()), out_(weights.out()) {}
  MatrixView<float> view() { return {numbers_.data(), in_, out_, out_}; }
  void send(DeviceEngine& engine, const std::string& name) {
    const EngineArray array = array_of(name, numbers_);
    engine.set({&array, 1});
  }
  MatrixView<float> fetch(DeviceEngine& engine, const std::string& name) {
    const EngineArray array = array_of(name, numbers_);
    engine.get({&array, 1});
    return view();
  }

 private:
  std::vector<float> numbers_;
  std::size_t in_, out_;
};

void copy_rows(MatrixView<const float> from, MatrixView<float> to) {
  for (std::size_t r = 0; r < from.rows; ++r) std::copy_n(from.row(r), from.cols, to.row(r));
}

std::string text_of(float value) { return format_number(static_cast<double>(value)); }

/// Both arrays of running moments.
std::vector<EngineArray> moments_of(const std::string& name, BatchNorm& norm) {
  return {array_of(name + ".running_mean", norm.running_mean()),
          array_of(name + ".running_var", norm.running_variance())};
}

}  // namespace

EngineWeights::EngineWeights(GnnModel& model, const OptimizerOptions& optimizer)
    : model_(model), optimizer_(optimizer) {}

std::size_t EngineWeights::num_states() const { return optimizer_rule(optimizer_.kind).num_states; }

EngineSettings EngineWeights::settings() const {
  const GnnOptions& o = model_.options();
  const auto number = [](std::size_t n) { return std::to_string(n); };
  const auto flag = [](bool on) { return std::string(on ? "1" : "0"); };
  const auto name = [](const auto& names, auto kind) {
    return std::string(names[static_cast<std::size_t>(kind)]);
  };
  OptimizerOptions optimizer = optimizer_;
  optimizer.weight_decay = o.weight_decay;
  EngineSettings settings = engine_settings(optimizer);
  settings.insert(settings.end(), {{"architecture", o.kind},
                                   {"layers", number(o.num_layers)},
                                   {"features", number(model_.num_features())},
                                   {"outputs", number(model_.num_outputs())},
                                   {"hidden", number(o.hidden)},
                                   {"aggregate", name(kSageAggregateNames, o.aggregate)},
                                   {"heads", number(o.heads)},
                                   {"output_heads", number(o.output_heads)},
                                   {"head_layers", number(o.head_layers)},
                                   {"activation", name(kActivationNames, o.activation)},
                                   {"dropout", text_of(o.dropout)},
                                   {"input_dropout", text_of(o.input_dropout)},
                                   {"attention_dropout", text_of(o.attention_dropout)},
                                   {"batch_norm", flag(o.norm == NormKind::batch)},
                                   {"bias", flag(o.bias)},
                                   {"train_epsilon", flag(o.train_epsilon)},
                                   {"decay_first_only", flag(o.decay_first_only)},
                                   {"precision", name(kPrecisionNames, o.precision)}});
  return settings;
}

void EngineWeights::bring(DeviceEngine& engine) {
  if (is_there_) return;
  model_.visit_weights([&](const std::string& name, Weights& weights, bool trained) {
    DenseCopy copy(weights);
    copy_rows(weights.values(), copy.view());
    copy.send(engine, name);
    for (std::size_t k = 0; trained && k < num_states(); ++k) {
      weights.read_state(k, copy.view());
      copy.send(engine, name + kStates[k]);
    }
    if (trained) steps_ = weights.steps();
  });
  model_.visit_norms(
      [&](const std::string& name, BatchNorm& norm) { engine.set(moments_of(name, norm)); });
  is_there_ = true;
}

void EngineWeights::bring_back(DeviceEngine& engine) {
  if (!is_ahead_) return;
  model_.visit_weights([&](const std::string& name, Weights& weights, bool trained) {
    if (!trained) return;
    DenseCopy copy(weights);
    copy_rows(copy.fetch(engine, name), weights.values());
    weights.changed();
    for (std::size_t k = 0; k < num_states(); ++k) {
      weights.write_state(k, copy.fetch(engine, name + kStates[k]));
    }
    weights.set_steps(steps_);
  });
  model_.visit_norms(
      [&](const std::string& name, BatchNorm& norm) { engine.get(moments_of(name, norm)); });
  is_ahead_ = false;
}

AdamScale EngineWeights::count_step(float rate) {
  is_ahead_ = true;
  return adam_scale(optimizer_, rate, ++steps_);
}

}  // namespace frugal::gnn
