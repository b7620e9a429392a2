#include "libcore/device/registry.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> search_folders() {
  std::vector<fs::path> folders;
  if (const char* folder = std::getenv("FRUGAL_PLUGIN_DIR"); folder != nullptr && *folder != '\0') {
    folders.emplace_back(folder);
  }
  std::error_code failure;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failure);
  if (!failure) {
    folders.push_back(executable.parent_path());
    folders.push_back(executable.parent_path().parent_path() / "lib" / "frugal");
  }
  return folders;
}

std::string find_plugin(const std::string& name, std::string& searched) {
  for (const fs::path& folder : search_folders()) {
    const fs::path path = folder / ("libfrugal_" + name + ".so");
    std::error_code failure;
    if (fs::is_regular_file(path, failure)) return path;
    searched += (searched.empty() ? "" : ", ") + folder.string();
  }
  return "";
}

bool complete(const frugal_plugin& p) {
  return p.name != nullptr && p.score != nullptr && p.device_count != nullptr &&
         p.device_info != nullptr && p.supports != nullptr && p.allocate != nullptr &&
         p.release != nullptr && p.upload != nullptr && p.download != nullptr &&
         p.axpy_f32 != nullptr && p.gather_rows_f32 != nullptr && p.gemm_f32 != nullptr;
}

/// "" if the struct is one that this program can use.
std::string refusal(const frugal_plugin* plugin) {
  if (plugin == nullptr) return "frugal_plugin_entry() returned nothing";
  if (plugin->abi != FRUGAL_PLUGIN_ABI) {
    return "made for plug-in interface " + std::to_string(plugin->abi) + ", this program has " +
           std::to_string(FRUGAL_PLUGIN_ABI);
  }
  if (plugin->size != sizeof(frugal_plugin)) {
    return "its struct has " + std::to_string(plugin->size) + " bytes, expected " +
           std::to_string(sizeof(frugal_plugin));
  }
  if (!complete(*plugin)) return "leaves a function of its struct empty";
  std::array<char, 256> why{};
  if (plugin->score({why.data(), why.size()}) <= 0)
    return "cannot run here: " + std::string(why.data());
  if (plugin->device_count() <= 0) return "has no device";
  return "";
}

}  // namespace

const std::vector<std::string>& plugin_names() {
  static const std::vector<std::string> names{"cuda", "ipu"};
  return names;
}

PluginStatus load_plugin(const std::string& name) {
  PluginStatus status;
  status.name = name;
  std::string searched;
  status.path = find_plugin(name, searched);
  if (status.path.empty()) {
    status.reason = "no libfrugal_" + name + ".so in " + searched;
    return status;
  }
  void* library = dlopen(status.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    status.reason = std::string("cannot be loaded: ") + dlerror();
    return status;
  }
  using Entry = const frugal_plugin* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "frugal_plugin_entry"));
  if (entry == nullptr) {
    status.reason = "has no frugal_plugin_entry()";
    return status;
  }
  const frugal_plugin* plugin = entry();
  status.reason = refusal(plugin);
  status.usable = status.reason.empty();
  if (status.usable) {
    status.plugin = plugin;
    status.reason = std::to_string(plugin->device_count()) + " device(s)";
  }
  return status;
}

void check_device(const std::string& option, const std::string& command) {
  if (option == "auto" || option == "cpu") return;
  fail(ExitStatus::unavailable, "--device ", printable(option), ": ", command,
       " has no engine for it, expected auto or cpu");
}

}  // namespace frugal
