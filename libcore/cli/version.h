#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace frugal {

/// Version, with the git commit if the build knew it: "1.0.0-5-gabcdef0".
std::string version_text();

/// Text of --version: "TOOL 1.0.0 (gcc 12.2.0, Release)".
std::string version_line(const std::string& tool);

/// Object of --version --json: version, git, compiler, flags, libraries, ISA levels, devices.
/// plugins: load those for devices and list what they support.
nlohmann::ordered_json version_json(const std::string& tool, bool plugins);

}  // namespace frugal
