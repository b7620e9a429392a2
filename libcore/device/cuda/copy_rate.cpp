#include "libcore/device/cuda/copy_rate.h"

#include <chrono>
#include <map>

#include "libcore/device/cuda/resources.h"

namespace frugal::cuda {
namespace {

/// More than a device's caches hold, or the part of it that is free.
constexpr std::size_t kBytes = std::size_t{256} << 20;
constexpr int kRounds = 4;

double measure() {
  const DeviceMemory from(kBytes), to(kBytes);
  const Stream stream;
  stream.zero(from.data(), kBytes);
  stream.copy(static_cast<char*>(to.data()), static_cast<const char*>(from.data()), kBytes);
  stream.wait();
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < kRounds; ++i) {
    stream.copy(static_cast<char*>(to.data()), static_cast<const char*>(from.data()), kBytes);
  }
  stream.wait();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  return 2.0 * kRounds * static_cast<double>(kBytes) / seconds.count();
}

/// Both ends of copies between host and device.
struct Ends {
  Stream stream;
  PinnedArray<char> host;
  DeviceArray<char> device;
};

}  // namespace

double copy_rate(int device) {
#ifdef __CUDACC__
  static std::map<int, double> rates;
  const auto [place, is_new] = rates.try_emplace(device, 0);
  if (!is_new) return place->second;
  try {
    place->second = measure();
  } catch (const Failure&) {
    cudaGetLastError();
  }
  return place->second;
#else
  static_cast<void>(device);
  static_cast<void>(measure);
  return 0;  // kernels on the CPU: no speed that a choice could be made by
#endif
}

void transfer_rounds(int device, bool back, std::size_t bytes, std::uint32_t times) {
  static auto& all = *new std::map<int, Ends>;  // never freed: the driver may go first
  Ends& ends = all[device];
  if (ends.host.size() < bytes) {
    ends.host = PinnedArray<char>(bytes);
    ends.device = DeviceArray<char>(bytes);
  }
  char* const to = back ? ends.host.data() : ends.device.data();
  const char* const from = back ? ends.device.data() : ends.host.data();
  for (std::uint32_t i = 0; i < times; ++i) ends.stream.copy(to, from, bytes);
  ends.stream.wait();
}

}  // namespace frugal::cuda
