#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "libcore/device/plugin_abi.h"

namespace frugal {

/// Memory on a device; freed with the object, which must not outlive its device.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  std::size_t bytes() const { return bytes_; }

 protected:
  explicit DeviceBuffer(std::size_t bytes) : bytes_(bytes) {}

 private:
  std::size_t bytes_;
};

/// A place where operations run: the CPU, or a device of a plug-in. Operations take buffers of the
/// same device; shapes are those of plugin_abi.h. Errors: unavailable (69) with the device's own
/// words.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string kind() const = 0;  ///< "cpu", "cuda", "ipu"
  virtual std::string name() const = 0;  ///< for people
  virtual std::uint64_t memory_bytes() const = 0;
  virtual bool supports(frugal_operation operation) const = 0;

  virtual std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) = 0;
  virtual void upload(DeviceBuffer& to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const DeviceBuffer& from, std::size_t bytes) = 0;

  /// y[i] += a x[i], i < n.
  virtual void axpy(float a, const DeviceBuffer& x, DeviceBuffer& y, std::size_t n) = 0;
  /// out[j] = table[rows[j]], j < n, rows of `dim` floats; row ids are uint32.
  virtual void gather_rows(const DeviceBuffer& table, std::size_t dim, const DeviceBuffer& rows,
                           std::size_t n, DeviceBuffer& out) = 0;
  /// c[m, n] = a[m, k] b[k, n].
  struct GemmShape {
    std::size_t m = 0, n = 0, k = 0;
  };
  virtual void gemm(const DeviceBuffer& a, const DeviceBuffer& b, DeviceBuffer& c,
                    GemmShape shape) = 0;
};

/// The CPU as a device, on libcore/kernels.
std::unique_ptr<Device> make_cpu_device();
/// Device `index` of a loaded plug-in; the registry has checked it.
std::unique_ptr<Device> make_plugin_device(const frugal_plugin& plugin, int index);

}  // namespace frugal
