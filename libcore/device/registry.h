#pragma once
#include <string>
#include <vector>

#include "libcore/device/plugin_abi.h"

namespace frugal {

/// What became of one plug-in.
struct PluginStatus {
  std::string name;  ///< "cuda"
  std::string path;  ///< of the shared object; "" if none was found
  bool usable = false;
  std::string reason;                     ///< why it is not usable, or how many devices it has
  const frugal_plugin* plugin = nullptr;  ///< null unless usable
};

/// The kinds of devices that plug-ins are for.
const std::vector<std::string>& plugin_names();

/// Looks for libfrugal_<name>.so in $FRUGAL_PLUGIN_DIR, beside the executable and in ../lib/frugal
/// from there (never in the current folder), loads it, checks version and size of its struct and
/// asks for its score. Loaded once a process and path; never unloaded.
PluginStatus load_plugin(const std::string& name);

/// Fails with unavailable (69) unless `command` ("sparse-train train") can compute on --device
/// OPTION. No command has an engine for the devices of plug-ins yet: auto is the CPU.
void check_device(const std::string& option, const std::string& command);

}  // namespace frugal
