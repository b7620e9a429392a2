#include <cstring>

#include "libcore/base/array.h"
#include "libcore/device/device.h"
#include "libcore/kernels/gemm.h"
#include "libcore/kernels/kernels.h"
#include "libcore/system/cpu.h"
#include "libcore/system/limits.h"

namespace frugal {
namespace {

class CpuBuffer : public DeviceBuffer {
 public:
  explicit CpuBuffer(std::size_t bytes) : DeviceBuffer(bytes), memory_(bytes) {}
  std::byte* data() { return memory_.data(); }
  const std::byte* data() const { return memory_.data(); }

 private:
  Array<std::byte> memory_;
};

template <class T>
T* elements(DeviceBuffer& buffer) {
  return reinterpret_cast<T*>(static_cast<CpuBuffer&>(buffer).data());
}
template <class T>
const T* elements(const DeviceBuffer& buffer) {
  return reinterpret_cast<const T*>(static_cast<const CpuBuffer&>(buffer).data());
}

class CpuDevice : public Device {
 public:
  std::string kind() const override { return "cpu"; }
  std::string name() const override { return cpu_model(); }
  std::uint64_t memory_bytes() const override { return memory_available(); }
  bool supports(frugal_operation operation) const override {
    return operation < FRUGAL_OPERATION_COUNT;
  }

  std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) override {
    return std::make_unique<CpuBuffer>(bytes);
  }
  void upload(DeviceBuffer& to, const void* from, std::size_t bytes) override {
    if (bytes != 0) std::memcpy(elements<std::byte>(to), from, bytes);
  }
  void download(void* to, const DeviceBuffer& from, std::size_t bytes) override {
    if (bytes != 0) std::memcpy(to, elements<std::byte>(from), bytes);
  }
  void axpy(float a, const DeviceBuffer& x, DeviceBuffer& y, std::size_t n) override {
    kernels().axpy(a, elements<float>(x), elements<float>(y), n);
  }
  void gather_rows(const DeviceBuffer& table, std::size_t dim, const DeviceBuffer& rows,
                   std::size_t n, DeviceBuffer& out) override {
    kernels().gather_rows(elements<float>(table), dim, dim, elements<std::uint32_t>(rows), n,
                          elements<float>(out), dim);
  }
  void gemm(const DeviceBuffer& a, const DeviceBuffer& b, DeviceBuffer& c,
            GemmShape shape) override {
    frugal::gemm({elements<float>(a), shape.m, shape.k}, Transpose::no,
                 {elements<float>(b), shape.k, shape.n}, Transpose::no,
                 {elements<float>(c), shape.m, shape.n});
  }
};

}  // namespace

std::unique_ptr<Device> make_cpu_device() { return std::make_unique<CpuDevice>(); }

}  // namespace frugal
