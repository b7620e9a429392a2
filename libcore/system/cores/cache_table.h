#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace frugal {

/// Caches of one level, type and size.
struct CacheLevel {
  int level = 0;
  std::string type;         ///< "data", "instruction", "unified"
  std::uint64_t bytes = 0;  ///< of one instance
  int instances = 0;
  int shared_by = 0;   ///< logical CPUs for each instance
  int line_bytes = 0;  ///< 0 = unknown
  int ways = 0;        ///< 0 = unknown
};

/// All caches of a machine, each once, and which of them each core uses.
class CacheTable {
 public:
  /// Reads the caches of `cpus`, one CPU of each core. `root` stands for "/".
  CacheTable(const std::string& root, const std::vector<int>& cpus);

  /// Caches that the cores with these indices in `cpus` use, grouped by level and type. Sizes of
  /// one level differ between kinds of cores: the largest comes first.
  std::vector<CacheLevel> levels_of(const std::vector<std::size_t>& cores) const;
  /// Bytes of the data or unified cache of a level that the core uses; 0 if there is none.
  std::uint64_t bytes_of(std::size_t core, int level) const;

 private:
  void read_core(const std::string& root, int cpu, std::vector<std::size_t>* used);

  std::vector<CacheLevel> instances_;
  std::map<std::string, std::size_t> places_;   ///< instances by index and sharing CPUs
  std::vector<std::vector<std::size_t>> used_;  ///< by core, indices of instances_
};

}  // namespace frugal
