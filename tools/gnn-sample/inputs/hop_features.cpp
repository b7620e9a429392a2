#include "tools/gnn-sample/inputs/hop_features.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>

#include "libcore/base/array.h"
#include "libcore/kernels/kernels.h"
#include "libcore/kernels/mix32.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/data/column_tiles.h"
#include "tools/gnn-sample/inputs/propagation.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/layers/source_rows.h"

namespace frugal::gnn {
namespace {

/// Share of a feature's own deviation that is added to those of its hops. Means over many
/// neighbours hardly differ from node to node; divided by their own deviation alone, these small
/// differences would become as large as the feature.
constexpr double kLeastShare = 0.05;
/// Columns that are propagated at a time. Fewer take less memory and read the edges more often.
constexpr std::size_t kSlabColumns = 64, kFewestColumns = 8;

float factor_of(double deviation, double own) {
  const double divisor = deviation + kLeastShare * own;
  return divisor > 0 ? static_cast<float>(1 / divisor) : 0;
}

/// The weights of edges that the model reads, or nothing.
std::span<const float> weights_of(const StoredGraph& graph, const GnnOptions& options) {
  return options.edge_weights ? graph.weights() : std::span<const float>();
}

/// The mean and the deviation of each column of x. Sums are in the order of the rows.
struct ColumnMoments {
  std::vector<double> means, deviations;
};

/// The most columns whose sums one thread makes together, so that rows of x are read in few passes.
constexpr std::size_t kSummedColumns = 16;

ColumnMoments column_moments(MatrixView<const float> x) {
  ColumnMoments moments{std::vector<double>(x.cols), std::vector<double>(x.cols)};
  const auto count = static_cast<double>(x.rows);
  const std::size_t share = (x.cols - 1) / static_cast<std::size_t>(num_threads()) + 1;
  const std::size_t together = std::min(kSummedColumns, share);
  const std::size_t groups = (x.cols + together - 1) / together;
  parallel_for(groups, 1, [&](std::size_t group) {
    const std::size_t first = group * together, size = std::min(together, x.cols - first);
    std::array<double, kSummedColumns> sums{}, squares{};
    for (std::size_t v = 0; v < x.rows; ++v) {
      const float* const row = x.row(v) + first;
      for (std::size_t c = 0; c < size; ++c) sums[c] += static_cast<double>(row[c]);
    }
    for (double& sum : sums) sum /= count;
    for (std::size_t v = 0; v < x.rows; ++v) {
      const float* const row = x.row(v) + first;
      for (std::size_t c = 0; c < size; ++c) {
        const double difference = static_cast<double>(row[c]) - sums[c];
        squares[c] += difference * difference;
      }
    }
    for (std::size_t c = 0; c < size; ++c) {
      moments.means[first + c] = sums[c];
      moments.deviations[first + c] = std::sqrt(squares[c] / count);
    }
  });
  return moments;
}

/// Makes dense rows, some columns of X at a time.
class DenseHops {
 public:
  DenseHops(const StoredGraph& graph, const GnnOptions& options, FeatureStore& store,
            HopScaling& scaling, bool fits_scaling)
      : features_(*graph.features()),
        matrix_(graph.csr(), weights_of(graph, options), options.propagation),
        hops_(options.hops),
        width_(slab_width(matrix_, features_.rows, features_.dim)),
        tiles_(store, features_.dim, width_),
        scaling_(scaling),
        fits_scaling_(fits_scaling) {}

  void make() {
    tiles_.put_group(0, [&](std::size_t first, MatrixView<float> rows) {
      copy_features(features_, first, first + rows.rows, rows);
    });
    Array<float> numbers(features_.rows * width_, uninitialized);
    Array<float> next(hops_ > 0 ? numbers.size() : 0, uninitialized);
    const bool adds_features = matrix_.alpha() > 0 && hops_ > 0;
    Array<float> unpropagated(adds_features ? numbers.size() : 0, uninitialized);
    for (std::size_t s = 0; s < tiles_.slabs(0).size(); ++s) {
      const std::size_t columns = tiles_.slabs(0)[s].size;
      MatrixView<float> slab(numbers.data(), features_.rows, columns);
      MatrixView<float> product(next.data(), features_.rows, columns);
      const MatrixView<float> features(unpropagated.data(), features_.rows, columns);
      tiles_.get(tiles_.slabs(0)[s], slab);
      if (adds_features) tiles_.get(tiles_.slabs(0)[s], features);
      const std::vector<double> own = fit(slab, tiles_.slabs(0)[s].first, nullptr);
      for (std::size_t h = 1; h <= hops_; ++h) {
        matrix_.multiply(slab, features, product);
        std::swap(slab, product);
        fit(slab, tiles_.slabs(h)[s].first, &own);
        tiles_.put(tiles_.slabs(h)[s], slab);
      }
    }
    tiles_.make_rows(scaling_.mean, scaling_.factor);
  }

 private:
  /// Columns of a slab, its product and what is added to it that take a part of the memory.
  static std::size_t slab_width(const Propagation& matrix, std::size_t rows, std::size_t columns) {
    const std::uint64_t column = (matrix.alpha() > 0 ? 3 : 2) * sizeof(float) * std::uint64_t{rows};
    std::uint64_t room = memory_available() / 4;
    if (room == 0) room = column * kSlabColumns;  // unknown
    std::size_t width = std::min(kSlabColumns, columns);
    while (width > kFewestColumns && column * width > room) width /= 2;
    return width;
  }

  /// Sets the scaling of a slab's columns, from `first` on. own: deviations of the feature of
  /// each; null: these are the features. Returns the deviations.
  std::vector<double> fit(MatrixView<const float> slab, std::size_t first,
                          const std::vector<double>* own) {
    if (!fits_scaling_) return {};
    ColumnMoments moments = column_moments(slab);
    for (std::size_t c = 0; c < moments.means.size(); ++c) {
      const double deviation = moments.deviations[c];
      scaling_.mean[first + c] = static_cast<float>(moments.means[c]);
      scaling_.factor[first + c] = factor_of(deviation, own == nullptr ? deviation : (*own)[c]);
    }
    return std::move(moments.deviations);
  }

  FeatureView features_;
  Propagation matrix_;
  std::size_t hops_, width_;
  ColumnTiles tiles_;
  HopScaling& scaling_;
  bool fits_scaling_;
};

/// Numbers that a sparse row of a hop keeps. Rows of two hops would have thousands, most of them
/// small. On the three graphs that were measured (results/gnn-sample-tuned.md) accuracies stay
/// within 0.1 points, or rise.
constexpr std::size_t kMostKept = 256;

/// The most bytes that making P x may take for sparse rows, twice those of the result: a node's row
/// has at most all columns, at most kMostKept numbers, and at most those of its neighbours' rows
/// and of the features.
std::uint64_t most_bytes(const Propagation& matrix, const SparseRows& x,
                         const SparseRows& features) {
  std::atomic<std::uint64_t> numbers = 0;
  const std::uint64_t most = std::min(x.dim, kMostKept);
  for_each_chunk(x.rows(), [&](std::size_t begin, std::size_t end) {
    std::uint64_t sum = 0;
    for (std::size_t v = begin; v < end; ++v) {
      std::uint64_t row = matrix.own(v) != 0 ? x.offsets[v + 1] - x.offsets[v] : 0;
      matrix.for_each_edge(v, [&](std::size_t j, float weight) {
        if (weight != 0) row += x.offsets[j + 1] - x.offsets[j];
      });
      if (matrix.alpha() > 0) row += features.offsets[v + 1] - features.offsets[v];
      sum += std::min(row, most);
    }
    numbers += sum;
  });
  return 2 * numbers * (sizeof(std::uint32_t) + sizeof(float));
}

/// The weighted sum of sparse rows.
class SparseSum {
 public:
  explicit SparseSum(std::size_t dim) : sums_(dim, 0), is_met_(dim, 0) {}

  void add(const SparseRows& rows, std::size_t node, float weight) {
    if (weight == 0) return;
    for (std::uint64_t i = rows.offsets[node]; i < rows.offsets[node + 1]; ++i) {
      const std::uint32_t c = rows.columns[i];
      if (is_met_[c] == 0) met_.push_back(c);
      is_met_[c] = 1;
      sums_[c] += weight * (rows.values.empty() ? 1 : rows.floats()[i]);
    }
  }

  /// Appends the kMostKept numbers of the largest magnitude, and starts anew. Hashes of their
  /// columns decide among equal ones: with lower columns first, the same ones would be lost at
  /// every node.
  void move_to(std::vector<std::uint32_t>& columns, std::vector<float>& values) {
    const std::size_t kept = std::min(met_.size(), kMostKept);
    const auto end = met_.begin() + static_cast<std::ptrdiff_t>(kept);
    if (end != met_.end()) {
      std::nth_element(met_.begin(), end, met_.end(), [&](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t size = magnitude(a), other = magnitude(b);
        return size > other || (size == other && mix32(a) < mix32(b));
      });
    }
    std::sort(met_.begin(), end);
    columns.insert(columns.end(), met_.begin(), end);
    for (auto c = met_.begin(); c != end; ++c) values.push_back(sums_[*c]);
    for (const std::uint32_t c : met_) {
      sums_[c] = 0;
      is_met_[c] = 0;
    }
    met_.clear();
  }

 private:
  /// Bits that are ordered as the magnitudes; numbers that are not finite are the largest.
  std::uint32_t magnitude(std::uint32_t column) const {
    return std::bit_cast<std::uint32_t>(sums_[column]) & 0x7fffffff;
  }

  std::vector<float> sums_;  ///< [columns]
  std::vector<std::uint8_t> is_met_;
  std::vector<std::uint32_t> met_;  ///< columns that some row has
};

/// P x + alpha features for sparse rows, of which kMostKept numbers are kept.
SparseRows multiply_rows_of(const Propagation& matrix, const SparseRows& x,
                            const SparseRows& features) {
  const std::size_t nodes = x.rows(), chunks = (nodes + kChunkRows - 1) / kChunkRows;
  std::vector<SparseRows> parts(chunks);
  parallel_for(chunks, 1, [&](std::size_t chunk) {
    SparseRows& part = parts[chunk];
    SparseSum sum(x.dim);
    std::vector<float> values;
    const std::size_t end = std::min(nodes, (chunk + 1) * kChunkRows);
    for (std::size_t v = chunk * kChunkRows; v < end; ++v) {
      matrix.for_each_edge(v, [&](std::size_t j, float weight) { sum.add(x, j, weight); });
      sum.add(x, v, matrix.own(v));
      sum.add(features, v, matrix.alpha());
      sum.move_to(part.columns, values);
      part.offsets.push_back(part.columns.size());
    }
    part.values.resize(values.size() * sizeof(float));
    std::copy(values.begin(), values.end(), part.floats().begin());
  });
  SparseRows all;
  all.dim = x.dim;
  std::size_t size = 0;
  for (const SparseRows& part : parts) size += part.columns.size();
  all.offsets.reserve(nodes + 1);
  all.columns.reserve(size);
  all.values.reserve(size * sizeof(float));
  for (SparseRows& part : parts) {
    const std::uint64_t before = all.columns.size();
    for (std::size_t r = 1; r < part.offsets.size(); ++r) {
      all.offsets.push_back(before + part.offsets[r]);
    }
    all.columns.insert(all.columns.end(), part.columns.begin(), part.columns.end());
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
    part = {};
  }
  return all;
}

/// The deviation of the columns of sparse rows: the root of the mean of their variances. One factor
/// for all columns of a hop keeps rare features small.
double deviation_of(const SparseRows& rows) {
  std::vector<double> sums(rows.dim), squares(rows.dim);
  for (std::size_t i = 0; i < rows.columns.size(); ++i) {
    const double value = rows.values.empty() ? 1 : static_cast<double>(rows.floats()[i]);
    sums[rows.columns[i]] += value;
    squares[rows.columns[i]] += value * value;
  }
  const auto count = static_cast<double>(rows.rows());
  double variances = 0;
  for (std::size_t c = 0; c < rows.dim; ++c) {
    const double mean = sums[c] / count;
    variances += std::max(0.0, squares[c] / count - mean * mean);
  }
  return std::sqrt(variances / static_cast<double>(rows.dim));
}

/// The rows of all hops side by side, times the factors.
SparseRows side_by_side(const std::vector<SparseRows>& hops, const std::vector<float>& factors) {
  SparseRows all;
  const std::size_t dim = hops.front().dim;
  all.dim = dim * hops.size();
  std::uint64_t size = 0;
  for (const SparseRows& rows : hops) size += rows.columns.size();
  check_memory("the features of all hops", size * (sizeof(std::uint32_t) + sizeof(float)));
  all.columns.reserve(size);
  all.values.resize(size * sizeof(float));
  const std::span<float> values = all.floats();
  for (std::size_t v = 0; v < hops.front().rows(); ++v) {
    for (std::size_t h = 0; h < hops.size(); ++h) {
      const SparseRows& rows = hops[h];
      for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + 1]; ++i) {
        const std::size_t column = h * dim + rows.columns[i];
        values[all.columns.size()] = factors[column] * (rows.values.empty() ? 1 : rows.floats()[i]);
        all.columns.push_back(static_cast<std::uint32_t>(column));
      }
    }
    all.offsets.push_back(all.columns.size());
  }
  return all;
}

/// Sparse features as f32.
SparseRows sparse_features(const FeatureView& features) {
  SparseRows rows;
  rows.dim = features.dim;
  rows.offsets.assign(features.offsets, features.offsets + features.rows + 1);
  rows.columns.assign(features.columns, features.columns + features.size());
  if (features.data == nullptr) return rows;
  rows.values.resize(rows.columns.size() * sizeof(float));
  std::vector<float> room;
  for (std::size_t v = 0; v < features.rows; ++v) {
    const float* const from = features.row_values(v, room);
    std::copy_n(from, features.row_size(v), rows.floats().begin() + rows.offsets[v]);
  }
  return rows;
}

FeatureStore make_sparse_hops(const StoredGraph& graph, const GnnOptions& options,
                              HopScaling& scaling, bool fits_scaling) {
  const Propagation matrix(graph.csr(), weights_of(graph, options), options.propagation);
  std::vector<SparseRows> hops = {sparse_features(*graph.features())};
  while (hops.size() <= options.hops) {
    check_memory(graph.path() + ": hop " + std::to_string(hops.size()) +
                     " of sparse features (a model with --hops " + std::to_string(hops.size() - 1) +
                     " does without)",
                 most_bytes(matrix, hops.back(), hops.front()));
    hops.push_back(multiply_rows_of(matrix, hops.back(), hops.front()));
  }
  if (fits_scaling) {
    const double own = deviation_of(hops.front());
    for (std::size_t h = 0; h < hops.size(); ++h) {
      std::fill_n(scaling.factor.begin() + static_cast<std::ptrdiff_t>(h * hops[h].dim),
                  hops[h].dim, factor_of(deviation_of(hops[h]), own));
    }
  }
  return FeatureStore(side_by_side(hops, scaling.factor));
}

}  // namespace

FeatureStore make_hop_features(const StoredGraph& graph, const GnnOptions& options,
                               Residence residence, HopScaling& scaling) {
  const FeatureView features = graph.required_features();
  const std::size_t dim = features.dim * (options.hops + 1);
  const bool fits_scaling = scaling.factor.empty();
  if (fits_scaling) {
    scaling.mean.assign(dim, 0);
    scaling.factor.assign(dim, 0);
  }
  if (features.sparse()) return make_sparse_hops(graph, options, scaling, fits_scaling);
  const std::uint64_t bytes = std::uint64_t{features.rows} * dim * sizeof(float);
  const bool large = residence == Residence::automatic && bytes > memory_available() / 2;
  FeatureStore store(features.rows, dim, residence == Residence::mapped || large);
  graph.expect_reads_in_order();
  DenseHops(graph, options, store, scaling, fits_scaling).make();
  return store;
}

void replace_by_hops(StoredGraph& graph, const GnnOptions& options, Residence residence,
                     HopScaling& scaling) {
  graph.use_features(make_hop_features(graph, options, residence, scaling));
  graph.drop_edges();
}

}  // namespace frugal::gnn
