#pragma once
#include <string>
#include <utility>
#include <vector>

namespace frugal {

/// What the build knew about itself. No time and no path, so that two builds give the same bytes.
struct BuildInfo {
  std::string version;  ///< of the project
  std::string
      git;  ///< commit, with "-dirty" behind it where files were changed; "" = built without git
  std::string compiler;
  std::string flags;
  std::string build_type;
  std::vector<std::pair<std::string, std::string>> libraries;  ///< name, version
};

BuildInfo build_info();

}  // namespace frugal
