#pragma once
#include <cstdint>

#include "libcore/graph/csr.h"
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

}  // namespace frugal
