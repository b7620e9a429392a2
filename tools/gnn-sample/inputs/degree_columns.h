#pragma once
#include <cstddef>

#include "libcore/base/view.h"
#include "libcore/graph/csr.h"

namespace frugal::gnn {

/// Steps of the logarithmic scale of degrees: 2^15 - 1 edges and more are the last one.
inline constexpr std::size_t kDegreeSteps = 16;
/// Columns of write_degrees().
inline constexpr std::size_t kDegreeColumns = 2 * (1 + kDegreeSteps);

/// Writes the degrees of each node to out, [nodes, kDegreeColumns], on all threads: first of its
/// in-edges, then of its out-edges. With l = log2(1 + degree), the columns of each are l / 8 and
/// max(0, 1 - |min(l, 15) - b|) for b = 0 ... 15. A degree so is its own number, and lies between
/// the two nearest steps of the scale. Edges from a node to itself count.
void write_degrees(const CsrView& graph, MatrixView<float> out);

}  // namespace frugal::gnn
