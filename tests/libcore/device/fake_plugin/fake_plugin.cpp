// A plug-in whose device is plain memory of this process. Compiled several times: as it should be,
// and with one fault each (FAULT_*), to see that the registry refuses it and says why.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "libcore/device/plugin_abi.h"

struct frugal_buffer {
  size_t bytes;
  char* memory;
};

namespace {

int say(frugal_message message, const char* text) {
  std::snprintf(message.text, message.size, "%s", text);
  return 1;
}

int score(frugal_message why) {
#ifdef FAULT_SCORE
  say(why, "the fake has no driver");
  return 0;
#else
  (void)why;
  return 10;
#endif
}

int device_count() { return 1; }

int device_info(int, frugal_message name, uint64_t* memory_bytes) {
  say(name, "Fake device");
  *memory_bytes = 1 << 20;
  return 0;
}

int supports(int, frugal_operation operation) { return operation < FRUGAL_OPERATION_COUNT; }

int allocate(int, size_t bytes, frugal_buffer** buffer, frugal_message error) {
  if (bytes > (1 << 20)) return say(error, "only 1 MiB here");
  *buffer = new frugal_buffer{bytes, static_cast<char*>(std::calloc(bytes + 1, 1))};
  return 0;
}

void release(frugal_buffer* buffer) {
  std::free(buffer->memory);
  delete buffer;
}

int upload(frugal_buffer* to, const void* from, size_t bytes, frugal_message error) {
  if (bytes > to->bytes) return say(error, "buffer too small");
  if (bytes) std::memcpy(to->memory, from, bytes);
  return 0;
}

int download(void* to, const frugal_buffer* from, size_t bytes, frugal_message error) {
  if (bytes > from->bytes) return say(error, "buffer too small");
  if (bytes) std::memcpy(to, from->memory, bytes);
  return 0;
}

const float* floats(const frugal_buffer* b) { return reinterpret_cast<const float*>(b->memory); }
float* floats(frugal_buffer* b) { return reinterpret_cast<float*>(b->memory); }

int axpy(float a, const frugal_buffer* x, frugal_buffer* y, size_t n, frugal_message) {
  for (size_t i = 0; i < n; ++i) floats(y)[i] += a * floats(x)[i];
  return 0;
}

int gather_rows(const frugal_buffer* table, size_t dim, const frugal_buffer* rows, size_t n,
                frugal_buffer* out, frugal_message) {
  const auto* ids = reinterpret_cast<const uint32_t*>(rows->memory);
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = 0; i < dim; ++i) floats(out)[j * dim + i] = floats(table)[ids[j] * dim + i];
  }
  return 0;
}

int gemm(const frugal_buffer* a, const frugal_buffer* b, frugal_buffer* c, size_t m, size_t n,
         size_t k, frugal_message) {
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (size_t l = 0; l < k; ++l) sum += floats(a)[i * k + l] * floats(b)[l * n + j];
      floats(c)[i * n + j] = sum;
    }
  }
  return 0;
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
    score,
    device_count,
    device_info,
    supports,
    allocate,
    release,
    upload,
    download,
    axpy,
    gather_rows,
#ifdef FAULT_HOLE
    nullptr
#else
    gemm
#endif
};

}  // namespace

#ifndef FAULT_ENTRY
extern "C" const frugal_plugin* frugal_plugin_entry(void) { return &plugin; }
#endif
