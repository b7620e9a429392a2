#include "libcore/system/cores/core_kinds.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace frugal {
namespace {

/// Indices of cores that do not differ, and the greatest speed among them.
struct Group {
  std::vector<std::size_t> cores;
  double speed = 0;
  bool last_level = false;  ///< they use an L3 cache
};

/// Groups by family and sizes of caches, then by speed.
std::vector<Group> group_cores(const std::vector<Core>& cores, const CacheTable& caches) {
  using Key = std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint64_t>;
  std::map<Key, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    alike[{cores[i].first.family, caches.bytes_of(i, 1), caches.bytes_of(i, 2),
           caches.bytes_of(i, 3)}]
        .push_back(i);
  }
  std::vector<Group> groups;
  for (auto& [key, indices] : alike) {
    std::stable_sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
      return cores[a].first.speed > cores[b].first.speed;
    });
    bool begins = true;
    for (const std::size_t index : indices) {
      const double speed = cores[index].first.speed;
      if (begins || speed < kSlowerCore * groups.back().speed) {
        groups.push_back({{}, speed, std::get<3>(key) != 0});
      }
      begins = false;
      groups.back().cores.push_back(index);
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
    return std::tie(a.speed, a.last_level) > std::tie(b.speed, b.last_level);
  });
  return groups;
}

std::string kind_name(const std::string& family, const Group& group, std::size_t number,
                      bool others_have_l3) {
  if (family == "core") return "performance";
  if (family == "lowpower") return "low-power efficiency";
  // The slowest cores of Intel's laptops lie apart from the others and their L3 cache.
  if (family == "atom" && others_have_l3 && !group.last_level) return "low-power efficiency";
  if (family == "atom") return "efficiency";
  constexpr std::string_view kArm = "0x41 ";
  if (family.starts_with(kArm)) return arm_core_name(family.substr(kArm.size()));
  return "kind " + std::to_string(number + 1);
}

}  // namespace

std::vector<CoreKind> core_kinds(const std::vector<Core>& cores, const CacheTable& caches) {
  const std::vector<Group> groups = group_cores(cores, caches);
  std::vector<CoreKind> kinds;
  if (groups.size() < 2) return kinds;
  const bool has_l3 = std::any_of(groups.begin(), groups.end(),
                                  [](const Group& group) { return group.last_level; });
  for (const Group& group : groups) {
    const CpuSpeed& first = cores[group.cores.front()].first;
    CoreKind kind;
    kind.name = kind_name(first.family, group, kinds.size(), has_l3);
    kind.cores = static_cast<int>(group.cores.size());
    kind.max_mhz = first.max_mhz;
    kind.speed = group.speed;
    kind.caches = caches.levels_of(group.cores);
    for (const std::size_t core : group.cores) {
      kind.cpus.insert(kind.cpus.end(), cores[core].cpus.begin(), cores[core].cpus.end());
    }
    std::sort(kind.cpus.begin(), kind.cpus.end());
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

// Main ID Register of each core's technical reference manual, field PartNum.
std::string arm_core_name(std::string_view part) {
  constexpr std::pair<std::string_view, const char*> kCores[] = {
      {"0xd03", "Cortex-A53"},  {"0xd04", "Cortex-A35"},  {"0xd05", "Cortex-A55"},
      {"0xd07", "Cortex-A57"},  {"0xd08", "Cortex-A72"},  {"0xd09", "Cortex-A73"},
      {"0xd0a", "Cortex-A75"},  {"0xd0b", "Cortex-A76"},  {"0xd0c", "Neoverse-N1"},
      {"0xd0d", "Cortex-A77"},  {"0xd40", "Neoverse-V1"}, {"0xd41", "Cortex-A78"},
      {"0xd44", "Cortex-X1"},   {"0xd46", "Cortex-A510"}, {"0xd47", "Cortex-A710"},
      {"0xd48", "Cortex-X2"},   {"0xd49", "Neoverse-N2"}, {"0xd4d", "Cortex-A715"},
      {"0xd4e", "Cortex-X3"},   {"0xd4f", "Neoverse-V2"}, {"0xd80", "Cortex-A520"},
      {"0xd81", "Cortex-A720"}, {"0xd82", "Cortex-X4"},
  };
  for (const auto& [number, name] : kCores) {
    if (number == part) return name;
  }
  return "Arm core " + std::string(part);
}

}  // namespace frugal
