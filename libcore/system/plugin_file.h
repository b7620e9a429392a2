#pragma once
#include <string>

namespace frugal {

/// Where libfrugal_NAME.so is: in the folder FRUGAL_PLUGIN_DIR, beside the program, or in
/// ../lib/frugal from there.
struct PluginFile {
  std::string path;     ///< "" where there is none
  std::string missing;  ///< then: "no libfrugal_mpi.so in /usr/bin; ...", and a way out
};
PluginFile find_plugin_file(const std::string& name);

}  // namespace frugal
