#pragma once
#include <cstdint>
#include <functional>

#include "libcore/graph/csr.h"
#include "libcore/graph/graph.h"
#include "libcore/graph/id_permutation.h"

namespace frugal {

/// Where generators put classes: a node has a place, places are cut into equal runs, one a class,
/// and ids are the places in an order that shows nothing of it.
class PlantedClasses {
 public:
  /// 1 <= classes <= nodes < 2^32; `mixed`: else ids are the places.
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

/// Called with the number of edges made so far, from any thread.
using EdgeProgress = std::function<void(std::uint64_t edges)>;

/// Shares of the four quadrants, from the one of low sources and low targets on.
struct RmatShares {
  double a = 0.57, b = 0.19, c = 0.19, d = 0.05;
};

struct RmatOptions {
  std::uint64_t edges = 0;
  RmatShares shares;
  double homophily = 0;  ///< share of edges whose target is moved into the class of the source
  std::uint64_t seed = 0;
};

/// Edges of a recursive matrix (Chakrabarti, Zhan, Faloutsos, "R-MAT", SDM 2004) over places, six
/// levels of it a draw; self loops and duplicates included. The number of nodes need not be a power
/// of two: the matrix is stretched. Each edge is a function of the options and its number. Fails
/// (usage) for shares that are negative or do not sum to 1.
EdgeList rmat_edges(const RmatOptions& options, const PlantedClasses& nodes,
                    const EdgeProgress& progress);

struct SbmOptions {
  std::uint64_t edges = 0;
  double homophily = 0.8;  ///< share of edges inside a class
  /// Degrees follow a power law with this exponent, above 2; 0: all nodes are alike.
  double degree_exponent = 0;
  std::uint64_t seed = 0;
};

/// Edges of a degree-corrected stochastic block model with equal classes (Karrer and Newman, 2011):
/// a source anywhere, a target inside its class or in any other; with one class, anywhere. Self
/// loops and duplicates included. Fails (usage) for options that make no sense.
EdgeList sbm_edges(const SbmOptions& options, const PlantedClasses& nodes,
                   const EdgeProgress& progress);

}  // namespace frugal
