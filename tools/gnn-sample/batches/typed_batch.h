#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "libcore/threading/object_pool.h"
#include "tools/gnn-sample/batches/link_batches.h"
#include "tools/gnn-sample/batches/sampler_factory.h"
#include "tools/gnn-sample/batches/seed_batches.h"
#include "tools/gnn-sample/batches/seed_labels.h"
#include "tools/gnn-sample/sampler/mini_batch.h"
#include "tools/gnn-sample/typed/typed_inputs.h"

namespace frugal::gnn {

/// A mini-batch of a graph of several types in the form that a network reads. Its memory is reused.
struct TypedBatch {
  LinkBatch links;  ///< the seeds and, for links, all of it
  MiniBatch sample;
  SeedLabels labels;
  std::vector<std::vector<float>> weights;  ///< [relations] of sampled edges, or empty
  TypedInput input;                         ///< borrows the sample and the weights
};

/// Fills mini-batches. May be used by several threads.
class TypedBatchMaker {
 public:
  struct Setup {
    SamplingOptions sampling;
    std::uint32_t max_seeds = 1024;  ///< largest number of seeds of a mini-batch, of a type
    std::uint64_t seed = 0;
    bool labels = true;
    bool edge_weights = false;  ///< blocks have the weights of relations that have some
    /// [edge types of the graph] what the links of a batch are there, to hide them; or empty
    std::vector<HiddenLinks> hidden;
  };
  /// Borrows all but the setup, which must follow the relations of the schema and no others. Seeds
  /// are of the types of the schema that have outputs.
  TypedBatchMaker(const StoredGraph& graph, const TypedSchema& schema, const TypePlaces& places,
                  const TypedInputs& inputs, const Setup& setup);

  /// Fills the batch for batch.links.
  void make(TypedBatch& batch);

 private:
  void add_weights(TypedBatch& batch) const;

  const StoredGraph& graph_;
  const TypedSchema& schema_;
  const TypePlaces& places_;
  const TypedInputs& inputs_;
  bool labels_, hides_, edge_weights_;
  SamplerFactory factory_;
  std::vector<std::size_t> edge_types_;  ///< [relations] number of each in samples
  ObjectPool<NeighborSampler> samplers_;
};

/// Sampling options for a graph that may have relations beside those of a schema: these are not
/// followed.
SamplingOptions only_relations(SamplingOptions options, const StoredGraph& graph,
                               const TypePlaces& places);

}  // namespace frugal::gnn
