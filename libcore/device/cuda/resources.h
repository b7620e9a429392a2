#pragma once
/// Owners of memory, streams, events and graphs.
#include <cstddef>
#include <string>
#include <utility>

#include "libcore/device/cuda/failure.h"

namespace frugal::cuda {

/// Uninitialised bytes on the device.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    const cudaError_t error = cudaMalloc(&memory_, bytes);
    if (error == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw Failure(FRUGAL_NO_MEMORY, "out of memory for " + std::to_string(bytes) + " bytes");
    }
    check(error, "cudaMalloc");
  }
  DeviceMemory(DeviceMemory&& from) noexcept
      : memory_(std::exchange(from.memory_, nullptr)), bytes_(std::exchange(from.bytes_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&& from) noexcept {
    std::swap(memory_, from.memory_);
    std::swap(bytes_, from.bytes_);
    return *this;
  }
  ~DeviceMemory() {
    if (memory_ != nullptr) cudaFree(memory_);
  }
  void* data() const { return memory_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// n numbers on the device.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t n) : memory_(n * sizeof(T)) {}
  T* data() const { return static_cast<T*>(memory_.data()); }
  std::size_t size() const { return memory_.bytes() / sizeof(T); }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  DeviceMemory memory_;
};

/// n numbers in pinned host memory, which a stream can copy asynchronously.
template <class T>
class PinnedArray {
 public:
  PinnedArray() = default;
  explicit PinnedArray(std::size_t n) : size_(n) {
    if (n != 0) check(cudaMallocHost(&memory_, n * sizeof(T)), "cudaMallocHost");
  }
  PinnedArray(PinnedArray&& from) noexcept
      : memory_(std::exchange(from.memory_, nullptr)), size_(std::exchange(from.size_, 0)) {}
  PinnedArray& operator=(PinnedArray&& from) noexcept {
    std::swap(memory_, from.memory_);
    std::swap(size_, from.size_);
    return *this;
  }
  ~PinnedArray() {
    if (memory_ != nullptr) cudaFreeHost(memory_);
  }
  T* data() const { return static_cast<T*>(memory_); }
  std::size_t size() const { return size_; }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

class Stream {
 public:
  Stream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }  // NOLINT(google-explicit-constructor)

  template <class T>
  void copy(T* to, const T* from, std::size_t n) const {
    if (n == 0) return;
    check(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
  }
  void zero(void* to, std::size_t bytes) const {
    if (bytes != 0) check(cudaMemsetAsync(to, 0, bytes, stream_), "cudaMemsetAsync");
  }
  void fill_ones(void* to, std::size_t bytes) const {
    if (bytes != 0) check(cudaMemsetAsync(to, 0xff, bytes, stream_), "cudaMemsetAsync");
  }
  void wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() : Event(cudaEventDisableTiming) {}
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(const Stream& stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  /// Makes the host wait for the event.
  void wait() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  /// Makes the stream wait for the event.
  void hold(const Stream& stream) const {
    check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
  }
  bool is_done() const {
    const cudaError_t error = cudaEventQuery(event_);
    if (error == cudaErrorNotReady) {
      cudaGetLastError();  // an answer, yet CUDA keeps it as the last error
      return false;
    }
    check(error, "cudaEventQuery");
    return true;
  }

 protected:
  explicit Event(unsigned flags) {
    check(cudaEventCreateWithFlags(&event_, flags), "cudaEventCreate");
  }
  cudaEvent_t event() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// An event with a time stamp of the device's clock.
class TimedEvent : public Event {
 public:
  TimedEvent() : Event(cudaEventDefault) {}
  /// Seconds from another event to this one; both must be done.
  double seconds_since(const TimedEvent& before) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, before.event(), event()), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }
};

/// A sequence of launches that is captured once, and then launched by one call.
class StepGraph {
 public:
  StepGraph() = default;
  ~StepGraph() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  /// Runs the work that `steps` submits to the stream. The first call submits it directly, because
  /// kernels that are not loaded yet cannot be captured. The second captures a graph, which all
  /// later calls launch.
  template <class Steps>
  void launch(const Stream& stream, const Steps& steps) {
    if (!began_) {
      began_ = true;
      return steps();
    }
    if (graph_ == nullptr) capture(stream, steps);
    check(cudaGraphLaunch(graph_, stream), "cudaGraphLaunch");
  }

 private:
  template <class Steps>
  void capture(const Stream& stream, const Steps& steps) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    cudaGraph_t graph = nullptr;
    try {
      steps();
    } catch (...) {  // the stream must not stay in capture: nobody could wait for it
      if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
      cudaGetLastError();
      throw;
    }
    check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    const cudaError_t error = cudaGraphInstantiateWithFlags(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    check(error, "cudaGraphInstantiateWithFlags");
  }

  bool began_ = false;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace frugal::cuda
