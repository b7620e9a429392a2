#include "libcore/device/registry.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/plugin_file.h"

namespace frugal {
namespace {

/// Whether no pointer is null; tables are a size and pointers behind it.
template <class Table>
bool complete(const Table& table) {
  std::array<void*, sizeof(Table) / sizeof(void*)> words{};
  std::memcpy(words.data(), &table, sizeof table);
  return std::find(words.begin() + 1, words.end(), nullptr) == words.end();
}

/// The table, complete, or null and why.
template <class Table>
const Table* find_table(const frugal_plugin& plugin, const std::string& name, std::string& why) {
  const auto* table = static_cast<const Table*>(plugin.table(name.c_str(), 1));
  if (table == nullptr) {
    why = "has no table '" + name + "' of version 1";
  } else if (table->size < sizeof(Table)) {
    why = "its table '" + name + "' has " + std::to_string(table->size) + " bytes, expected " +
          std::to_string(sizeof(Table)) + " or more";
  } else if (!complete(*table)) {
    why = "leaves a function of its table '" + name + "' empty";
  } else {
    return table;
  }
  return nullptr;
}

/// "" if the struct is one that this program can use.
std::string refusal(const frugal_plugin* plugin) {
  if (plugin == nullptr) return "frugal_plugin_entry() returned nothing";
  if (plugin->abi != FRUGAL_PLUGIN_ABI) {
    return "made for plug-in interface " + std::to_string(plugin->abi) + ", this program has " +
           std::to_string(FRUGAL_PLUGIN_ABI);
  }
  if (plugin->size < sizeof(frugal_plugin)) {
    return "its struct has " + std::to_string(plugin->size) + " bytes, expected " +
           std::to_string(sizeof(frugal_plugin)) + " or more";
  }
  if (plugin->name == nullptr || plugin->toolkit == nullptr || plugin->needs == nullptr ||
      plugin->table == nullptr) {
    return "leaves a member of its struct empty";
  }
  return "";
}

/// Takes the tables; `status` is usable where they are and a device is.
void take_tables(const frugal_plugin& plugin, PluginStatus& status) {
  status.toolkit = plugin.toolkit;
  status.needs = plugin.needs;
  status.device = find_table<frugal_device_table>(plugin, "device", status.reason);
  if (status.device == nullptr) return;
  if (plugin.table("engine", 1) != nullptr) {
    status.engine = find_table<frugal_engine_table>(plugin, "engine", status.reason);
    if (status.engine == nullptr) return;
    for (const char* const* kind = status.engine->kinds; *kind != nullptr; ++kind) {
      status.engines.emplace_back(*kind);
    }
    std::sort(status.engines.begin(), status.engines.end());
  }
  PluginMessage why;
  status.num_devices = status.device->count(why.room());
  if (status.num_devices <= 0) {
    status.reason = "cannot run here: " + why.text();
    return;
  }
  status.usable = true;
  status.plugin = &plugin;
  status.reason = std::to_string(status.num_devices) + " device(s)";
}

/// "; an engine ...", behind why there is none.
std::string need_text(const std::string& name) {
  const std::string need = plugin_would_need(name);
  return need.empty() ? "" : "; " + need;
}

}  // namespace

std::string plugin_text(const PluginStatus& status) {
  if (status.toolkit.empty()) return "";
  return status.toolkit + ", needs " + status.needs + "; " +
         (status.engines.empty() ? "no engines" : "engines " + joined(status.engines));
}

const std::vector<std::string>& plugin_names() {
  static const std::vector<std::string> names{"cuda", "ipu"};
  return names;
}

std::string plugin_would_need(const std::string& name) {
  if (name != "ipu") return "";
  return "an engine for IPUs would need Graphcore's closed Poplar SDK (headers, libraries, "
         "compiler) and a machine with IPUs to test it on";
}

PluginStatus load_plugin(const std::string& name) {
  PluginStatus status;
  status.name = name;
  const PluginFile file = find_plugin_file(name);
  status.path = file.path;
  if (status.path.empty()) {
    status.reason = file.missing + need_text(name);
    return status;
  }
  status.reason = file.refused;
  if (!status.reason.empty()) return status;
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
  if (status.reason.empty()) take_tables(*plugin, status);
  if (!status.usable) status.device = nullptr, status.engine = nullptr;
  return status;
}

const frugal_suite_table* suite_of(const frugal_plugin& plugin) {
  std::string why;
  return find_table<frugal_suite_table>(plugin, "suite", why);
}

DeviceName device_from_text(const std::string& text) {
  DeviceName name{text.substr(0, text.find(':')), 0};
  const std::vector<std::string>& plugins = plugin_names();
  const bool is_plugin = std::find(plugins.begin(), plugins.end(), name.kind) != plugins.end();
  bool good = is_plugin || text == "auto" || text == "cpu";
  if (is_plugin && name.kind != text) {
    const std::string_view number = std::string_view(text).substr(name.kind.size() + 1);
    const char* end = number.data() + number.size();
    const auto [stop, failure] = std::from_chars(number.data(), end, name.index);
    good = failure == std::errc() && stop == end && name.index >= 0;
  }
  if (!good) {
    fail(ExitStatus::usage, "--device ", printable(text), ": expected auto, cpu, ", joined(plugins),
         ", or a device of these by number, as in ", plugins.front(), ":1");
  }
  return name;
}

void check_device(const std::string& option, const std::string& command,
                  const std::string& engine) {
  const DeviceName name = device_from_text(option);
  if (name.kind == "auto" || name.kind == "cpu" || !engine.empty()) return;
  fail(ExitStatus::unavailable, "--device ", option, ": ", command,
       " has no engine for it, expected auto or cpu", need_text(name.kind));
}

}  // namespace frugal
