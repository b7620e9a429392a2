#include "libcore/device/engine.h"

#include <algorithm>
#include <cassert>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

/// Converts arrays to the plug-in's struct; valid as long as `arrays`.
std::vector<frugal_array> raw(std::span<const EngineArray> arrays) {
  std::vector<frugal_array> all;
  for (const EngineArray& array : arrays) {
    assert(array.shape.size() <= FRUGAL_MOST_DIMENSIONS);
    frugal_array a{array.name.c_str(),
                   array.data,
                   array.type,
                   static_cast<std::uint32_t>(array.shape.size()),
                   {}};
    std::copy(array.shape.begin(), array.shape.end(), a.shape);
    all.push_back(a);
  }
  return all;
}

std::vector<frugal_setting> raw(const EngineSettings& settings) {
  std::vector<frugal_setting> all;
  for (const auto& [name, value] : settings) all.push_back({name.c_str(), value.c_str()});
  return all;
}

frugal_device_facts facts_of(const PluginStatus& plugin, int device) {
  frugal_device_facts facts{};
  facts.size = sizeof facts;
  PluginMessage error;
  if (plugin.device->facts(device, &facts, error.room()) != FRUGAL_OK) {
    fail(ExitStatus::unavailable, "device ", plugin.name, ":", device, ": ", error.text());
  }
  return facts;
}

/// Why the device cannot do what is asked for; "" if it can.
std::string obstacle(const PluginStatus& plugin, int device, const EngineRequest& request,
                     const frugal_device_facts& facts) {
  if (!std::binary_search(plugin.engines.begin(), plugin.engines.end(), request.kind)) {
    return request.command + " has no engine there, it has " +
           (plugin.engines.empty() ? "none" : joined(plugin.engines));
  }
  std::uint64_t bytes = 0;
  PluginMessage why;
  const std::vector<frugal_setting> settings = raw(request.settings);
  const int status = plugin.engine->plan(device, request.kind.c_str(), settings.data(),
                                         settings.size(), &bytes, why.room());
  if (status != FRUGAL_OK) return why.text();
  if (bytes > facts.free_bytes) {
    return "needs " + format_bytes(bytes) + " of its memory, " + format_bytes(facts.free_bytes) +
           " of " + format_bytes(facts.memory_bytes) +
           " are free; a lower --batch-size or a smaller model needs less";
  }
  return "";
}

/// Why auto leaves a usable device alone; "" if it takes it. Batches are looked at first: facts
/// make a context on the device, which takes up to a second and half a gigabyte of its memory.
std::string reason_to_leave(const PluginStatus& plugin, const EngineRequest& request) {
  if (request.batch_size < kLeastBatch) {
    return "batches of " + std::to_string(request.batch_size) +
           " samples are too small for it, expected " + std::to_string(kLeastBatch) + " or more";
  }
  const frugal_device_facts facts = facts_of(plugin, 0);
  std::string why = obstacle(plugin, 0, request, facts);
  if (!why.empty() || facts.bytes_per_second >= kLeastBytesPerSecond) return why;
  return facts.bytes_per_second <= 0 ? "its speed is not known"
                                     : "its memory is no faster than a CPU's";
}

std::unique_ptr<DeviceEngine> choose_engine(const EngineRequest& request) {
  for (const std::string& name : plugin_names()) {
    PluginStatus plugin = load_plugin(name);
    if (plugin.path.empty()) continue;
    const std::string why = plugin.usable ? reason_to_leave(plugin, request) : plugin.reason;
    if (!why.empty()) {
      log_verbose("--device auto leaves ", name, " alone: ", why);
      continue;
    }
    auto engine =
        std::make_unique<DeviceEngine>(std::move(plugin), 0, request.kind, request.settings);
    log_info("computes on ", engine->device(), " (--device cpu: on the CPU)");
    return engine;
  }
  return nullptr;
}

}  // namespace

std::size_t type_bytes(frugal_type type) {
  switch (type) {
    case FRUGAL_U8:
    case FRUGAL_I8: return 1;
    case FRUGAL_BF16: return 2;
    case FRUGAL_U32:
    case FRUGAL_I32:
    case FRUGAL_F32: return 4;
    case FRUGAL_U64:
    case FRUGAL_I64:
    case FRUGAL_F64: return 8;
  }
  return 0;
}

std::uint64_t EngineArray::num_bytes() const {
  std::uint64_t bytes = type_bytes(type);
  for (const std::uint64_t size : shape) bytes *= size;
  return bytes;
}

DeviceEngine::DeviceEngine(PluginStatus plugin, int device, const std::string& kind,
                           const EngineSettings& settings)
    : plugin_(std::move(plugin)), trains_(kind.ends_with(".train")) {
  device_ =
      plugin_.name + ":" + std::to_string(device) + " (" + facts_of(plugin_, device).name + ")";
  const std::vector<frugal_setting> all = raw(settings);
  PluginMessage error;
  check(
      plugin_.engine->create(device, kind.c_str(), all.data(), all.size(), &engine_, error.room()),
      kind.c_str(), error);
}

DeviceEngine::~DeviceEngine() {
  if (engine_ != nullptr) plugin_.engine->release(engine_);
}

void DeviceEngine::check(int status, const char* call, const PluginMessage& message) const {
  switch (status) {
    case FRUGAL_OK: return;
    case FRUGAL_NO_MEMORY:
      fail(ExitStatus::unavailable, "device ", device_, ": ", call, ": ", message.text(),
           "; a lower --batch-size or a smaller model needs less");
    case FRUGAL_BAD_ARGUMENT:
      fail(ExitStatus::internal, "device ", device_, ": ", call, ": ", message.text());
    case FRUGAL_LOST:
      fail(ExitStatus::stopped, "device ", device_, ": lost: ", message.text(),
           trains_ ? "; what was not in a checkpoint is gone, --resume goes on from the last one"
                   : "; run the command again");
    default: fail(ExitStatus::unavailable, "device ", device_, ": ", call, ": ", message.text());
  }
}

void DeviceEngine::set(std::span<const EngineArray> arrays) {
  PluginMessage error;
  const std::vector<frugal_array> all = raw(arrays);
  check(plugin_.engine->set(engine_, all.data(), all.size(), error.room()), "set", error);
}

void DeviceEngine::get(std::span<const EngineArray> arrays) {
  PluginMessage error;
  const std::vector<frugal_array> all = raw(arrays);
  check(plugin_.engine->get(engine_, all.data(), all.size(), error.room()), "get", error);
}

void DeviceEngine::submit(std::span<const double> numbers, std::span<const EngineArray> batch) {
  PluginMessage error;
  const std::vector<frugal_array> all = raw(batch);
  check(plugin_.engine->submit(engine_, numbers.data(), numbers.size(), all.data(), all.size(),
                               error.room()),
        "step", error);
}

EngineSums DeviceEngine::collect(bool wait) {
  PluginMessage error;
  frugal_sums sums{};
  sums.size = sizeof sums;
  check(plugin_.engine->collect(engine_, wait ? 1 : 0, &sums, error.room()), "step", error);
  return {sums.loss, sums.samples, sums.steps, sums.busy_seconds};
}

void DeviceEngine::run(std::span<const EngineArray> batch, std::span<const EngineArray> answers) {
  PluginMessage error;
  const std::vector<frugal_array> in = raw(batch), out = raw(answers);
  check(plugin_.engine->run(engine_, in.data(), in.size(), out.data(), out.size(), error.room()),
        "run", error);
}

std::unique_ptr<DeviceEngine> open_engine(const EngineRequest& request) {
  const DeviceName name = device_from_text(request.option);
  if (name.kind == "cpu") return nullptr;
  if (name.kind == "auto") return choose_engine(request);
  PluginStatus plugin = load_plugin(name.kind);
  if (!plugin.usable) {
    fail(ExitStatus::unavailable, "--device ", request.option, ": ",
         plugin.path.empty() ? "" : plugin.path + ": ", plugin.reason,
         plugin.needs.empty() ? "" : "; it needs " + plugin.needs);
  }
  if (name.index >= plugin.num_devices) {
    fail(ExitStatus::unavailable, "--device ", request.option, ": there are ", plugin.num_devices,
         " devices, the first is ", name.kind, ":0");
  }
  const std::string why = obstacle(plugin, name.index, request, facts_of(plugin, name.index));
  if (!why.empty()) fail(ExitStatus::unavailable, "--device ", request.option, ": ", why);
  auto engine =
      std::make_unique<DeviceEngine>(std::move(plugin), name.index, request.kind, request.settings);
  log_verbose("computes on ", engine->device());
  return engine;
}

}  // namespace frugal
