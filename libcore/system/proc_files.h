#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

/// Content of a small file of /proc or /sys, without spaces at its ends; nothing if it cannot be
/// read. `root` stands for "/", so that recorded machines can be read like the running one.
std::optional<std::string> read_proc_file(const std::string& root, const std::string& path);
bool proc_path_exists(const std::string& root, const std::string& path);

/// Names in a folder below root, sorted; empty if there is no such folder.
std::vector<std::string> list_proc_folder(const std::string& root, const std::string& path);

/// Text after "NAME:" or "NAME\t:" at the start of a line of a /proc file; the first such line.
std::optional<std::string> proc_field(std::string_view content, std::string_view name);

/// Value of an environment variable of this process or, for a recorded machine, in
/// root/proc/self/environ; nothing if it is not set.
std::optional<std::string> proc_variable(const std::string& root, const std::string& name);

/// Numbers in a list such as "0-3,8,10-11"; empty if the text is malformed.
std::vector<int> parse_cpu_list(std::string_view text);

}  // namespace frugal
