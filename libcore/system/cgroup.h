#pragma once
#include <string>
#include <vector>

namespace frugal {

/// One control group that this process is in, or an ancestor of it, as far as it can be seen.
struct CgroupFolder {
  int version = 2;     ///< 1 or 2
  std::string name;    ///< path below the mount point, "/" for the mount point itself
  std::string folder;  ///< path of its files, without the root of a recorded machine
};

/// The groups that limit `controller` ("cpu", "memory") for this process, innermost first: version
/// 1 where a hierarchy with this controller is mounted, and version 2. Understands containers,
/// where /proc/self/cgroup may name paths of the host that the mount does not show. `root` stands
/// for "/".
std::vector<CgroupFolder> cgroup_folders(const std::string& root, const std::string& controller);

}  // namespace frugal
