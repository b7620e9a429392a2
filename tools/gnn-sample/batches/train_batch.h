#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "libcore/threading/object_pool.h"
#include "tools/gnn-sample/batches/link_batches.h"
#include "tools/gnn-sample/batches/row_slicer.h"
#include "tools/gnn-sample/batches/sampler_factory.h"
#include "tools/gnn-sample/batches/seed_labels.h"
#include "tools/gnn-sample/data/sparse_rows.h"
#include "tools/gnn-sample/network/gnn_model.h"
#include "tools/gnn-sample/parts/kept_rows.h"
#include "tools/gnn-sample/parts/row_packs.h"
#include "tools/gnn-sample/sampler/mini_batch.h"

namespace frugal::gnn {

/// A mini-batch in the form that a model reads. Its memory is reused.
struct TrainBatch {
  LinkBatch links;  ///< if seeds are nodes, only its seeds are used
  MiniBatch sample;
  std::vector<Block> blocks;                     ///< blocks, the outermost hop first
  std::vector<std::uint32_t> degrees;            ///< neighbor_counts() of the nodes, if requested
  std::vector<WeightedDegree> weighted_degrees;  ///< the same of weighted edges
  std::vector<float> weights;                    ///< of the edges of all hops, if requested
  SeedLabels labels;
  Array<std::byte> rows;   ///< features of the nodes, if they were gathered
  SparseRows sparse_rows;  ///< the same for sparse features
  GatheredRows gathered;   ///< the same if memory has some of the features (KeptRows)
  std::shared_ptr<const RowPacks> packs;  ///< rows that `gathered` lacks, with PackedBatches
  std::size_t pack = 0;                   ///< number of its pack
  GnnBatch model;                         ///< input of the model; borrows the members above
};

/// Fills mini-batches. May be used by several threads.
class BatchMaker {
 public:
  struct Setup {
    SamplingOptions sampling;
    std::uint32_t max_seeds = 1024;  ///< largest number of seeds of a mini-batch
    std::uint64_t seed = 0;
    bool degrees = false;        ///< the model needs degrees
    bool edge_weights = false;   ///< it needs weights of edges, which the graph has
    bool edge_features = false;  ///< it needs features of edges, which the graph has
    bool labels = true;

    /// Requests what a network needs.
    void serve(const GnnOptions& network);
  };
  /// Borrows the graph, which must have features.
  BatchMaker(const StoredGraph& graph, const Setup& setup);

  /// Fills the batch for batch.links. With SamplingOptions::hide_seed_edges, positive links are
  /// removed from the sampled neighbourhoods.
  void make(TrainBatch& batch) {
    draw(batch);
    fill(batch);
  }
  /// Only samples the mini-batch for batch.links.
  void draw(TrainBatch& batch);
  /// Fills the rest of a mini-batch that was sampled elsewhere.
  void fill(TrainBatch& batch);
  /// From now on, batches contain their nodes' numbers and no features.
  void leave_rows_out() { adds_rows_ = false; }
  /// From now on, features are gathered from these rows; the caller fetches missing ones.
  void gather_from(const KeptRows& kept, int ranks) {
    kept_ = &kept;
    ranks_ = static_cast<std::uint32_t>(ranks);
  }
  /// One block for each hop, the one next to the seeds first.
  const Fanouts& fanouts() const { return factory_.options().fanouts; }
  std::size_t num_hops() const { return fanouts().size(); }
  Semantics semantics() const { return factory_.options().semantics; }

 private:
  void add_edges(TrainBatch& batch) const;
  void add_features(TrainBatch& batch) const;

  const StoredGraph& graph_;
  Setup setup_;
  SamplerFactory factory_;
  ObjectPool<NeighborSampler> samplers_;
  FeatureView features_;
  bool adds_rows_ = true;
  const KeptRows* kept_ = nullptr;
  std::uint32_t ranks_ = 1;
  std::vector<std::uint32_t> neighbor_counts_;  ///< of all nodes, if requested
  std::vector<WeightedDegree> weighted_degrees_;
};

}  // namespace frugal::gnn
