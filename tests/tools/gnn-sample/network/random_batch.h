#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "libcore/base/rng.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// Parts of edges that layers read.
struct EdgeParts {
  bool weights = false;
  std::size_t dim = 0;  ///< features

  static EdgeParts of(const GnnOptions& options) {
    return {options.edge_weights, options.edge_dim};
  }
};

/// A mini-batch of random edges with all its memory. Targets without neighbours and with one are
/// among them, edges from a node to itself, and neighbours that are drawn twice.
class RandomBatch {
 public:
  /// sizes: sources of each block, the seeds last. Features of twice as many nodes.
  /// zeros: the share of features that are 0, which view() then leaves out. edges: some weights
  /// are 0, and all of one target's.
  RandomBatch(std::vector<std::uint32_t> sizes, std::size_t dim, std::uint64_t seed,
              std::uint32_t most_neighbors = 4, double zeros = 0, const EdgeParts& edges = {}) {
    Rng rng(seed);
    for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
      add_edges(sizes[l], sizes[l + 1], most_neighbors, rng);
    }
    for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
      blocks_.push_back({.targets = sizes[l + 1],
                         .sources = sizes[l],
                         .offsets = offsets_[l].data(),
                         .neighbors = neighbors_[l].data()});
    }
    const std::uint32_t num_nodes = 2 * sizes[0];
    for (std::uint32_t s = 0; s < sizes[0]; ++s) {
      nodes_.push_back(static_cast<NodeId>(rng.below(num_nodes)));
      degrees_.push_back(static_cast<std::uint32_t>(5 + rng.below(9)));
    }
    features_.resize(num_nodes * dim);
    for (float& x : features_) x = static_cast<float>(rng.uniform(-1, 1));
    dim_ = dim;
    if (zeros > 0) make_sparse(zeros, rng);
    if (edges.weights) add_weights(rng);
    if (edges.dim != 0) add_edge_features(edges.dim, rng);
  }
  RandomBatch(const RandomBatch&) = delete;
  RandomBatch& operator=(const RandomBatch&) = delete;

  GnnBatch view() const {
    if (sparse_.dim != 0) return view_of(sparse_.view());
    const FeatureView features = {.dtype = Dtype::f32,
                                  .data = reinterpret_cast<const std::byte*>(features_.data()),
                                  .rows = features_.size() / dim_,
                                  .dim = dim_,
                                  .scales = {}};
    return view_of(features);
  }
  /// Makes all weights 1, and the weighted degrees those of numbers of neighbours.
  void make_weights_one() {
    for (std::vector<float>& weights : weights_) std::fill(weights.begin(), weights.end(), 1.0F);
    for (std::size_t s = 0; s < degrees_.size(); ++s) {
      weighted_degrees_[s] = {static_cast<double>(degrees_[s]), 1};
    }
  }
  std::size_t num_seeds() const { return blocks_.back().targets; }
  /// The features of source s.
  std::vector<double> row(std::size_t s) const {
    if (!precise_.empty()) {
      const double* const from = precise_.data() + nodes_[s] * dim_;
      return {from, from + dim_};
    }
    const float* from = features_.data() + nodes_[s] * dim_;
    return {from, from + dim_};
  }
  /// The features of all nodes, and others for row() alone: for central differences.
  std::vector<double> features() const { return {features_.begin(), features_.end()}; }
  void set_precise_features(std::vector<double> features) { precise_ = std::move(features); }

 private:
  GnnBatch view_of(const FeatureView& features) const {
    return {blocks_, nodes_, features, degrees_, false, weighted_degrees_};
  }

  void add_weights(Rng& rng) {
    for (std::size_t l = 0; l < blocks_.size(); ++l) {
      std::vector<float>& weights = weights_.emplace_back(neighbors_[l].size());
      for (float& w : weights) w = rng.below(6) == 0 ? 0 : static_cast<float>(rng.uniform(0.1, 3));
      for (std::uint32_t e = offsets_[l][4]; e < offsets_[l][5]; ++e) weights[e] = 0;
    }
    for (std::size_t l = 0; l < blocks_.size(); ++l) blocks_[l].weights = weights_[l].data();
    for (std::size_t s = 0; s < nodes_.size(); ++s) {
      weighted_degrees_.push_back({rng.uniform(2, 9), s % 3 == 0 ? rng.uniform(0, 4) : 1});
    }
  }

  void add_edges(std::uint32_t sources, std::uint32_t targets, std::uint32_t most, Rng& rng) {
    // Offsets of blocks need not begin at 0.
    std::vector<std::uint32_t> offsets = {3}, neighbors = {0, 0, 0};
    for (std::uint32_t t = 0; t < targets; ++t) {
      const auto degree = static_cast<std::uint32_t>(t == 1 ? 0 : t == 2 ? 1 : rng.below(most + 1));
      for (std::uint32_t i = 0; i < degree; ++i) {
        const auto any = static_cast<std::uint32_t>(rng.below(sources));
        neighbors.push_back(i == 1 && t % 2 == 0   ? neighbors.back()
                            : i == 0 && t % 4 == 3 ? t
                                                   : any);
      }
      offsets.push_back(static_cast<std::uint32_t>(neighbors.size()));
    }
    offsets_.push_back(std::move(offsets));
    neighbors_.push_back(std::move(neighbors));
  }

  void add_edge_features(std::size_t dim, Rng& rng) {
    const std::size_t rows = 100;
    edge_features_.resize(rows * dim);
    for (float& x : edge_features_) x = static_cast<float>(rng.uniform(-1, 1));
    for (std::size_t l = 0; l < blocks_.size(); ++l) {
      std::vector<std::uint64_t>& positions = positions_.emplace_back(neighbors_[l].size());
      for (std::uint64_t& p : positions) p = rng.below(rows);
    }
    for (std::size_t l = 0; l < blocks_.size(); ++l) {
      blocks_[l].positions = positions_[l].data();
      blocks_[l].edge_features = edge_features_.data();
      blocks_[l].edge_dim = dim;
    }
  }

  void make_sparse(double zeros, Rng& rng) {
    Tensor dense = Tensor::make("features", Dtype::f32, {features_.size() / dim_, dim_});
    for (float& x : features_) x = rng.uniform(0, 1) < zeros ? 0 : x;
    std::copy(features_.begin(), features_.end(), dense.as<float>().begin());
    sparse_ = to_sparse(dense);
  }

  std::vector<std::vector<std::uint32_t>> offsets_, neighbors_;
  std::vector<Block> blocks_;
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> degrees_;
  std::vector<std::vector<float>> weights_;  ///< of the edges of each block; or empty
  std::vector<WeightedDegree> weighted_degrees_;
  std::vector<float> edge_features_;                   ///< [edges of the graph, dim]; or empty
  std::vector<std::vector<std::uint64_t>> positions_;  ///< of the edges of each block in it
  std::vector<float> features_;
  std::vector<double> precise_;
  SparseRows sparse_;
  std::size_t dim_ = 0;
};

}  // namespace frugal::gnn
