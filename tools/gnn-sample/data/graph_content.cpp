#include "tools/gnn-sample/data/graph_content.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/graph/csr.h"
#include "libcore/threading/find_bad.h"

namespace frugal::gnn {
namespace {

/// The row that an edge is in.
std::size_t row_of(const CsrView& csr, std::size_t edge) {
  const auto after = std::upper_bound(csr.offsets.begin(), csr.offsets.end(), edge);
  return static_cast<std::size_t>(after - csr.offsets.begin()) - 1;
}

template <class T>
void check_finite(const CsrView& csr, std::span<const T> values, T least, const std::string& place,
                  const char* what) {
  constexpr T kLargest = std::numeric_limits<T>::max();
  const std::size_t bad = find_bad(
      values.size(), [=](std::size_t i) { return values[i] >= least && values[i] <= kLargest; });
  if (bad == values.size()) return;
  fail(ExitStatus::bad_input, place, ": ", what, " ",
       format_number(static_cast<double>(values[bad])), " of an edge of node ", row_of(csr, bad),
       ", expected finite numbers", least == 0 ? ", not negative" : "");
}

void check_labels(const NodeSet& nodes, const std::string& place) {
  const auto labels = nodes.labels;
  const auto classes = static_cast<std::int64_t>(nodes.num_classes);
  const std::size_t bad = find_bad(
      labels.size(), [=](std::size_t i) { return labels[i] >= -1 && labels[i] < classes; });
  if (bad != labels.size()) {
    fail(ExitStatus::bad_input, place, ": labels: node ", bad, " is of class ", labels[bad],
         ", expected -1 (none) or a class below ", classes);
  }
  const auto values = nodes.values;
  const std::size_t infinite =
      find_bad(values.size(), [=](std::size_t i) { return !std::isinf(values[i]); });
  if (infinite != values.size()) {
    fail(ExitStatus::bad_input, place, ": labels: that of node ", infinite,
         " is infinite, expected a finite number, or NaN for none");
  }
  const auto matrix = nodes.label_matrix;
  const std::size_t entry = find_bad(matrix.size(), [=](std::size_t i) { return matrix[i] <= 1; });
  if (entry == matrix.size()) return;
  fail(ExitStatus::bad_input, place, ": labels: node ", entry / nodes.num_classes, " has ",
       int{matrix[entry]}, " for class ", entry % nodes.num_classes, ", expected 0 or 1");
}

}  // namespace

void check_edges(const EdgeSet& edges, std::uint64_t num_sources, const std::string& place) {
  const CsrView& csr = edges.csr;
  check_csr(csr, num_sources, edges.times.empty(), place);
  check_finite(csr, edges.times, std::numeric_limits<double>::lowest(), place, "times");
  if (!edges.times.empty()) check_times(csr, edges.times, place);
  check_finite(csr, edges.weights, 0.0F, place, "weights");
  const EdgeFeatures& features = edges.features;
  const std::size_t bad =
      find_bad(features.values.size(),
               [values = features.values](std::size_t i) { return std::isfinite(values[i]); });
  if (bad == features.values.size()) return;
  fail(ExitStatus::bad_input, place, ": edge_features of an edge of node ",
       row_of(csr, bad / features.dim), " have a ", features.values[bad],
       ", expected finite numbers");
}

void check_undirected(const CsrView& csr, const std::string& place) {
  constexpr std::size_t kRows = 4096;
  std::atomic<std::uint64_t> asymmetry{0};
  parallel_for((csr.num_nodes() + kRows - 1) / kRows, 1, [&](std::size_t block) {
    const std::size_t end = std::min<std::size_t>(csr.num_nodes(), (block + 1) * kRows);
    std::uint64_t sum = 0;
    for (std::size_t v = block * kRows; v < end; ++v) {
      const auto target = static_cast<NodeId>(v);
      for (const NodeId source : csr.row(target)) sum += one_way(source, target);
    }
    asymmetry += sum;
  });
  if (asymmetry == 0) return;
  fail(ExitStatus::bad_input, place,
       ": metadata graph.directed is false, but edges are there in one direction only, expected "
       "each of them in both");
}

void check_sparse(const FeatureView& view, std::span<const std::uint64_t> offsets,
                  std::span<const std::uint32_t> columns, const std::string& place) {
  const std::size_t rows = view.rows;
  const std::size_t fall =
      find_bad(rows, [=](std::size_t r) { return offsets[r] <= offsets[r + 1]; });
  if (fall != rows || offsets[0] != 0 || offsets[rows] != columns.size()) {
    fail(ExitStatus::bad_input, place, ": features.offsets: ",
         fall != rows ? "those of node " + std::to_string(fall) + " descend"
                      : "they go from " + std::to_string(offsets[0]) + " to " +
                            std::to_string(offsets[rows]),
         ", expected them to ascend from 0 to the ", columns.size(), " columns");
  }
  const std::uint64_t dim = view.dim;
  const std::size_t beyond =
      find_bad(columns.size(), [=](std::size_t i) { return columns[i] < dim; });
  if (beyond != columns.size()) {
    fail(ExitStatus::bad_input, place, ": features.columns: entry ", beyond, " is ",
         columns[beyond], ", expected 0 to ", dim - 1);
  }
  const std::size_t row = find_bad(rows, [=](std::size_t r) {
    const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(offsets[r]);
    const auto end = columns.begin() + static_cast<std::ptrdiff_t>(offsets[r + 1]);
    return std::adjacent_find(begin, end, std::greater_equal<>()) == end;
  });
  if (row == rows) return;
  fail(ExitStatus::bad_input, place, ": features.columns: those of node ", row,
       " do not ascend, expected each once and in order");
}

void check_nodes(const NodeSet& nodes, const std::string& place) {
  check_labels(nodes, place);
  for (const auto split : nodes.splits) {
    const std::size_t bad = find_bad(split.size(), [=](std::size_t i) {
      return split[i] <= 2 || split[i] == static_cast<std::uint8_t>(Part::none);
    });
    if (bad == split.size()) continue;
    fail(ExitStatus::bad_input, place, ": split: node ", bad, " is in part ", int{split[bad]},
         ", expected 0 (train), 1 (valid), 2 (test) or 255 (none)");
  }
  if (!nodes.features) return;
  const auto scales = nodes.features->scales;
  const std::size_t bad =
      find_bad(scales.size(), [=](std::size_t i) { return std::isfinite(scales[i]); });
  if (bad == scales.size()) return;
  fail(ExitStatus::bad_input, place, ": features.scale: node ", bad, " has ",
       format_number(double{scales[bad]}), ", expected finite numbers");
}

}  // namespace frugal::gnn
