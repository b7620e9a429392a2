#include "tools/hw-probe/machine/accelerators.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "libcore/base/text.h"
#include "libcore/device/registry.h"
#include "libcore/system/proc_files.h"
#include "tools/hw-probe/machine/machine.h"

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

namespace {

/// Whether the plug-in for a kind of accelerator ("cuda", "ipu") loads, and why not. Not asked on a
/// recorded machine.
Signal plugin_signal(const std::string& root, const std::string& kind) {
  const std::string name = "plug-in libfrugal_" + kind + ".so";
  if (root != "/") return {name, false, "not asked: recorded machine"};
  const PluginStatus plugin = load_plugin(kind);
  if (plugin.path.empty()) return {name, false, plugin.reason};
  const std::string made = plugin_text(plugin);
  return {name, plugin.usable,
          plugin.path + (made.empty() ? "" : " (" + made + ")") + ": " + plugin.reason};
}

/// Classes of PCI devices that compute: displays (03xxxx) and processing accelerators (12xxxx). The
/// sound and USB devices of a graphics card are left out. Graphcore makes nothing but IPUs.
bool is_compute_device(const std::string& vendor, const std::string& pci_class) {
  if (vendor == "1d95") return true;
  return pci_class.compare(0, 4, "0x03") == 0 || pci_class.compare(0, 4, "0x12") == 0;
}

Signal pci_signal(const std::string& root, const std::string& vendor, const std::string& owner) {
  const std::string folder = "/sys/bus/pci/devices";
  std::string found;
  for (const std::string& address : list_proc_folder(root, folder)) {
    const std::string device = folder + "/" + address;
    if (read_proc_file(root, device + "/vendor") != "0x" + vendor) continue;
    const std::string pci_class = read_proc_file(root, device + "/class").value_or("");
    if (!is_compute_device(vendor, pci_class)) continue;
    found.append(found.empty() ? "" : ", ").append(address);
  }
  const bool any = !found.empty();
  return {"PCI vendor " + vendor + " (" + owner + ")", any, any ? found : "none"};
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Paths /dev/PREFIX0, /dev/PREFIX1 ...
std::vector<std::string> numbered_nodes(const std::string& root, const std::string& prefix) {
  std::vector<std::string> nodes;
  for (const std::string& name : list_proc_folder(root, "/dev")) {
    if (name.compare(0, prefix.size(), prefix) == 0 && all_digits(name.substr(prefix.size()))) {
      nodes.push_back("/dev/" + name);
    }
  }
  return nodes;
}

Signal node_signal(const std::string& root, const std::string& prefix) {
  const std::size_t count = numbered_nodes(root, prefix).size();
  return {"/dev/" + prefix + "*", count > 0, count > 0 ? std::to_string(count) : "none"};
}

Signal variable_signal(const Environment& environment, const std::string& name) {
  const auto value = environment.get(name);
  return {"variable " + name, value.has_value(), value ? *value : "not set"};
}

const Signal* find_signal(const AcceleratorFinding& finding, const std::string& start) {
  for (const Signal& signal : finding.signals) {
    if (signal.name.compare(0, start.size(), start) == 0) return &signal;
  }
  return nullptr;
}

bool found(const AcceleratorFinding& finding, const std::string& start) {
  const Signal* signal = find_signal(finding, start);
  return signal != nullptr && signal->found;
}

/// The first of the signals, by the start of their names, that is missing; "" if all are there.
std::string first_missing(const AcceleratorFinding& finding,
                          const std::vector<std::string>& needed) {
  for (const std::string& start : needed) {
    const Signal* signal = find_signal(finding, start);
    if (signal == nullptr) return start + " was not asked";
    if (!signal->found) return signal->name + ": " + signal->detail;
  }
  return "";
}

/// Usable unless a reason against it was found.
void conclude(AcceleratorFinding* finding) {
  finding->usable = finding->reason.empty();
  if (finding->usable) finding->reason = "driver and plug-in answer";
}

AcceleratorFinding find_cuda(const std::string& root, const Environment& environment) {
  AcceleratorFinding cuda;
  cuda.kind = "cuda";
  cuda.signals = {pci_signal(root, "10de", "NVIDIA"), node_signal(root, "nvidia"),
                  variable_signal(environment, "CUDA_VISIBLE_DEVICES")};
  if (root == "/") {
    ask_cuda_driver(&cuda);
  } else {
    cuda.signals.push_back({"driver libcuda.so.1", false, "not asked: recorded machine"});
  }
  cuda.signals.push_back(plugin_signal(root, "cuda"));
  const bool any = root == "/" || found(cuda, "PCI") || found(cuda, "/dev/nvidia");
  cuda.reason = any ? first_missing(cuda, {"driver", "cuInit", "cuDeviceGetCount", "plug-in"})
                    : "no PCI device, no /dev/nvidia*";
  conclude(&cuda);
  return cuda;
}

/// Graphics processors among the nodes of the ROCm kernel driver; nodes of CPUs have no SIMD units.
int rocm_gpus(const std::string& root) {
  const std::string folder = "/sys/class/kfd/kfd/topology/nodes";
  int gpus = 0;
  for (const std::string& node : list_proc_folder(root, folder)) {
    const auto properties = read_proc_file(root, folder + "/" + node + "/properties").value_or("");
    for (const std::string_view line : split(properties, '\n')) {
      const bool simd = line.substr(0, 11) == "simd_count ";
      if (simd && parse_number<int>(line.substr(11)).value_or(0) > 0) ++gpus;
    }
  }
  return gpus;
}

AcceleratorFinding find_rocm(const std::string& root) {
  AcceleratorFinding rocm;
  rocm.kind = "rocm";
  const bool kfd = proc_path_exists(root, "/dev/kfd");
  const int gpus = rocm_gpus(root);
  rocm.signals = {pci_signal(root, "1002", "AMD"),
                  {"/dev/kfd", kfd, kfd ? "present" : "none"},
                  {"ROCm topology", gpus > 0, std::to_string(gpus) + " graphics processors"}};
  for (int i = 0; i < gpus; ++i) {
    rocm.devices.push_back({"rocm", "graphics processor " + std::to_string(i), 0});
  }
  rocm.reason = first_missing(rocm, {"/dev/kfd", "ROCm topology"});
  if (rocm.reason.empty()) rocm.reason = "the tools have no plug-in for ROCm";
  return rocm;
}

/// Where the Poplar SDK is: its enable script sets the variable and the library path.
Signal poplar_signal(const std::string& root, const Environment& environment) {
  if (const auto sdk = environment.get("POPLAR_SDK_ENABLED")) {
    return {"Poplar SDK", true, "POPLAR_SDK_ENABLED=" + *sdk};
  }
  const std::string paths = environment.get("LD_LIBRARY_PATH").value_or("");
  for (const std::string_view folder : split(paths, ':')) {
    const std::string library = std::string(folder) + "/libpoplar.so";
    if (!folder.empty() && proc_path_exists(root, library)) return {"Poplar SDK", true, library};
  }
  return {"Poplar SDK", false, "POPLAR_SDK_ENABLED not set, no libpoplar.so in LD_LIBRARY_PATH"};
}

AcceleratorFinding find_ipu(const std::string& root, const Environment& environment) {
  AcceleratorFinding ipu;
  ipu.kind = "ipu";
  const auto fabric = environment.with_prefix("IPUOF_");
  std::string fabric_text;
  for (const std::string& entry : fabric) {
    fabric_text.append(fabric_text.empty() ? "" : ", ").append(entry);
  }
  ipu.signals = {pci_signal(root, "1d95", "Graphcore"),
                 node_signal(root, "ipu"),
                 {"variables IPUOF_*", !fabric.empty(), fabric.empty() ? "not set" : fabric_text},
                 poplar_signal(root, environment),
                 plugin_signal(root, "ipu")};
  // No driver of IPUs is asked: their nodes are all that is known.
  for (const std::string& node : numbered_nodes(root, "ipu"))
    ipu.devices.push_back({"ipu", node, 0});
  const bool any = found(ipu, "PCI") || found(ipu, "/dev/ipu") || found(ipu, "variables");
  ipu.reason = any ? first_missing(ipu, {"Poplar", "plug-in"})
                   : "no PCI device, no /dev/ipu*, no IPUOF_* variable";
  conclude(&ipu);
  return ipu;
}

}  // namespace

std::vector<AcceleratorFinding> find_accelerators(const std::string& root,
                                                  const Environment& environment) {
  std::vector<AcceleratorFinding> all{find_cuda(root, environment), find_rocm(root),
                                      find_ipu(root, environment)};
  return all;
}

}  // namespace frugal::probe
