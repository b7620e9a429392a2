#pragma once
#include <cstdint>

namespace frugal {

/// random: any part, as many nodes each. ldg: linear deterministic greedy (Stanton and Kliot, KDD
/// 2012). fennel: Tsourakakis et al., WSDM 2014. Both pass over the nodes several times
/// (Nishimura and Ugander, "Restreaming graph partitioning", KDD 2013). multilevel: clusters of
/// label propagation are contracted, the coarsest graph is cut and the cut refined on the way back
/// (Meyerhenke, Sanders, Schulz, "Partitioning complex networks via size-constrained clustering",
/// SEA 2014).
enum class PartitionMethod : std::uint8_t { random, ldg, fennel, multilevel };

struct PartitionOptions {
  PartitionMethod method = PartitionMethod::multilevel;
  std::uint32_t parts = 2;
  /// The heaviest part may have this times the average weight, rounded up.
  double imbalance = 1.05;
  int passes = 10;  ///< of ldg and fennel
  std::uint64_t seed = 0;
};

}  // namespace frugal
