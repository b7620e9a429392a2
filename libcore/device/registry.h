#pragma once
#include <memory>
#include <string>
#include <vector>

#include "libcore/device/device.h"

namespace frugal {

/// What became of one plug-in.
struct PluginStatus {
  std::string name;  ///< "cuda"
  std::string path;  ///< of the shared object; "" if none was found
  bool usable = false;
  std::string reason;                     ///< why it is not usable, or how many devices it has
  const frugal_plugin* plugin = nullptr;  ///< null unless usable
};

/// Names that --device takes besides auto and cpu.
const std::vector<std::string>& plugin_names();

/// Looks for libfrugal_<name>.so in $FRUGAL_PLUGIN_DIR, beside the executable and in ../lib/frugal
/// from there (never in the current folder), loads it, checks version and size of its struct and
/// asks for its score. Loaded once a process and path; never unloaded.
PluginStatus load_plugin(const std::string& name);

/// The device for --device OPTION: auto takes the first usable plug-in with a device, else the CPU.
/// Fails with unavailable (69) and the reason if a named one cannot be used, usage (2) for another
/// name.
std::unique_ptr<Device> select_device(const std::string& option);

}  // namespace frugal
