#include "libcore/system/plugin_file.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "libcore/system/trusted_code.h"

namespace frugal {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "FRUGAL_PLUGIN_DIR";

std::vector<fs::path> search_folders() {
  std::vector<fs::path> folders;
  if (const char* folder = secure_getenv(kFolder); folder != nullptr && *folder != '\0') {
    folders.emplace_back(folder);
  }
  std::error_code failure;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failure);
  if (!failure) {
    folders.push_back(executable.parent_path());
    folders.push_back(executable.parent_path().parent_path() / "lib" / "frugal");
  }
  return folders;
}

}  // namespace

PluginFile find_plugin_file(const std::string& name) {
  const std::string file = "libfrugal_" + name + ".so";
  std::string searched;
  for (const fs::path& folder : search_folders()) {
    if (folder.is_relative()) {
      return {folder / file, "", std::string(kFolder) + " is not an absolute path"};
    }
    std::error_code failure;
    if (fs::is_regular_file(folder / file, failure)) {
      return {folder / file, "", reason_not_to_load(folder / file)};
    }
    searched += (searched.empty() ? "" : ", ") + folder.string();
  }
  return {"", "no " + file + " in " + searched + "; " + kFolder + " may name its folder", ""};
}

}  // namespace frugal
