#include "tools/robe-compress/steps/train_rates.h"

#include <algorithm>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/nn/optimizer_rules.h"
#include "tools/robe-compress/model/click_model.h"

namespace frugal::robe {
namespace {

std::size_t batch_for(std::uint64_t samples) {
  if (samples == 0 || samples >= 1'000'000) return 2048;
  return samples >= 100'000 ? 512 : 128;
}

}  // namespace

TrainOptions resolve_rates(TrainOptions o, std::uint64_t samples) {
  const OptimizerRule& rule = optimizer_rule(optimizer_from_name(o.optimizer));
  if (o.embedding_rate <= 0) {
    o.embedding_rate = o.learning_rate > 0 ? o.learning_rate * rule.embedding_rate / rule.rate
                                           : rule.embedding_rate;
  }
  if (o.learning_rate <= 0) o.learning_rate = rule.rate;
  if (o.warm_up < 0) o.warm_up = rule.warm_up;
  if (o.batch_size == 0) o.batch_size = batch_for(samples);
  if (o.joint.accumulate == 0) {
    o.joint.accumulate = o.ranks == nullptr ? 1 : static_cast<std::uint32_t>(o.ranks->size());
  }
  if (o.schedule == "auto") o.schedule = ends_by_validation(o) ? "constant" : "linear";
  return o;
}

TrainOptions for_small_tables(TrainOptions o) {
  constexpr float kDecay = 0.003F;
  const auto is_given = [&o](std::string_view option) {
    return std::ranges::find(o.for_small, option) != o.for_small.end();
  };
  o.embedding.method = "full";
  if (o.find_storage) o.embedding.storage = Storage::int8;
  if (!is_given("--optimizer")) o.optimizer = "adagrad";
  if (!is_given("--embedding-decay")) o.embedding_decay = kDecay;
  if (!is_given("--top")) o.network.top = {128, 64};
  return o;
}

TrainOptions for_linear(TrainOptions o, std::uint64_t samples) {
  constexpr int kSweeps = 12;
  if (samples == 0) {
    fail(ExitStatus::usage,
         "--architecture linear passes over its samples several times: leave out --stream");
  }
  o.dim = 1;
  o.network.bottom = o.network.top = {};
  o.embedding.method = "full";
  o.find_size = false;
  if (o.find_storage) o.embedding.storage = Storage::f32;
  o.find_storage = false;
  o.optimizer = "sgd";
  o.embedding_decay = 0;
  o.batch_size = samples;
  if (o.epochs == 0 && o.steps == 0) o.epochs = kSweeps;
  return o;
}

TrainOptions with_choice(TrainOptions o, ModelChoice choice, std::uint64_t samples) {
  if (choice == ModelChoice::network) return o;
  if (choice == ModelChoice::linear) {
    o.network.architecture = "linear";
    o.embedding.storage = Storage::f32;
    o.epochs = 0;
    o.steps = 0;
    return for_linear(std::move(o), samples);
  }
  o.embedding_decay = 0;
  o.embedding_l2 = 10;
  o.embedding_rate = 0.2;
  return o;
}

std::vector<float> row_decay(double l2, const ClickEncoder& encoder) {
  const TableSet tables = tables_of(encoder, 1);
  std::vector<float> decay(tables.num_rows(), static_cast<float>(l2));
  for (std::size_t f = 0; f < encoder.num_fields(); ++f) {
    const auto counts = encoder.counts(f);
    if (counts.empty()) {
      fail(ExitStatus::usage, "--embedding-l2 needs to know how often rows occur: use --ids count");
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      decay[tables.first_row(f) + encoder.row_of(f, i)] =
          static_cast<float>(l2 / std::max<std::uint32_t>(1, counts[i]));
    }
  }
  return decay;
}

int epochs_by_size(std::uint64_t samples) { return samples > 0 && samples < 100'000 ? 2 : 1; }

TrainerSetup make_setup(const TrainOptions& options, const ClickEncoder& encoder,
                        std::optional<std::uint64_t> total_steps) {
  TrainerSetup setup;
  setup.batch_size = options.batch_size;
  setup.optimizer.kind = optimizer_from_name(options.optimizer);
  setup.weight_decay = options.weight_decay;
  setup.embedding_decay.all = options.embedding_decay;
  setup.l2 = static_cast<double>(options.embedding_l2);
  if (setup.l2 > 0 && !find_architecture(options.network.architecture).is_linear) {
    setup.embedding_decay.by_row = row_decay(setup.l2, encoder);
  }
  setup.device = options.device;
  setup.precision = options.network.precision;
  setup.joint = options.joint;
  setup.ranks = options.ranks;
  setup.optimizer.sums_blocks = options.joint.update == UpdateKind::summed || setup.is_joint();
  Schedule schedule;
  schedule.kind = total_steps ? schedule_from_name(options.schedule) : ScheduleKind::constant;
  schedule.peak = options.learning_rate;
  if (total_steps) schedule = schedule.over(*total_steps, options.warm_up);
  setup.network_schedule = setup.embedding_schedule = schedule;
  setup.embedding_schedule.peak = options.embedding_rate;
  return setup;
}

}  // namespace frugal::robe
