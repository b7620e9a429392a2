#pragma once
#include <string>

namespace frugal {

/// Location of the plug-in libfrugal_NAME.so: the first one found in the folder FRUGAL_PLUGIN_DIR,
/// beside the program, or in ../lib/frugal from there. It is refused if another user can write it
/// or its folder (trusted_code.h), or if FRUGAL_PLUGIN_DIR is not an absolute path. Programs that
/// run with another user's rights (setuid) ignore FRUGAL_PLUGIN_DIR.
struct PluginFile {
  std::string path;  ///< "" if none was found
  /// If none was found: "no libfrugal_mpi.so in /usr/bin; ...", and what to do.
  std::string missing;
  std::string refused;  ///< reason why it must not be loaded; "" if it may be
};
PluginFile find_plugin_file(const std::string& name);

}  // namespace frugal
