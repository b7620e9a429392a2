#pragma once
#include <string>
#include <vector>

namespace frugal {

/// Fails (usage) where no rule of GNU make can name the file: control characters, '=', ';', '|',
/// "~" or a special target such as .PHONY in front, "&" or a backslash at the end, an archive's
/// member; of an output (`is_output`) wildcards too. Such a name would set variables, begin a
/// recipe or change another rule.
void check_depfile_name(const std::string& path, bool is_output);

/// Returns a make rule "outputs: inputs" with names escaped for GNU make, and an empty rule for
/// each input so that one that is deleted later does not stop make. "-" and repeated names are left
/// out. All names passed check_depfile_name().
std::string depfile_text(const std::vector<std::string>& outputs,
                         const std::vector<std::string>& inputs);

}  // namespace frugal
