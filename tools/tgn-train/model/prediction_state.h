#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/data/live_nodes.h"
#include "tools/tgn-train/history/label_history.h"
#include "tools/tgn-train/memory/live_session.h"
#include "tools/tgn-train/mix/mix_keys.h"

namespace frugal::tgn {

/// Hash of a model's weights and training options, which identifies it.
std::string model_fingerprint(const Document& model);

/// Saved state of a stream that `predict` continues.
struct PredictionState {
  LiveNodes nodes;
  bool dates = false;  ///< times are dates in the input
  HeaderNames types;   ///< names of the model's edge types, or empty
  /// [nodes] 1 if the node was a destination.
  std::vector<std::uint8_t> is_destination;
  /// Features of the nodes, [nodes, memory_dim], or a tensor without shape.
  Tensor node_features;

  /// Writes it with the session's state; the session drops events that it does not need. The file
  /// appears only when it is complete. keys: of the model's mix, and labels: tallies of past
  /// labels; each is null without them. fingerprint: of the model.
  void save(const std::string& path, LiveSession& session, MixKeys* keys, LabelHistory* labels,
            const std::string& fingerprint, const std::string& history_entry) const;
  /// Reads the state at `path` into a new session. Fails (bad_input) if it is damaged or of another
  /// model.
  static PredictionState load(const std::string& path, LiveSession& session,
                              const std::string& fingerprint, MixKeys* keys, LabelHistory* labels);
  FeatureRows feature_rows() const;
  /// All nodes that were destinations, ascending.
  std::vector<NodeId> destinations() const;
};

}  // namespace frugal::tgn
