#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/gnn-sample/batches/typed_batch.h"
#include "tools/gnn-sample/tasks/inference.h"
#include "tools/gnn-sample/typed/typed_inputs.h"

namespace frugal::gnn {

/// Nodes of a type with outputs, and what takes these.
struct OutputRequest {
  std::size_t type;  ///< number in the model's schema
  std::span<const NodeId> nodes;
  OutputRows rows;
};

/// Computes outputs for nodes of the types that have some, from sampled neighbourhoods or exactly.
/// Exact outputs come from the whole graph or, if at most half of the nodes are requested, from
/// their whole neighbourhoods. It borrows all but the options: fanouts, batch_size and seed.
class TypedInference {
 public:
  TypedInference(const StoredGraph& graph, const TypePlaces& places, const TypedInputs& inputs,
                 const InferenceOptions& options);

  /// Fails (usage) unless there are as many fanouts as the model has layers.
  void check_fits(const TypedModel& model) const;
  /// Fails (unavailable) if memory is short.
  void run(const TypedModel& model, std::span<const OutputRequest> requests);
  /// For nodes of the seed type.
  void run(const TypedModel& model, std::span<const NodeId> nodes, const OutputRows& rows) {
    const OutputRequest request = {model.schema().seeds, nodes, rows};
    run(model, {&request, 1});
  }

 private:
  void run_whole(const TypedModel& model, std::span<const OutputRequest> requests);
  struct Sampling {
    std::string fanouts;
    std::uint32_t batch_size;
  };
  Sampling sampling_for(const TypedModel& model, const OutputRequest& request) const;
  void run_sampled(const TypedModel& model, const OutputRequest& request, const Sampling& sampling);
  std::uint64_t whole_bytes(const TypedModel& model) const;
  TypedInput whole_graph(const TypedModel& model);
  void weigh_draws(const TypedModel& model, std::vector<TypedBlocks>& layers);

  const StoredGraph& graph_;
  const TypePlaces& places_;
  const TypedInputs& inputs_;
  InferenceOptions options_;
  std::vector<std::vector<std::uint32_t>> offsets_;  ///< [relations] of whole rows
  DrawWeights draw_weights_;
  std::unique_ptr<TypedRoom> room_;
};

}  // namespace frugal::gnn
