#include "libcore/streams/installed_files.h"

#include <system_error>

namespace frugal {

namespace fs = std::filesystem;

fs::path installed_folder() {
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  return program.parent_path().parent_path() / "share" / "frugal";
}

std::string path_or_installed(const std::string& path) {
  std::error_code failure;
  if (path == "-" || fs::path(path).is_absolute() || fs::exists(path, failure)) return path;
  const fs::path installed = installed_folder() / path;
  return fs::is_regular_file(installed, failure) ? installed.string() : path;
}

}  // namespace frugal
