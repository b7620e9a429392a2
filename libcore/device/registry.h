#pragma once
#include <array>
#include <string>
#include <vector>

#include "libcore/device/plugin_abi.h"

namespace frugal {

/// Buffer for a plug-in's message.
class PluginMessage {
 public:
  frugal_message room() { return {text_.data(), text_.size()}; }
  std::string text() const { return text_.data(); }

 private:
  std::array<char, 512> text_{};
};

/// Result of looking for and loading a plug-in.
struct PluginStatus {
  std::string name;  ///< "cuda"
  std::string path;  ///< path of the shared object; "" if none was found
  bool usable = false;
  std::string reason;   ///< why it is not usable, or how many devices it has
  std::string toolkit;  ///< toolkit it was built with; "" if it was not loaded
  std::string needs;
  int num_devices = 0;
  std::vector<std::string> engines;             ///< "robe.train" ...; sorted
  const frugal_plugin* plugin = nullptr;        ///< null unless usable, as are the tables
  const frugal_device_table* device = nullptr;  ///< complete
  const frugal_engine_table* engine = nullptr;  ///< complete, or null if it has no engines
};

/// Description of a plug-in: "CUDA 13.0.88, needs driver 580 or later; engines robe.predict,
/// robe.train"; "" if it was not loaded.
std::string plugin_text(const PluginStatus& status);

/// Names of all plug-ins that may exist: the kinds of devices.
const std::vector<std::string>& plugin_names();

/// Why a plug-in cannot be built here, a sentence for people without its full stop, such as "needs
/// the SDK of ..."; empty if it can.
std::string plugin_would_need(const std::string& name);

/// Looks for libfrugal_<name>.so in $FRUGAL_PLUGIN_DIR, beside the executable and in ../lib/frugal
/// from there (never in the current folder). Loads it unless another user can write it, checks its
/// version and tables, and counts its devices. It is never unloaded.
PluginStatus load_plugin(const std::string& name);

/// The plug-in's table of operations for tests, complete, or null.
const frugal_suite_table* suite_of(const frugal_plugin& plugin);

/// Parsed --device: "auto", "cpu" or a plug-in's device.
struct DeviceName {
  std::string kind;  ///< "auto", "cpu", "cuda" ...
  int index = 0;     ///< number in "cuda:1"
};
/// Fails (usage) on anything else.
DeviceName device_from_text(const std::string& text);
/// Whether --device names a device other than the CPU.
inline bool names_device(const std::string& option) { return option != "cpu" && option != "auto"; }

/// Fails (unavailable) unless `command` ("sparse-train train") supports --device OPTION. engine:
/// kind of engine that it uses, "" = none. Does not check that the device exists.
void check_device(const std::string& option, const std::string& command, const std::string& engine);

}  // namespace frugal
