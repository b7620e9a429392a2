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

/// Computes outputs for nodes of the seed type, from sampled neighbourhoods or exactly. Exact
/// outputs come from the whole graph or, if at most half of the nodes are requested, from their
/// whole neighbourhoods. It borrows all but the options: fanouts, batch_size and seed.
class TypedInference {
 public:
  TypedInference(const StoredGraph& graph, const TypePlaces& places, const TypedInputs& inputs,
                 const InferenceOptions& options);

  /// Fails (usage) unless there are as many fanouts as the model has layers.
  void check_fits(const TypedModel& model) const;
  /// Fails (unavailable) if memory is short.
  void run(const TypedModel& model, std::span<const NodeId> nodes, const OutputRows& rows);

 private:
  void run_whole(const TypedModel& model, std::span<const NodeId> nodes, const OutputRows& rows);
  struct Sampling {
    std::string fanouts;
    std::uint32_t batch_size;
  };
  void run_sampled(const TypedModel& model, std::span<const NodeId> nodes, const Sampling& sampling,
                   const OutputRows& rows);
  std::uint64_t whole_bytes(const TypedModel& model) const;
  TypedInput whole_graph(const TypedModel& model);

  const StoredGraph& graph_;
  const TypePlaces& places_;
  const TypedInputs& inputs_;
  InferenceOptions options_;
  std::vector<std::vector<std::uint32_t>> offsets_;  ///< [relations] of whole rows
  std::unique_ptr<TypedRoom> room_;
};

}  // namespace frugal::gnn
