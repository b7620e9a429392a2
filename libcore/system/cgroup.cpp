#include "libcore/system/cgroup.h"

#include <algorithm>
#include <optional>

#include "libcore/base/text.h"
#include "libcore/system/proc_files.h"

namespace frugal {
namespace {

struct Mount {
  std::string root;   ///< which part of the hierarchy is mounted
  std::string point;  ///< where
};

bool contains_word(std::string_view list, std::string_view word) {
  const auto words = split(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Line of /proc/self/mountinfo: "36 35 98:0 /root /point options... - type source super-options".
std::optional<Mount> mount_in_line(std::string_view line, int version,
                                   const std::string& controller) {
  const auto fields = split(line, ' ');
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (fields.size() < 5 || fields.end() - dash < 4) return std::nullopt;
  const std::string_view type = dash[1];
  if (type != (version == 2 ? "cgroup2" : "cgroup")) return std::nullopt;
  if (version == 1 && !contains_word(dash[3], controller)) return std::nullopt;
  return Mount{std::string(fields[3]), std::string(fields[4])};
}

std::optional<Mount> find_mount(const std::string& root, int version,
                                const std::string& controller) {
  const auto mounts = read_proc_file(root, "/proc/self/mountinfo");
  if (!mounts) return std::nullopt;
  for (const std::string_view line : split(*mounts, '\n')) {
    if (auto mount = mount_in_line(line, version, controller)) return mount;
  }
  return std::nullopt;
}

/// Line of /proc/self/cgroup: "4:cpu,cpuacct:/path" (version 1) or "0::/path" (version 2).
std::optional<std::string> own_path(const std::string& root, int version,
                                    const std::string& controller) {
  const auto groups = read_proc_file(root, "/proc/self/cgroup");
  if (!groups) return std::nullopt;
  for (const std::string_view line : split(*groups, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (version == 2 ? controllers.empty() : contains_word(controllers, controller)) {
      return std::string(line.substr(second + 1));
    }
  }
  return std::nullopt;
}

/// The path relative to what is mounted; the mount point itself where the path lies outside it, as
/// in a container that sees its own group as the root of the hierarchy.
std::string visible_path(const Mount& mount, std::string path) {
  if (mount.root != "/") {
    if (path.compare(0, mount.root.size(), mount.root) != 0) return "";
    path.erase(0, mount.root.size());
  }
  if (path.find("/..") != std::string::npos) return "";
  while (!path.empty() && path.back() == '/') path.pop_back();
  return path;
}

void add_with_ancestors(const std::string& root, int version, const std::string& controller,
                        std::vector<CgroupFolder>* folders) {
  const auto mount = find_mount(root, version, controller);
  const auto path = own_path(root, version, controller);
  if (!mount || !path) return;
  std::string name = visible_path(*mount, *path);
  if (!proc_path_exists(root, mount->point + name)) name.clear();
  while (true) {
    folders->push_back({version, name.empty() ? "/" : name, mount->point + name});
    if (name.empty()) break;
    name.erase(name.rfind('/'));
  }
}

}  // namespace

std::vector<CgroupFolder> cgroup_folders(const std::string& root, const std::string& controller) {
  std::vector<CgroupFolder> folders;
  add_with_ancestors(root, 1, controller, &folders);
  add_with_ancestors(root, 2, controller, &folders);
  return folders;
}

}  // namespace frugal
