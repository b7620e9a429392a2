/// libfrugal_cuda.so: the tables "device" and "engine", and the one symbol that it exports.
#include <algorithm>
#include <cstring>
#include <string>

#include "libcore/device/cuda/border.h"
#include "libcore/device/cuda/copy_rate.h"
#include "libcore/device/cuda/engines/engine.h"
#include "libcore/device/cuda/engines/product_library.h"
#include "libcore/device/cuda/suite.h"
#include "libcore/device/plugin_abi.h"

struct frugal_engine {
  int device;
  std::unique_ptr<frugal::cuda::Engine> engine;
};

namespace frugal::cuda {
namespace {

void use(int device) { check(cudaSetDevice(device), "cudaSetDevice"); }

int count_devices(frugal_message why) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    cudaGetLastError();
    say(why, FRUGAL_FAILED, cudaGetErrorString(error));
    return 0;
  }
  if (count == 0) say(why, FRUGAL_FAILED, "there is no CUDA device");
  return count;
}

int device_facts(int device, frugal_device_facts* out, frugal_message error) {
  return guarded(error, [&] {
    use(device);
    cudaDeviceProp found{};
    check(cudaGetDeviceProperties(&found, device), "cudaGetDeviceProperties");
    std::size_t left = 0, all = 0;
    check(cudaMemGetInfo(&left, &all), "cudaMemGetInfo");
    frugal_device_facts facts{};
    facts.size = out->size;
    const std::string library = ProductLibrary::name();
    const std::string name = found.name + (library.empty() ? "" : ", " + library);
    std::snprintf(facts.name, sizeof facts.name, "%s", name.c_str());
    std::snprintf(facts.architecture, sizeof facts.architecture, "sm_%d%d", found.major,
                  found.minor);
    facts.memory_bytes = all;
    facts.free_bytes = left;
    facts.bytes_per_second = copy_rate(device);
    std::memcpy(out, &facts, std::min<std::size_t>(out->size, sizeof facts));
  });
}

int transfer(int device, int back, std::size_t bytes, std::uint32_t times, frugal_message error) {
  return guarded(error, [&] {
    use(device);
    transfer_rounds(device, back != 0, bytes, times);
  });
}

const EngineKind& kind_named(const char* name) {
  const EngineKind* kind = find_engine(name);
  if (kind == nullptr) throw Failure(FRUGAL_UNSUPPORTED, std::string("no engine ") + name);
  return *kind;
}

/// Device memory that no engine gives out and every engine needs: code of kernels and of the
/// library of products, graphs of steps. A sixteenth of the memory, 1 GiB at most.
std::uint64_t bytes_beside_engines() {
  std::size_t left = 0, all = 0;
  check(cudaMemGetInfo(&left, &all), "cudaMemGetInfo");
  return std::min<std::uint64_t>(all / 16, std::uint64_t{1} << 30);
}

int plan_engine(int device, const char* kind, const frugal_setting* settings,
                std::size_t num_settings, std::uint64_t* bytes, frugal_message why) {
  return guarded(why, [&] {
    use(device);
    Room room(true);
    kind_named(kind).make(Settings(settings, num_settings), room);
    *bytes = room.bytes() + bytes_beside_engines();
  });
}

int create_engine(int device, const char* kind, const frugal_setting* settings,
                  std::size_t num_settings, frugal_engine** out, frugal_message error) {
  return guarded(error, [&] {
    use(device);
    Room room(false);
    *out = new frugal_engine{device, kind_named(kind).make(Settings(settings, num_settings), room)};
  });
}

void release_engine(frugal_engine* engine) {
  cudaSetDevice(engine->device);
  delete engine;
}

/// body(engine) on its device.
template <class Body>
int with_engine(frugal_engine* engine, frugal_message error, const Body& body) {
  return guarded(error, [&] {
    use(engine->device);
    body(*engine->engine);
  });
}

int set_arrays(frugal_engine* engine, const frugal_array* arrays, std::size_t n,
               frugal_message error) {
  return with_engine(engine, error, [&](Engine& e) { e.set(arrays, n); });
}
int get_arrays(frugal_engine* engine, const frugal_array* arrays, std::size_t n,
               frugal_message error) {
  return with_engine(engine, error, [&](Engine& e) { e.get(arrays, n); });
}
int submit_step(frugal_engine* engine, const double* numbers, std::size_t num_numbers,
                const frugal_array* batch, std::size_t n, frugal_message error) {
  return with_engine(engine, error, [&](Engine& e) { e.submit(numbers, num_numbers, batch, n); });
}
int collect_sums(frugal_engine* engine, int wait, frugal_sums* sums, frugal_message error) {
  return with_engine(engine, error, [&](Engine& e) {
    // The caller may know less of the struct.
    frugal_sums all{};
    const std::size_t known = std::min<std::size_t>(sums->size, sizeof all);
    std::memcpy(&all, sums, known);
    e.collect(wait != 0, all);
    std::memcpy(sums, &all, known);
  });
}
int run_batch(frugal_engine* engine, const frugal_array* batch, std::size_t n,
              const frugal_array* answers, std::size_t num_answers, frugal_message error) {
  return with_engine(engine, error, [&](Engine& e) { e.run(batch, n, answers, num_answers); });
}

const void* find_table(const char* name, std::uint32_t version) {
  static const frugal_device_table device{sizeof device, count_devices, device_facts, transfer};
  static const frugal_engine_table engine{
      sizeof engine, engine_names(), plan_engine, create_engine, release_engine,
      set_arrays,    get_arrays,     submit_step, collect_sums,  run_batch};
  if (version != 1) return nullptr;
  if (std::strcmp(name, "device") == 0) return &device;
  if (std::strcmp(name, "engine") == 0) return &engine;
  if (std::strcmp(name, "suite") == 0) return suite_table();
  return nullptr;
}

}  // namespace
}  // namespace frugal::cuda

extern "C" __attribute__((visibility("default"))) const frugal_plugin* frugal_plugin_entry(void) {
  static const frugal_plugin plugin{
      FRUGAL_PLUGIN_ABI,   sizeof plugin,     "cuda",
      FRUGAL_CUDA_TOOLKIT, FRUGAL_CUDA_NEEDS, frugal::cuda::find_table};
  return &plugin;
}
