#include "libcore/system/cores/cache_table.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "libcore/base/text.h"
#include "libcore/system/proc_files.h"

namespace frugal {
namespace {

std::string cache_text(const std::string& root, const std::string& path) {
  return read_proc_file(root, path).value_or("");
}

int cache_number(const std::string& root, const std::string& path) {
  return parse_number<int>(cache_text(root, path)).value_or(0);
}

/// Reads a cache from its folder; `bytes` is 0 if the kernel does not report its size.
CacheLevel read_cache(const std::string& root, const std::string& folder,
                      const std::string& sharing_cpus) {
  CacheLevel cache;
  cache.level = cache_number(root, folder + "/level");
  cache.type = cache_text(root, folder + "/type");
  for (char& c : cache.type) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  cache.bytes = parse_bytes(cache_text(root, folder + "/size")).value_or(0);  // "48K"
  cache.instances = 1;
  cache.shared_by = std::max(1, static_cast<int>(parse_cpu_list(sharing_cpus).size()));
  cache.line_bytes = cache_number(root, folder + "/coherency_line_size");
  cache.ways = cache_number(root, folder + "/ways_of_associativity");
  return cache;
}

}  // namespace

CacheTable::CacheTable(const std::string& root, const std::vector<int>& cpus) {
  for (const int cpu : cpus) read_core(root, cpu, &used_.emplace_back());
}

void CacheTable::read_core(const std::string& root, int cpu, std::vector<std::size_t>* used) {
  const std::string caches = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache";
  for (const std::string& index : list_proc_folder(root, caches)) {
    if (!index.starts_with("index")) continue;
    const std::string folder = caches + "/" + index;
    const auto sharing = read_proc_file(root, folder + "/shared_cpu_list");
    const std::string place = index + " of " + sharing.value_or(std::to_string(cpu));
    if (const auto known = places_.find(place); known != places_.end()) {
      used->push_back(known->second);
      continue;
    }
    CacheLevel cache = read_cache(root, folder, sharing.value_or(""));
    if (cache.level == 0 || cache.bytes == 0) continue;
    places_[place] = instances_.size();
    used->push_back(instances_.size());
    instances_.push_back(std::move(cache));
  }
}

std::vector<CacheLevel> CacheTable::levels_of(const std::vector<std::size_t>& cores) const {
  std::set<std::size_t> instances;
  for (const std::size_t core : cores) instances.insert(used_[core].begin(), used_[core].end());
  std::vector<CacheLevel> levels;
  for (const std::size_t index : instances) {
    const CacheLevel& cache = instances_[index];
    const auto same = std::find_if(levels.begin(), levels.end(), [&](const CacheLevel& level) {
      return std::tie(level.level, level.type, level.bytes) ==
             std::tie(cache.level, cache.type, cache.bytes);
    });
    if (same == levels.end()) {
      levels.push_back(cache);
    } else {
      ++same->instances;
      same->shared_by = std::max(same->shared_by, cache.shared_by);
    }
  }
  std::sort(levels.begin(), levels.end(), [](const CacheLevel& a, const CacheLevel& b) {
    return std::tie(a.level, a.type, b.bytes) < std::tie(b.level, b.type, a.bytes);
  });
  return levels;
}

std::uint64_t CacheTable::bytes_of(std::size_t core, int level) const {
  for (const std::size_t index : used_[core]) {
    const CacheLevel& cache = instances_[index];
    if (cache.level == level && cache.type != "instruction") return cache.bytes;
  }
  return 0;
}

}  // namespace frugal
