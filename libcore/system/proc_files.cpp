#include "libcore/system/proc_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "libcore/base/text.h"
#include "libcore/system/restarted_calls.h"

namespace frugal {
namespace {

std::string below(const std::string& root, const std::string& path) {
  return root == "/" ? path : root + path;
}

}  // namespace

std::optional<std::string> read_proc_file(const std::string& root, const std::string& path) {
  const int descriptor = open_file(below(root, path), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::string content;
  char block[4096];
  ssize_t n = 0;
  while ((n = restarted([&] { return read(descriptor, block, sizeof block); })) > 0) {
    content.append(block, static_cast<std::size_t>(n));
  }
  close(descriptor);
  if (n < 0) return std::nullopt;
  return std::string(trim(content));
}

bool proc_path_exists(const std::string& root, const std::string& path) {
  return access(below(root, path).c_str(), F_OK) == 0;
}

std::vector<std::string> list_proc_folder(const std::string& root, const std::string& path) {
  std::vector<std::string> names;
  DIR* folder = opendir(below(root, path).c_str());
  if (folder == nullptr) return names;
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> proc_field(std::string_view content, std::string_view name) {
  for (const std::string_view line : split(content, '\n')) {
    if (line.substr(0, name.size()) != name) continue;
    const std::string_view rest = trim(line.substr(name.size()));
    if (!rest.empty() && rest.front() == ':') return std::string(trim(rest.substr(1)));
  }
  return std::nullopt;
}

std::optional<std::string> proc_variable(const std::string& root, const std::string& name) {
  if (root == "/") {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }
  const std::string recorded = read_proc_file(root, "/proc/self/environ").value_or("");
  for (const std::string_view entry : split(recorded, '\0')) {
    if (entry.starts_with(name + "=")) return std::string(entry.substr(name.size() + 1));
  }
  return std::nullopt;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  constexpr int kMaxCpus = 1 << 20;
  std::vector<int> cpus;
  if (trim(text).empty()) return cpus;
  for (const std::string_view part : split(trim(text), ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse_number<int>(part.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : parse_number<int>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMaxCpus) return {};
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace frugal
