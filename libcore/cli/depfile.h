#pragma once
#include <string>
#include <vector>

namespace frugal {

/// A make rule "outputs: inputs" with names escaped for GNU make, and an empty rule for each input
/// so that one that is deleted later does not stop make. "-" and repeated names are left out.
std::string depfile_text(const std::vector<std::string>& outputs,
                         const std::vector<std::string>& inputs);

}  // namespace frugal
