// A plug-in whose device is plain memory of this process and whose one engine adds numbers up.
// Compiled several times: as it should be, and with one fault each (FAULT_*), to see that the
// registry refuses it and says why. Its engine "fake.sum" can be told to run out of memory, or to
// lose its device at a step.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "libcore/device/plugin_abi.h"

struct frugal_engine {
  float model;
  std::uint64_t steps, told, lost_at;
  double sum;
};

namespace {

constexpr std::size_t kMemory = 1 << 20;

int say(frugal_message message, int status, const char* text) {
  std::snprintf(message.text, message.size, "%s", text);
  return status;
}

int count(frugal_message why) {
#ifdef FAULT_SCORE
  say(why, FRUGAL_FAILED, "the fake has no driver");
  return 0;
#else
  (void)why;
  return 2;
#endif
}

int facts(int, frugal_device_facts* out, frugal_message error) {
  if (std::getenv("FAKE_FACTS_FAIL") != nullptr) return say(error, FRUGAL_FAILED, "no facts");
  frugal_device_facts f{};
  f.size = out->size;
  std::snprintf(f.name, sizeof f.name, "Fake device");
  f.memory_bytes = f.free_bytes = kMemory;
  const char* rate = std::getenv("FAKE_BYTES_PER_SECOND");
  f.bytes_per_second = rate == nullptr ? 0 : std::atof(rate);
  std::memcpy(out, &f, std::min<std::size_t>(out->size, sizeof f));
  return FRUGAL_OK;
}

int transfer(int, int, std::size_t, std::uint32_t, frugal_message) { return FRUGAL_OK; }

std::uint64_t setting(const frugal_setting* settings, std::size_t n, const char* name) {
  for (std::size_t i = 0; i < n; ++i) {
    if (std::strcmp(settings[i].name, name) == 0)
      return std::strtoull(settings[i].value, nullptr, 10);
  }
  return 0;
}

int plan(int, const char*, const frugal_setting* settings, std::size_t n, std::uint64_t* bytes,
         frugal_message why) {
  if (setting(settings, n, "never") != 0)
    return say(why, FRUGAL_UNSUPPORTED, "the fake never does");
  *bytes = setting(settings, n, "bytes");
  return FRUGAL_OK;
}
int create(int, const char*, const frugal_setting* settings, std::size_t n, frugal_engine** out,
           frugal_message error) {
  if (setting(settings, n, "full") != 0) return say(error, FRUGAL_NO_MEMORY, "no memory is left");
  *out = new frugal_engine{0, 0, 0, setting(settings, n, "lost_at"), 0};
  return FRUGAL_OK;
}
void release_engine(frugal_engine* engine) { delete engine; }
int set(frugal_engine* engine, const frugal_array* arrays, std::size_t n, frugal_message error) {
  if (n != 1 || std::strcmp(arrays[0].name, "model") != 0) {
    return say(error, FRUGAL_BAD_ARGUMENT, "there is one array, 'model'");
  }
  std::memcpy(&engine->model, arrays[0].data, sizeof engine->model);
  return FRUGAL_OK;
}
int get(frugal_engine* engine, const frugal_array* arrays, std::size_t, frugal_message) {
  std::memcpy(arrays[0].data, &engine->model, sizeof engine->model);
  return FRUGAL_OK;
}
int submit(frugal_engine* engine, const double* numbers, std::size_t, const frugal_array* batch,
           std::size_t, frugal_message error) {
  if (++engine->steps == engine->lost_at) return say(error, FRUGAL_LOST, "it fell off the bus");
  for (std::size_t i = 0; i < batch[0].shape[0]; ++i) {
    engine->model += static_cast<float>(numbers[0]) * static_cast<const float*>(batch[0].data)[i];
  }
  engine->sum += static_cast<double>(engine->model);
  return FRUGAL_OK;
}
int collect(frugal_engine* engine, int, frugal_sums* sums, frugal_message) {
  sums->loss += engine->sum;
  sums->steps += engine->steps - engine->told;
  engine->sum = 0;
  engine->told = engine->steps;
  return FRUGAL_OK;
}
int run(frugal_engine* engine, const frugal_array* batch, std::size_t, const frugal_array* answers,
        std::size_t, frugal_message) {
  for (std::size_t i = 0; i < batch[0].shape[0]; ++i) {
    static_cast<float*>(answers[0].data)[i] =
        engine->model * static_cast<const float*>(batch[0].data)[i];
  }
  return FRUGAL_OK;
}

constexpr const char* kKinds[] = {"fake.sum", nullptr};

const void* table(const char* name, std::uint32_t version) {
  static const frugal_device_table device{
#ifdef FAULT_SHORT
      sizeof device - sizeof(void*),
#else
      sizeof device,
#endif
      count, facts, transfer};
  static const frugal_engine_table engine{sizeof engine, kKinds, plan,   create,  release_engine,
                                          set,           get,    submit, collect,
#ifdef FAULT_HOLE
                                          nullptr};
#else
                                          run};
#endif
  if (version != 1) return nullptr;
  if (std::strcmp(name, "device") == 0) return &device;
  if (std::strcmp(name, "engine") == 0) return &engine;
  return nullptr;
}

const frugal_plugin plugin = {
#ifdef FAULT_ABI
    FRUGAL_PLUGIN_ABI + 1,
#else
    FRUGAL_PLUGIN_ABI,
#endif
#ifdef FAULT_SIZE
    sizeof(frugal_plugin) - 8,
#else
    sizeof(frugal_plugin),
#endif
    "cuda",
    "fake toolkit 1.0",
    "a fake driver",
    table};

}  // namespace

#ifndef FAULT_ENTRY
extern "C" const frugal_plugin* frugal_plugin_entry(void) { return &plugin; }
#endif
