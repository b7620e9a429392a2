#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/sparse-train/tree/label_tree.h"

namespace frugal::sparse {

/// The weights of a tree rounded to bytes: those of each slot are multiples of its scale, a 127th
/// of the largest of them.
struct ByteWeights {
  std::vector<std::int8_t> values;  ///< in the order of tree.weights
  std::vector<float> scales;        ///< [slots]
};

ByteWeights to_bytes(const LabelTree& tree);

/// The weights of a tree whose other arrays are there; children: of its node, by weight. Fails
/// (bad_input), beginning with `where`, where numbers do not fit together.
std::vector<ChildWeight> from_bytes(const ByteWeights& bytes,
                                    const std::vector<std::uint16_t>& children,
                                    const LabelTree& tree, const std::string& where);

}  // namespace frugal::sparse
