#pragma once
#include <filesystem>
#include <string>

namespace frugal {

/// Folder of the files that come with the programs: ../share/frugal from the program's folder, in
/// an installation and in a build.
std::filesystem::path installed_folder();

/// The path of a file that is there, or of one of that name in installed_folder(), such as
/// configs/NAME.yaml. If there is neither, the path as it is given.
std::string path_or_installed(const std::string& path);

}  // namespace frugal
