#pragma once
/// The CUDA runtime functions that the plug-in calls, on the host, for tests. Memory of the
/// "device" is host memory, filled with NaN. A stream does nothing before something waits for it,
/// so that code that overwrites a batch too early is detected. Environment:
///   FRUGAL_HOST_CUDA_ORDER     order of a block's threads: host_cuda.h
///   FRUGAL_HOST_CUDA_MEMORY    bytes of the device's memory
///   FRUGAL_HOST_CUDA_LOST_AT   the n-th wait for a stream or event reports the device lost
///   FRUGAL_HOST_CUDA_LAUNCHES  a file that gets one byte for each kernel and each library product
///                              that a stream runs
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "libcore/device/cuda/host_cuda.h"

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorNotReady = 600,
  cudaErrorLaunchFailure = 719,
  cudaErrorStreamCaptureUnsupported = 900
};
enum cudaMemcpyKind { cudaMemcpyDefault = 4 };
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal = 1 };
enum { cudaStreamNonBlocking = 1, cudaEventDefault = 0, cudaEventDisableTiming = 2 };

struct cudaDeviceProp {
  char name[256];
  std::size_t totalGlobalMem;
  int major, minor, multiProcessorCount;
};

namespace frugal::host_cuda {

using Work = std::function<void()>;

struct Stream {
  std::deque<Work> work;
  std::uint64_t given = 0, done = 0;
  std::vector<Work>* recording = nullptr;  ///< of a graph

  void run_to(std::uint64_t number) {
    while (done < number) {
      Work next = std::move(work.front());
      work.pop_front();
      ++done;
      next();
    }
  }
};

using Clock = std::chrono::steady_clock;

struct Event {
  bool timed = false;
  Stream* stream = nullptr;
  std::uint64_t number = 0;
  std::shared_ptr<Clock::time_point> time;  ///< when it was
};

struct Graph {
  std::vector<Work> work;
};

inline std::map<void*, std::size_t>& allocated() {
  static std::map<void*, std::size_t> memory;
  return memory;
}
inline std::map<void*, std::size_t>& pinned() {
  static std::map<void*, std::size_t> memory;
  return memory;
}

inline std::size_t environment_number(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<std::size_t>(std::strtoull(text, nullptr, 10));
}
inline std::size_t memory_bytes() {
  return environment_number("FRUGAL_HOST_CUDA_MEMORY", std::size_t{4} << 30);
}
inline std::size_t allocated_bytes() {
  std::size_t sum = 0;
  for (const auto& [memory, bytes] : allocated()) sum += bytes;
  return sum;
}

/// Counts the waits; a lost device stays lost.
inline cudaError_t wait_result() {
  static std::size_t waits = 0;
  static const std::size_t lost_at = environment_number("FRUGAL_HOST_CUDA_LOST_AT", 0);
  return lost_at != 0 && ++waits >= lost_at ? cudaErrorLaunchFailure : cudaSuccess;
}

inline void give(Stream* stream, Work work) {
  if (stream->recording != nullptr) {
    stream->recording->push_back(std::move(work));
  } else {
    stream->work.push_back(std::move(work));
    ++stream->given;
  }
}

/// Error that cudaGetLastError() returns next.
inline cudaError_t& last_error() {
  static cudaError_t error = cudaSuccess;
  return error;
}
/// Stores an error as the last one, as every CUDA function does.
inline cudaError_t kept(cudaError_t error) {
  if (error != cudaSuccess) last_error() = error;
  return error;
}

/// Records that a kernel or a library product runs.
inline void count_launch() {
  const char* file = std::getenv("FRUGAL_HOST_CUDA_LAUNCHES");
  if (file == nullptr) return;
  std::FILE* out = std::fopen(file, "a");
  if (out == nullptr) return;
  std::fputc('k', out);
  std::fclose(out);
}

/// Limits of all GPUs that the plug-in supports ("Compute Capabilities" in the CUDA C++ Programming
/// Guide).
inline bool can_launch(dim3 grid, dim3 block) {
  constexpr unsigned kMostBlocks = 0x7fffffff, kMostBlocksAcross = 65535;
  constexpr unsigned kMostThreads = 1024, kMostThreadsDeep = 64;
  const auto within = [](unsigned n, unsigned most) { return n != 0 && n <= most; };
  return within(grid.x, kMostBlocks) && within(grid.y, kMostBlocksAcross) &&
         within(grid.z, kMostBlocksAcross) && within(block.z, kMostThreadsDeep) &&
         std::uint64_t{block.x} * block.y * block.z - 1 < kMostThreads;
}

template <class... Parameters>
void launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, Stream* stream,
                   Parameters... arguments) {
  if (!can_launch(grid, block)) {
    last_error() = cudaErrorInvalidConfiguration;
    return;
  }
  give(stream, [=] {
    count_launch();
    run_grid(grid, block, [&] { kernel(arguments...); });
  });
}

inline bool is_pinned(const void* memory) {
  for (const auto& [begin, bytes] : pinned()) {
    const auto* first = static_cast<const char*>(begin);
    if (memory >= first && memory < first + bytes) return true;
  }
  return false;
}
inline bool is_device(const void* memory) {
  for (const auto& [begin, bytes] : allocated()) {
    const auto* first = static_cast<const char*>(begin);
    if (memory >= first && memory < first + bytes) return true;
  }
  return false;
}

}  // namespace frugal::host_cuda

using cudaStream_t = frugal::host_cuda::Stream*;
using cudaEvent_t = frugal::host_cuda::Event*;
using cudaGraph_t = frugal::host_cuda::Graph*;
using cudaGraphExec_t = frugal::host_cuda::Graph*;

inline const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorStreamCaptureUnsupported:
      return "operation not permitted when stream is capturing";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    case cudaErrorNotReady: return "device not ready";
    default: return "invalid argument";
  }
}
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaGetLastError() {
  return std::exchange(frugal::host_cuda::last_error(), cudaSuccess);
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* facts, int) {
  std::snprintf(facts->name, sizeof facts->name, "CUDA kernels on this CPU, for tests");
  facts->totalGlobalMem = frugal::host_cuda::memory_bytes();
  facts->major = 9;
  facts->minor = 0;
  facts->multiProcessorCount = 1;
  return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* all) {
  *all = frugal::host_cuda::memory_bytes();
  *left = *all - std::min(*all, frugal::host_cuda::allocated_bytes());
  return cudaSuccess;
}
inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (bytes > frugal::host_cuda::memory_bytes() - frugal::host_cuda::allocated_bytes()) {
    return frugal::host_cuda::kept(cudaErrorMemoryAllocation);
  }
  *memory =
      ::operator new(bytes);  // of exactly this size, so that the address sanitizer sees its end
  std::memset(*memory, 0xff, bytes);
  frugal::host_cuda::allocated()[*memory] = bytes;
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* memory) {
  frugal::host_cuda::allocated().erase(memory);
  ::operator delete(memory);
  return cudaSuccess;
}
inline cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  *memory = ::operator new(bytes);
  frugal::host_cuda::pinned()[*memory] = bytes;
  return cudaSuccess;
}
inline cudaError_t cudaFreeHost(void* memory) {
  frugal::host_cuda::pinned().erase(memory);
  ::operator delete(memory);
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new frugal::host_cuda::Stream;
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  using frugal::host_cuda::kept;
  if (stream->recording != nullptr) return kept(cudaErrorStreamCaptureUnsupported);
  stream->run_to(stream->given);
  return kept(frugal::host_cuda::wait_result());
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  stream->run_to(stream->given);
  delete stream;
  return cudaSuccess;
}
/// Waits for the stream if neither side is pinned, as CUDA does.
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t stream) {
  using frugal::host_cuda::is_device;
  using frugal::host_cuda::is_pinned;
  const bool pageable =
      (!is_device(to) && !is_pinned(to)) || (!is_device(from) && !is_pinned(from));
  frugal::host_cuda::give(stream, [=] { std::memcpy(to, from, bytes); });
  return pageable ? cudaStreamSynchronize(stream) : cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  frugal::host_cuda::give(stream, [=] { std::memset(to, value, bytes); });
  return cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = new frugal::host_cuda::Event;
  (*event)->timed = (flags & cudaEventDisableTiming) == 0;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (event->timed) {
    using frugal::host_cuda::Clock;
    event->time = std::make_shared<Clock::time_point>();
    frugal::host_cuda::give(stream, [time = event->time] { *time = Clock::now(); });
  }
  event->stream = stream;
  event->number = stream->given;
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (event->stream != nullptr) event->stream->run_to(event->number);
  return frugal::host_cuda::kept(frugal::host_cuda::wait_result());
}
inline cudaError_t cudaEventQuery(cudaEvent_t event) {
  const bool done = event->stream == nullptr || event->stream->done >= event->number;
  return frugal::host_cuda::kept(done ? cudaSuccess : cudaErrorNotReady);
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  if (begin->time == nullptr || end->time == nullptr) return cudaErrorInvalidValue;
  if (cudaEventQuery(begin) != cudaSuccess || cudaEventQuery(end) != cudaSuccess) {
    return cudaErrorNotReady;
  }
  *milliseconds = std::chrono::duration<float, std::milli>(*end->time - *begin->time).count();
  return cudaSuccess;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  frugal::host_cuda::give(stream, [from = event->stream, number = event->number] {
    if (from != nullptr) from->run_to(number);
  });
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream->recording != nullptr) {
    return frugal::host_cuda::kept(cudaErrorStreamCaptureUnsupported);
  }
  stream->recording = new std::vector<frugal::host_cuda::Work>;
  return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = new frugal::host_cuda::Graph{std::move(*stream->recording)};
  delete stream->recording;
  stream->recording = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t graph,
                                                 unsigned long long) {
  *out = new frugal::host_cuda::Graph(*graph);
  return cudaSuccess;
}
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  for (const frugal::host_cuda::Work& work : graph->work) frugal::host_cuda::give(stream, work);
  return cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  return cudaSuccess;
}
