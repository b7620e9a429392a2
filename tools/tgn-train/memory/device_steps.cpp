#include "tools/tgn-train/memory/device_steps.h"

#include <algorithm>
#include <string>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"

namespace frugal::tgn {
namespace {

/// Number of steps between two queries of the device for losses.
constexpr std::uint64_t kReportEvery = 50;
/// Rows that one thread converts at a time.
constexpr std::size_t kRowsAtATime = 1024;

/// True if engines can read the rows without conversion: they support no f16, scaling or types.
bool lie_well(const FeatureRows& rows) {
  return rows.dtype != Dtype::f16 && !rows.is_scaled() && rows.num_types == 0;
}

/// Copies features to the engine, converted to f32 where it cannot read them as they are.
void bring_rows(DeviceEngine& engine, const char* name, const FeatureRows& rows) {
  if (rows.empty()) return;
  EngineArray array{name,
                    lie_well(rows) && rows.dtype == Dtype::bf16 ? FRUGAL_BF16 : FRUGAL_F32,
                    {rows.rows, rows.width()},
                    const_cast<std::byte*>(rows.data)};
  Array<float> wide;
  if (!lie_well(rows)) {
    check_memory(std::string(name) + " for the device, as F32 with a column for each edge type",
                 rows.rows * rows.width() * sizeof(float));
    wide = Array<float>(rows.rows * rows.width(), uninitialized);
    parallel_blocks(rows.rows, kRowsAtATime, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) rows.read(r, wide.data() + r * rows.width());
    });
    array.data = wide.data();
  }
  engine.set({&array, 1});
}

const char* type_of(Dtype dtype) { return dtype == Dtype::bf16 ? "bf16" : "f32"; }
const char* type_of(const FeatureRows& rows) {
  return lie_well(rows) ? type_of(rows.dtype) : "f32";
}

/// Numbers in a stored message. In window mode, messages are stored only while weights are trained.
std::size_t kept_dim(const DeviceSteps::Parts& parts) {
  if (parts.memory == nullptr) return 0;
  const bool kept = parts.optimizer || parts.plans.mode != MemoryMode::window;
  return kept ? parts.memory->shape().message_dim : 0;
}

}  // namespace

EngineSettings DeviceSteps::settings_of(const Parts& parts, std::size_t batch) {
  const Dtype memory = parts.memory == nullptr ? Dtype::f32 : parts.memory->shape().dtype;
  EngineSettings settings =
      EngineModel(parts.model, parts.optimizer, parts.plans.time_learns()).settings();
  settings.insert(settings.end(), {{"nodes", std::to_string(parts.nodes)},
                                   {"events", std::to_string(parts.features.edges.rows)},
                                   {"batch_size", std::to_string(batch)},
                                   {"edge_type", type_of(parts.features.edges)},
                                   {"node_type", type_of(parts.features.nodes)},
                                   {"memory_type", type_of(memory)},
                                   {"kept_dim", std::to_string(kept_dim(parts))},
                                   {"made", parts.plans.keeps_as_made() ? "1" : "0"}});
  return settings;
}

std::unique_ptr<DeviceSteps> DeviceSteps::open(const DevicePlace& place, const Parts& parts) {
  if (place.device == "cpu") return nullptr;
  if (parts.plans.dyrep) {
    check_device(place.device, place.command + " of DyRep networks", "");
    return nullptr;
  }
  const char* const kind = parts.optimizer ? "tgn.train" : "tgn.eval";
  try {
    auto engine = open_engine(
        {place.device, place.command, kind, settings_of(parts, place.batch), place.batch});
    return engine ? std::make_unique<DeviceSteps>(std::move(engine), parts) : nullptr;
  } catch (const Error& error) {
    if (place.device == "auto" && error.status() == ExitStatus::unavailable) return nullptr;
    throw;
  }
}

DeviceSteps::DeviceSteps(std::unique_ptr<DeviceEngine> engine, const Parts& parts)
    : engine_(std::move(engine)),
      model_(parts.model, parts.optimizer, parts.plans.time_learns()),
      dim_(parts.model.options().memory_dim) {
  if (parts.memory != nullptr) memory_.emplace(*parts.memory);
  if (parts.model.inputs().edge_features != 0) {
    bring_rows(*engine_, "edges.features", parts.features.edges);
  }
  if (parts.model.inputs().node_features) {
    bring_rows(*engine_, "nodes.features", parts.features.nodes);
  }
}

void DeviceSteps::bring() {
  model_.bring(*engine_);
  if (memory_) memory_->bring(*engine_);
}

MatrixView<const float> DeviceSteps::embed(const StepPlan& plan) {
  bring();
  const std::size_t n = plan.layers.back().size();
  embedded_.resize(n * dim_);
  const EngineArray answers{"embeddings", FRUGAL_F32, {n, dim_}, embedded_.data()};
  engine_->run(arrays_.of(plan, false), {&answers, n == 0 ? std::size_t{0} : std::size_t{1}});
  answers_.resize(n, dim_);
  for (std::size_t r = 0; r < n; ++r) {
    std::copy_n(embedded_.data() + r * dim_, dim_, answers_.view().row(r));
  }
  return answers_.view();
}

void DeviceSteps::store() {
  if (!memory_) return;
  const EngineArray store{"store", FRUGAL_U8, {0}, nullptr};
  engine_->run({&store, 1}, {});
  memory_->stored();
}

double DeviceSteps::train(const StepPlan& plan, const TgnPass& pass, float rate) {
  bring();
  engine_->submit(model_.count_step(plan, pass, rate), arrays_.of(plan, true));
  if (memory_) memory_->stored();
  return ++steps_without_loss_ < kReportEvery ? 0 : told(false);
}

double DeviceSteps::told(bool wait) {
  steps_without_loss_ = 0;
  const EngineSums sums = engine_->collect(wait);
  busy_seconds_ += sums.busy_seconds;
  return sums.loss;
}

void DeviceSteps::bring_memory_back() {
  if (memory_) memory_->bring_back(*engine_);
}

void DeviceSteps::memory_changed() {
  if (memory_) memory_->changed();
}

}  // namespace frugal::tgn
