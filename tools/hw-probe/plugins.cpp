#include "tools/hw-probe/plugins.h"

#include "libcore/device/registry.h"

namespace frugal::probe {

Signal plugin_signal(const std::string& root, const std::string& kind) {
  const std::string name = "plug-in libfrugal_" + kind + ".so";
  if (root != "/") return {name, false, "not asked: recorded machine"};
  const PluginStatus plugin = load_plugin(kind);
  return {name, plugin.usable,
          plugin.path.empty() ? plugin.reason : plugin.path + ": " + plugin.reason};
}

}  // namespace frugal::probe
