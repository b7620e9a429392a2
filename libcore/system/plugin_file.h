#pragma once
#include <string>

namespace frugal {

/// Where libfrugal_NAME.so is: in the folder FRUGAL_PLUGIN_DIR, beside the program, or in
/// ../lib/frugal from there. The first one found counts. It is refused if another user can write
/// it or its folder (trusted_code.h), or if FRUGAL_PLUGIN_DIR is not an absolute path.
/// FRUGAL_PLUGIN_DIR is ignored by programs that run with another user's rights (setuid).
struct PluginFile {
  std::string path;     ///< "" where there is none
  std::string missing;  ///< then: "no libfrugal_mpi.so in /usr/bin; ...", and a way out
  std::string refused;  ///< why it must not be loaded; "" if it may be
};
PluginFile find_plugin_file(const std::string& name);

}  // namespace frugal
