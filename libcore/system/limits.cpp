#include "libcore/system/limits.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>

#include "libcore/base/error.h"
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
  if (line.find(" - cgroup") == std::string_view::npos) return std::nullopt;  // most are others
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

namespace {

/// The mask of the kernel may be larger than cpu_set_t: grow until it fits.
std::vector<int> affinity_of_this_process() {
  std::vector<int> allowed;
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    const std::size_t size = CPU_ALLOC_SIZE(cpus);
    const int status = sched_getaffinity(0, size, set);
    const int error = errno;
    for (int cpu = 0; status == 0 && cpu < cpus; ++cpu) {
      if (CPU_ISSET_S(cpu, size, set)) allowed.push_back(cpu);
    }
    CPU_FREE(set);
    if (status == 0 || error != EINVAL) break;
  }
  return allowed;
}

/// CPUs that the process may run on; empty if unknown.
std::vector<int> affinity(const std::string& root) {
  if (root == "/") return affinity_of_this_process();
  const auto status = read_proc_file(root, "/proc/self/status");
  return parse_cpu_list(status ? proc_field(*status, "Cpus_allowed_list").value_or("") : "");
}

/// CPUs that quota and period allow; nothing for "max" or -1, which mean no limit.
std::optional<double> quota_of(const std::string& root, const CgroupFolder& group) {
  std::optional<double> quota, period;
  if (group.version == 2) {
    const auto text = read_proc_file(root, group.folder + "/cpu.max").value_or("");
    const auto fields = split(text, ' ');
    if (fields.size() != 2) return std::nullopt;
    quota = parse_number<double>(fields[0]);
    period = parse_number<double>(fields[1]);
  } else {
    quota =
        parse_number<double>(read_proc_file(root, group.folder + "/cpu.cfs_quota_us").value_or(""));
    period = parse_number<double>(
        read_proc_file(root, group.folder + "/cpu.cfs_period_us").value_or(""));
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

std::string group_source(const CgroupFolder& group, const char* v1_file, const char* v2_file) {
  return group.version == 2 ? std::string("cgroup v2 ") + v2_file + " of " + group.name
                            : std::string("cgroup v1 ") + v1_file + " of " + group.name;
}

std::optional<std::uint64_t> read_bytes(const std::string& root, const std::string& path) {
  const auto text = read_proc_file(root, path);
  return text ? parse_number<std::uint64_t>(*text) : std::nullopt;
}

/// Value behind "NAME " in memory.stat; 0 where it is missing.
std::uint64_t stat_value(const std::string& content, const std::string& name) {
  for (const std::string_view line : split(content, '\n')) {
    if (line.substr(0, name.size() + 1) == name + " ") {
      return parse_number<std::uint64_t>(line.substr(name.size() + 1)).value_or(0);
    }
  }
  return 0;
}

/// Returns the limit of a group by its file `name`; nothing if it has none below the machine's
/// memory.
std::optional<MemoryLimit> memory_limit_of(const std::string& root, const CgroupFolder& group,
                                           const char* name, std::uint64_t machine_bytes) {
  const bool v2 = group.version == 2;
  const auto limit = read_bytes(root, group.folder + "/" + name);
  if (!limit || *limit >= machine_bytes) return std::nullopt;
  const auto used =
      read_bytes(root, group.folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes"))
          .value_or(0);
  const auto stat = read_proc_file(root, group.folder + "/memory.stat").value_or("");
  const auto reclaimable =
      std::min(used, stat_value(stat, v2 ? "inactive_file" : "total_inactive_file"));
  const std::uint64_t held = used - reclaimable;
  return MemoryLimit{group_source(group, name, name), *limit, *limit > held ? *limit - held : 0};
}

/// Adds the limits of the groups. A group above memory.high is slowed down until it gives memory
/// back, so that is a limit, too.
void add_group_limits(const std::string& root, std::uint64_t machine_bytes,
                      std::vector<MemoryLimit>& limits) {
  for (const CgroupFolder& group : cgroup_folders(root, "memory")) {
    const std::vector<const char*> names = group.version == 2
                                               ? std::vector{"memory.high", "memory.max"}
                                               : std::vector{"memory.limit_in_bytes"};
    for (const char* name : names) {
      if (auto limit = memory_limit_of(root, group, name, machine_bytes)) {
        limits.push_back(std::move(*limit));
      }
    }
  }
}

std::optional<std::uint64_t> meminfo_bytes(const std::string& meminfo, const std::string& name) {
  const auto text = proc_field(meminfo, name);
  if (!text) return std::nullopt;
  const auto kib = parse_number<std::uint64_t>(split(*text, ' ').front());
  return kib ? std::optional<std::uint64_t>(*kib * 1024) : std::nullopt;
}

/// Adds the limits of the process that `ulimit -v` and `ulimit -d` set, as batch systems do. `used`
/// is the size in /proc/self/status that each of them counts.
void add_process_limits(const std::string& root, std::uint64_t machine_bytes,
                        std::vector<MemoryLimit>& limits) {
  struct ProcessLimit {
    std::string_view line;
    const char *used, *source;
  };
  constexpr ProcessLimit kLimits[] = {{"Max address space", "VmSize", "RLIMIT_AS"},
                                      {"Max data size", "VmData", "RLIMIT_DATA"}};
  const auto table = read_proc_file(root, "/proc/self/limits").value_or("");
  const auto status = read_proc_file(root, "/proc/self/status").value_or("");
  for (const std::string_view line : split(table, '\n')) {
    for (const ProcessLimit& limit : kLimits) {
      if (!line.starts_with(limit.line)) continue;
      const std::string_view soft = trim(line.substr(limit.line.size()));
      const auto bytes = parse_number<std::uint64_t>(soft.substr(0, soft.find(' ')));
      if (!bytes || *bytes >= machine_bytes) continue;
      const std::uint64_t used = meminfo_bytes(status, limit.used).value_or(0);
      limits.push_back({limit.source, *bytes, *bytes > used ? *bytes - used : 0});
    }
  }
}

/// Adds the memory of a SLURM job on this machine, which a job may have without a control group.
void add_slurm_limits(const std::string& root, std::uint64_t machine_bytes,
                      std::vector<MemoryLimit>& limits) {
  const auto number = [&](const char* name) {
    return parse_number<std::uint64_t>(proc_variable(root, name).value_or(""));
  };
  constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
  const auto add = [&](const char* source, std::optional<std::uint64_t> mebibytes) {
    if (!mebibytes || *mebibytes == 0 || *mebibytes >= machine_bytes / kMebi) return;
    limits.push_back({source, *mebibytes * kMebi, *mebibytes * kMebi});
  };
  add("SLURM_MEM_PER_NODE", number("SLURM_MEM_PER_NODE"));
  const auto each = number("SLURM_MEM_PER_CPU"), cpus = number("SLURM_CPUS_ON_NODE");
  if (each && cpus) add("SLURM_MEM_PER_CPU", *each * *cpus);
}

}  // namespace

UsableCpus usable_cpus(const std::string& root) {
  UsableCpus result;
  const auto online = read_proc_file(root, "/sys/devices/system/cpu/online");
  result.cpus = parse_cpu_list(online.value_or(""));
  const auto add = [&](const char* source, const std::vector<int>& cpus) {
    if (!cpus.empty()) result.limits.push_back({source, static_cast<double>(cpus.size())});
  };
  add("online", result.cpus);
  const std::vector<int> allowed = affinity(root);
  add("affinity", allowed);
  if (!allowed.empty()) result.cpus = allowed;
  for (const CgroupFolder& group : cgroup_folders(root, "cpu")) {
    if (const auto cpus = quota_of(root, group)) {
      result.limits.push_back({group_source(group, "cpu.cfs_quota_us", "cpu.max"), *cpus});
    }
  }
  if (result.limits.empty()) return result;
  const double least = std::ranges::min(result.limits, {}, &CpuLimit::cpus).cpus;
  result.count = std::max(1, static_cast<int>(std::lround(least)));
  return result;
}

std::uint64_t installed_memory(const std::string& root) {
  const auto meminfo = read_proc_file(root, "/proc/meminfo");
  if (const auto total = meminfo ? meminfo_bytes(*meminfo, "MemTotal") : std::nullopt)
    return *total;
  struct sysinfo info {};
  if (root != "/" || sysinfo(&info) != 0) return 0;
  return std::uint64_t{info.totalram} * info.mem_unit;
}

std::vector<MemoryLimit> memory_limits(const std::string& root) {
  std::vector<MemoryLimit> limits;
  const std::uint64_t total = installed_memory(root);
  if (total == 0) return limits;
  const auto meminfo = read_proc_file(root, "/proc/meminfo").value_or("");
  struct sysinfo info {};
  if (const auto left = meminfo_bytes(meminfo, "MemAvailable")) {
    limits.push_back({"MemAvailable", total, *left});
  } else if (meminfo.empty() && sysinfo(&info) == 0) {  // no /proc: free pages, without file pages
    limits.push_back({"sysinfo", total, std::uint64_t{info.freeram} * info.mem_unit});
  } else {
    limits.push_back({"MemTotal", total, total});
  }
  add_group_limits(root, total, limits);
  add_process_limits(root, total, limits);
  add_slurm_limits(root, total, limits);
  return limits;
}

std::uint64_t memory_available(const std::string& root) {
  const auto limits = memory_limits(root);
  if (limits.empty()) return 0;
  return std::ranges::min(limits, {}, &MemoryLimit::left).left;
}

void check_memory(const std::string& what, std::uint64_t bytes) {
  const std::uint64_t left = memory_available();
  if (left == 0 || bytes <= left) return;
  fail(ExitStatus::unavailable, what, " needs ", format_bytes(bytes),
       " of memory, expected at most the ", format_bytes(left), " that are left");
}

std::uint64_t peak_memory() {
  // VmHWM belongs to this program; ru_maxrss also counts what the caller held before exec.
  const auto status = read_proc_file("/", "/proc/self/status");
  if (status) {
    if (const auto bytes = meminfo_bytes(*status, "VmHWM")) return *bytes;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace frugal
