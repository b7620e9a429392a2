#pragma once
#include <string>
#include <utility>
#include <vector>

namespace frugal {

/// Facts about the build. They contain neither time nor path, so that two builds give the same
/// bytes.
struct BuildInfo {
  std::string version;  ///< of the project
  std::string
      git;  ///< commit, with "-dirty" after it if files were changed; "" = built without git
  std::string compiler;
  std::string flags;
  std::string build_type;
  std::vector<std::pair<std::string, std::string>> libraries;  ///< name, version
};

BuildInfo build_info();

}  // namespace frugal
