#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace frugal {

/// "1.0.0", with the git commit where the build knew it: "1.0.0-5-gabcdef0".
std::string version_text();

/// "TOOL 1.0.0 (gcc 12.2.0, Release)": what --version prints.
std::string version_line(const std::string& tool);

/// What --version --json prints: version, git, compiler, flags, libraries, ISA levels, devices.
/// plugins: loads those for devices, to say what they can do.
nlohmann::ordered_json version_json(const std::string& tool, bool plugins);

}  // namespace frugal
