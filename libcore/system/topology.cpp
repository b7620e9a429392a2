#include "libcore/system/topology.h"

#include <algorithm>
#include <set>

#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/system/proc_files.h"

namespace frugal {
namespace {

constexpr const char* kCpuFolder = "/sys/devices/system/cpu";
constexpr const char* kNodeFolder = "/sys/devices/system/node";

std::string read_text(const std::string& root, const std::string& path) {
  return read_proc_file(root, path).value_or("");
}

int read_int(const std::string& root, const std::string& path) {
  return parse_number<int>(read_text(root, path)).value_or(0);
}

std::uint64_t read_count(const std::string& root, const std::string& path) {
  return parse_number<std::uint64_t>(read_text(root, path)).value_or(0);
}

/// "prefix17" -> 17; nothing for other names.
std::optional<int> number_behind(const std::string& name, const std::string& prefix) {
  if (name.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
  return parse_number<int>(name.substr(prefix.size()));
}

/// "MemTotal:  16 kB" -> 16384; lines of a node start with "Node 0 ".
std::uint64_t memory_field(const std::string& content, const std::string& name) {
  const auto text = proc_field(content, name);
  if (!text) return 0;
  return parse_number<std::uint64_t>(split(*text, ' ').front()).value_or(0) * 1024;
}

std::vector<int> online_cpus(const std::string& root) {
  auto cpus = parse_cpu_list(read_text(root, std::string(kCpuFolder) + "/online"));
  if (!cpus.empty()) return cpus;
  // Without /sys: one paragraph "processor : N" for each CPU.
  const std::string cpuinfo = read_text(root, "/proc/cpuinfo");
  for (const std::string_view line : split(cpuinfo, '\n')) {
    if (line.substr(0, 9) != "processor") continue;
    const auto cpu = parse_number<int>(trim(line.substr(line.find(':') + 1)));
    if (cpu) cpus.push_back(*cpu);
  }
  return cpus;
}

/// Counts sockets and cores, and returns the cores.
std::vector<Core> read_cores(const std::string& root, const std::vector<int>& cpus,
                             Topology* topology) {
  std::set<int> sockets;
  std::set<std::string> seen;
  std::vector<int> first_of_core;
  std::vector<Core> cores;
  for (const int cpu : cpus) {
    const std::string siblings = cpus_of_core(root, cpu);
    if (!seen.insert(siblings).second) continue;
    first_of_core.push_back(cpu);
    cores.emplace_back().cpus = parse_cpu_list(siblings);
    // -1: the firmware does not tell; such machines have one socket.
    const std::string folder = std::string(kCpuFolder) + "/cpu" + std::to_string(cpu);
    sockets.insert(std::max(0, read_int(root, folder + "/topology/physical_package_id")));
  }
  topology->sockets = static_cast<int>(sockets.size());
  topology->cores = static_cast<int>(cores.size());
  const auto speeds = cpu_speeds(root, first_of_core);
  for (std::size_t i = 0; i < cores.size(); ++i) cores[i].first = speeds[i];
  return cores;
}

/// Threads of a core share all its caches, so reading those of one of them is enough: /sys is slow
/// on machines with hundreds of CPUs.
void read_caches(const std::string& root, const std::vector<Core>& cores, Topology* topology) {
  std::vector<int> cpus;
  std::vector<std::size_t> all;
  for (const Core& core : cores) {
    all.push_back(all.size());
    cpus.push_back(core.first.cpu);
  }
  const CacheTable caches(root, cpus);
  topology->caches = caches.levels_of(all);
  topology->core_kinds = core_kinds(cores, caches);
}

NumaNode read_node(const std::string& root, int id) {
  const std::string name = "node" + std::to_string(id);
  const std::string folder = std::string(kNodeFolder) + "/" + name;
  NumaNode node;
  node.id = id;
  node.cpus = parse_cpu_list(read_text(root, folder + "/cpulist"));
  const std::string prefix = "Node " + std::to_string(id) + " MemTotal";
  node.memory_bytes = memory_field(read_text(root, folder + "/meminfo"), prefix);
  const std::string distances = read_text(root, folder + "/distance");
  for (const std::string_view distance : split(distances, ' ')) {
    if (const auto number = parse_number<int>(distance)) node.distances.push_back(*number);
  }
  return node;
}

/// The word in brackets of "always [madvise] never".
std::string chosen_word(const std::string& text) {
  const std::size_t begin = text.find('[');
  const std::size_t end = text.find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  return text.substr(begin + 1, end - begin - 1);
}

void read_huge_pages(const std::string& root, Topology* topology) {
  topology->transparent_huge_pages =
      chosen_word(read_text(root, "/sys/kernel/mm/transparent_hugepage/enabled"));
  const std::string pools = "/sys/kernel/mm/hugepages";
  for (const std::string& name : list_proc_folder(root, pools)) {
    const std::size_t dash = name.find('-');
    if (dash == std::string::npos || name.size() < 2) continue;
    const auto bytes = number_behind(name.substr(0, name.size() - 2), "hugepages-");  // "...kB"
    if (!bytes) continue;
    const std::string folder = pools + "/" + name;
    topology->huge_page_pools.push_back({static_cast<std::uint64_t>(*bytes) * 1024,
                                         read_count(root, folder + "/nr_hugepages"),
                                         read_count(root, folder + "/free_hugepages")});
  }
  std::sort(topology->huge_page_pools.begin(), topology->huge_page_pools.end(),
            [](const auto& a, const auto& b) { return a.page_bytes < b.page_bytes; });
}

}  // namespace

Topology read_topology(const std::string& root) {
  Topology topology;
  const std::vector<int> cpus = online_cpus(root);
  topology.cpus_online = static_cast<int>(cpus.size());
  read_caches(root, read_cores(root, cpus, &topology), &topology);
  for (const int id : parse_cpu_list(read_text(root, std::string(kNodeFolder) + "/online"))) {
    topology.nodes.push_back(read_node(root, id));
  }
  const std::string meminfo = read_text(root, "/proc/meminfo");
  topology.memory_bytes = installed_memory(root);
  topology.swap_bytes = memory_field(meminfo, "SwapTotal");
  read_huge_pages(root, &topology);
  return topology;
}

std::uint64_t cache_bytes(const Topology& topology, int level) {
  const bool hybrid = !topology.core_kinds.empty();
  for (const CacheLevel& cache : hybrid ? topology.core_kinds.front().caches : topology.caches) {
    if (cache.level == level && cache.type != "instruction") return cache.bytes;
  }
  return 0;
}

}  // namespace frugal
