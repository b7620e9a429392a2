#pragma once
#include <string>
#include <vector>

namespace frugal {

/// Fails (usage) if GNU make cannot name the file in a rule. Not allowed are control characters,
/// '=', ';', '|', a leading "~" or a special target such as .PHONY, a final "&" or backslash, and
/// an archive's member; for outputs (`is_output`) wildcards, too. Such a name could set variables,
/// begin a recipe or change another rule.
void check_depfile_name(const std::string& path, bool is_output);

/// Returns a make rule "outputs: inputs" with names escaped for GNU make, and an empty rule for
/// each input, so that make does not stop if one is deleted later. "-" and repeated names are
/// omitted. All names must have passed check_depfile_name().
std::string depfile_text(const std::vector<std::string>& outputs,
                         const std::vector<std::string>& inputs);

}  // namespace frugal
