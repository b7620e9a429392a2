#pragma once
#include <array>
#include <string>
#include <vector>

#include "libcore/device/plugin_abi.h"

namespace frugal {

/// Room for a plug-in's words.
class PluginMessage {
 public:
  frugal_message room() { return {text_.data(), text_.size()}; }
  std::string text() const { return text_.data(); }

 private:
  std::array<char, 512> text_{};
};

/// What became of one plug-in.
struct PluginStatus {
  std::string name;  ///< "cuda"
  std::string path;  ///< of the shared object; "" if none was found
  bool usable = false;
  std::string reason;   ///< why it is not usable, or how many devices it has
  std::string toolkit;  ///< what it was made with, and needs to run; "" if it was not loaded
  std::string needs;
  int num_devices = 0;
  std::vector<std::string> engines;             ///< "robe.train" ...; sorted
  const frugal_plugin* plugin = nullptr;        ///< this and the tables: null unless usable
  const frugal_device_table* device = nullptr;  ///< complete
  const frugal_engine_table* engine = nullptr;  ///< complete, or null: it has no engines
};

/// "CUDA 13.0.88, needs driver 580 or later; engines robe.predict, robe.train"; "" where it was not
/// loaded.
std::string plugin_text(const PluginStatus& status);

/// The kinds of devices that plug-ins are for.
const std::vector<std::string>& plugin_names();

/// Why a plug-in cannot be built here, a sentence for people without its full stop, such as "needs
/// the SDK of ..."; empty if it can.
std::string plugin_would_need(const std::string& name);

/// Looks for libfrugal_<name>.so in $FRUGAL_PLUGIN_DIR, beside the executable and in ../lib/frugal
/// from there (never in the current folder), loads it unless another user can write it, checks
/// version and tables and counts its devices. Never unloaded.
PluginStatus load_plugin(const std::string& name);

/// The table of operations that tests use, complete, or null.
const frugal_suite_table* suite_of(const frugal_plugin& plugin);

/// --device: "auto", "cpu" or a plug-in's device.
struct DeviceName {
  std::string kind;  ///< "auto", "cpu", "cuda" ...
  int index = 0;     ///< of cuda:1
};
/// Fails (usage) on anything else.
DeviceName device_from_text(const std::string& text);
/// Whether --device asks for something other than the CPU, and nothing else will do.
inline bool names_device(const std::string& option) { return option != "cpu" && option != "auto"; }

/// Fails (unavailable) unless `command` ("sparse-train train") can compute on --device OPTION;
/// engine: the kind that it uses, "" = none. Whether the device is there is not asked.
void check_device(const std::string& option, const std::string& command, const std::string& engine);

}  // namespace frugal
