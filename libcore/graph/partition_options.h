#pragma once
#include <cstdint>

namespace frugal {

/// ldg: linear deterministic greedy (Stanton and Kliot, KDD 2012), which passes over the nodes
/// several times (Nishimura and Ugander, "Restreaming graph partitioning", KDD 2013). multilevel:
/// METIS (Karypis and Kumar, SISC 1998), whose integers bound edges and weights. random: parts of
/// equal size, to compare with.
enum class PartitionMethod : std::uint8_t { ldg, multilevel, random };

struct PartitionOptions {
  PartitionMethod method = PartitionMethod::multilevel;
  std::uint32_t parts = 2;
  /// Largest weight of a part, as a multiple of the average, rounded up.
  double imbalance = 1.05;
  int passes = 10;  ///< passes of ldg over the nodes
  std::uint64_t seed = 0;
};

}  // namespace frugal
