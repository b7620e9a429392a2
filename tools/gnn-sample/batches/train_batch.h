#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "libcore/threading/object_pool.h"
#include "tools/gnn-sample/batches/link_batches.h"
#include "tools/gnn-sample/batches/row_slicer.h"
#include "tools/gnn-sample/batches/sampler_factory.h"
#include "tools/gnn-sample/data/sparse_rows.h"
#include "tools/gnn-sample/network/gnn_model.h"
#include "tools/gnn-sample/parts/kept_rows.h"
#include "tools/gnn-sample/sampler/mini_batch.h"

namespace frugal::gnn {

/// A mini-batch as a model wants it. Kept and filled again.
struct TrainBatch {
  LinkBatch links;  ///< its seeds alone, where those are nodes
  MiniBatch sample;
  std::vector<Block> blocks;           ///< the outermost hop first
  std::vector<std::uint32_t> degrees;  ///< neighbor_counts() of the nodes, where they are asked for
  std::vector<std::int32_t> labels;    ///< of the seeds, or
  std::vector<std::uint8_t> label_rows;  ///< [seeds, classes]
  Array<std::byte> rows;                 ///< features of the nodes, where they were sliced
  SparseRows sparse_rows;                ///< the same of sparse features
  GatheredRows gathered;                 ///< the same where ranks keep parts of the features
  GnnBatch model;                        ///< what the model sees: borrows the others
};

/// Fills mini-batches on any thread.
class BatchMaker {
 public:
  struct Setup {
    SamplingOptions sampling;
    std::uint32_t max_seeds = 1024;  ///< of a mini-batch
    std::uint64_t seed = 0;
    bool degrees = false;  ///< the model asks for them
    bool labels = true;
  };
  /// Borrows the graph, which has features.
  BatchMaker(const StoredGraph& graph, const Setup& setup);

  /// Fills the batch for batch.links. If the sampling options say so, positive links are left out
  /// of the sampled neighbourhoods.
  void make(TrainBatch& batch);
  /// The rest of a mini-batch that was sampled elsewhere.
  void fill(TrainBatch& batch);
  /// Batches have their nodes' numbers and no features from here on.
  void leave_rows_out() { adds_rows_ = false; }
  /// Features are gathered from these rows from here on; those that are missing, the caller
  /// fetches.
  void gather_from(const KeptRows& kept, int ranks) {
    kept_ = &kept;
    ranks_ = static_cast<std::uint32_t>(ranks);
  }
  /// A hop each, next to the seeds first.
  const Fanouts& fanouts() const { return factory_.options().fanouts; }
  std::size_t num_hops() const { return fanouts().size(); }
  Semantics semantics() const { return factory_.options().semantics; }

 private:
  void add_labels(TrainBatch& batch) const;
  void add_features(TrainBatch& batch) const;

  const StoredGraph& graph_;
  Setup setup_;
  SamplerFactory factory_;
  ObjectPool<NeighborSampler> samplers_;
  FeatureView features_;
  bool adds_rows_ = true;
  const KeptRows* kept_ = nullptr;
  std::uint32_t ranks_ = 1;
  std::vector<std::uint32_t> neighbor_counts_;  ///< of all nodes, where they are asked for
};

}  // namespace frugal::gnn
