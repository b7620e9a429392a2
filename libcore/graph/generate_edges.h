#pragma once
#include <cstdint>
#include <functional>

#include "libcore/graph/csr.h"
#include "libcore/graph/graph.h"
#include "libcore/graph/id_permutation.h"

namespace frugal {

/// Planted classes of generated nodes. A node has a place; places are divided into equal runs, one
/// per class. Ids are a permutation of the places, so that they do not reveal the class.
class PlantedClasses {
 public:
  /// 1 <= classes <= nodes < 2^32. mixed: permute ids; otherwise ids are places.
  PlantedClasses(std::uint64_t nodes, std::uint64_t classes, bool mixed, std::uint64_t seed)
      : nodes_(nodes), classes_(classes), mixed_(mixed), ids_(nodes, seed) {}

  std::uint64_t nodes() const { return nodes_; }
  std::uint64_t classes() const { return classes_; }
  std::uint64_t begin(std::uint64_t c) const { return (c * nodes_ + classes_ - 1) / classes_; }
  std::uint64_t size(std::uint64_t c) const { return begin(c + 1) - begin(c); }
  std::uint64_t class_at(std::uint64_t place) const { return place * classes_ / nodes_; }
  NodeId id(std::uint64_t place) const {
    return static_cast<NodeId>(mixed_ ? ids_.forward(place) : place);
  }
  std::uint64_t class_of(NodeId id) const { return class_at(mixed_ ? ids_.backward(id) : id); }

 private:
  std::uint64_t nodes_, classes_;
  bool mixed_;
  IdPermutation ids_;
};

/// Receives the number of edges made so far, from any thread.
using EdgeProgress = std::function<void(std::uint64_t edges)>;

/// Probabilities of the four quadrants: low sources and low targets; low, high; high, low; high,
/// high.
struct RmatShares {
  double a = 0.57, b = 0.19, c = 0.19, d = 0.05;
};

struct RmatOptions {
  std::uint64_t edges = 0;
  RmatShares shares;
  double homophily = 0;  ///< share of edges whose target is moved into the source's class
  std::uint64_t seed = 0;
};

/// Edges of a recursive matrix (Chakrabarti, Zhan, Faloutsos, "R-MAT", SDM 2004) over places, six
/// levels per draw; self loops and duplicates included. The number of nodes need not be a power of
/// two: the matrix is scaled. Each edge is a function of the options and its number. Fails (usage)
/// if shares are negative or do not add up to 1.
EdgeList rmat_edges(const RmatOptions& options, const PlantedClasses& nodes,
                    const EdgeProgress& progress);

struct SbmOptions {
  std::uint64_t edges = 0;
  double homophily = 0.8;  ///< share of edges inside a class
  /// Exponent of a power law of degrees, above 2; 0: all nodes have the same expected degree.
  double degree_exponent = 0;
  std::uint64_t seed = 0;
};

/// Edges of a degree-corrected stochastic block model with equal classes (Karrer and Newman, 2011).
/// The source is any node; the target is in its class or in any other. Self loops and duplicates
/// are included. Fails (usage) on invalid options.
EdgeList sbm_edges(const SbmOptions& options, const PlantedClasses& nodes,
                   const EdgeProgress& progress);

}  // namespace frugal
