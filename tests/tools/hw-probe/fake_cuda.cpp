// Stands in for the CUDA driver (libcuda.so.1) and NVML (libnvidia-ml.so.1), so that their
// questioning is tested on machines without them. FAKE_CUDA_STATUS in the environment is what
// cuInit returns.
#include <cstddef>
#include <cstdlib>
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int cuInit(unsigned) {
  const char* status = std::getenv("FAKE_CUDA_STATUS");
  return status == nullptr ? 0 : std::atoi(status);
}
EXPORT int cuDriverGetVersion(int* version) {
  *version = 12040;
  return 0;
}
EXPORT int cuDeviceGetCount(int* count) {
  *count = 2;
  return 0;
}
EXPORT int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal + 10;
  return 0;
}
EXPORT int cuDeviceGetName(char* name, int length, int device) {
  std::strncpy(name, device == 10 ? "Pretend GPU A" : "Pretend GPU B",
               static_cast<std::size_t>(length));
  return 0;
}
EXPORT int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{16} << 30;
  return 0;
}
EXPORT int nvmlInit_v2() { return 0; }
EXPORT int nvmlShutdown() { return 0; }
EXPORT int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  std::strncpy(version, "550.54", length);
  return 0;
}
