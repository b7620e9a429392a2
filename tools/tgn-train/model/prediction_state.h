#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/data/live_nodes.h"
#include "tools/tgn-train/memory/live_session.h"

namespace frugal::tgn {

/// What tells a model from others: a hash of its weights and of how it was trained.
std::string model_fingerprint(const Document& model);

/// Where a stream stands that `predict` goes on with.
struct PredictionState {
  LiveNodes nodes;
  bool dates = false;  ///< times are dates in the input
  /// [nodes] whether a node was a destination.
  std::vector<std::uint8_t> is_destination;
  /// Features of the nodes, [nodes, memory_dim], or without shape.
  Tensor node_features;

  /// Writes it with what the session knows, which forgets what it does not need. Nothing appears
  /// before all is written. fingerprint: of the model.
  void save(const std::string& path, LiveSession& session, const std::string& fingerprint,
            const std::string& history_entry) const;
  /// The state at `path`, brought into a new session. Fails (bad_input) where it is damaged or
  /// another model's.
  static PredictionState load(const std::string& path, LiveSession& session,
                              const std::string& fingerprint);
  FeatureRows feature_rows() const;
  /// Nodes that were destinations, ascending.
  std::vector<NodeId> destinations() const;
};

}  // namespace frugal::tgn
