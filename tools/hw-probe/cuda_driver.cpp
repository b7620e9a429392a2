#include "tools/hw-probe/cuda_driver.h"

#include <dlfcn.h>

#include <cstddef>

namespace frugal::probe {
namespace {

/// A library loaded at run time; its functions are looked up by name.
class Library {
 public:
  explicit Library(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) error_ = dlerror();
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool loaded() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  void* handle_;
  std::string error_;
};

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// CUDA Driver API; devices are small integers, results 0 for success.
void list_devices(const Library& driver, int count, AcceleratorFinding* finding) {
  auto* get = driver.find<int(int*, int)>("cuDeviceGet");
  auto* get_name = driver.find<int(char*, int, int)>("cuDeviceGetName");
  auto* get_memory = driver.find<int(std::size_t*, int)>("cuDeviceTotalMem_v2");
  for (int i = 0; i < count; ++i) {
    int device = 0;
    char name[256] = "";
    std::size_t bytes = 0;
    if (get == nullptr || get(&device, i) != 0) continue;
    if (get_name != nullptr) get_name(name, sizeof name, device);
    if (get_memory != nullptr) get_memory(&bytes, device);
    finding->devices.push_back({"cuda", name, bytes});
  }
}

void ask_driver(AcceleratorFinding* finding) {
  const Library driver("libcuda.so.1");
  if (!driver.loaded()) {
    finding->signals.push_back({"driver libcuda.so.1", false, driver.error()});
    return;
  }
  int version = 0;
  auto* get_version = driver.find<int(int*)>("cuDriverGetVersion");
  const bool told = get_version != nullptr && get_version(&version) == 0;
  finding->signals.push_back(
      {"driver libcuda.so.1", true, told ? "supports CUDA " + version_text(version) : "loaded"});
  auto* initialize = driver.find<int(unsigned)>("cuInit");
  auto* get_count = driver.find<int(int*)>("cuDeviceGetCount");
  const int status = initialize == nullptr ? -1 : initialize(0);
  finding->signals.push_back({"cuInit", status == 0, "returned " + std::to_string(status)});
  if (status != 0) return;
  int count = 0;
  const int count_status = get_count == nullptr ? -1 : get_count(&count);
  finding->signals.push_back({"cuDeviceGetCount", count_status == 0 && count > 0,
                              count_status == 0 ? std::to_string(count) + " devices"
                                                : "returned " + std::to_string(count_status)});
  if (count_status == 0) list_devices(driver, count, finding);
}

void ask_nvml(AcceleratorFinding* finding) {
  const Library nvml("libnvidia-ml.so.1");
  if (!nvml.loaded()) {
    finding->signals.push_back({"NVML libnvidia-ml.so.1", false, nvml.error()});
    return;
  }
  auto* initialize = nvml.find<int()>("nvmlInit_v2");
  auto* shut_down = nvml.find<int()>("nvmlShutdown");
  auto* get_version = nvml.find<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  const int status = initialize == nullptr ? -1 : initialize();
  char version[96] = "";
  if (status == 0 && get_version != nullptr) get_version(version, sizeof version);
  if (status == 0 && shut_down != nullptr) shut_down();
  finding->signals.push_back({"NVML libnvidia-ml.so.1", status == 0,
                              status == 0 ? std::string("driver version ") + version
                                          : "nvmlInit_v2 returned " + std::to_string(status)});
}

}  // namespace

void ask_cuda_driver(AcceleratorFinding* finding) {
  ask_driver(finding);
  ask_nvml(finding);
}

}  // namespace frugal::probe
