#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/graph/csr.h"
#include "tools/tgn-train/data/event_times.h"

namespace frugal::tgn {

inline constexpr std::uint32_t kNoRow = 0xffffffff;

/// What memory keeps of a node: its state; of its last message the other node's state, or, where
/// that is kept as it was made, all but the own state, [other | edge features | time encoding].
enum class MemoryPart : std::uint8_t { state, message };

/// A part of a node's memory that a step begins with: goes to a slot or, of messages kept as they
/// were made, to the row of an update.
struct MemoryLoad {
  std::uint32_t row = 0;
  NodeId node = 0;
  MemoryPart part = MemoryPart::state;
};

/// Updates of the memory in order of their dependencies: level 0 reads only rows that were loaded,
/// each further level rows of the levels before. Update i makes the row of slot
/// out[i] from rows made before it.
struct UpdateRows {
  std::vector<std::uint32_t> own, other;   ///< slots that its message is made of
  std::vector<EventId> event;              ///< whose features are in the message
  std::vector<double> dt;                  ///< time between the node's last two events
  std::vector<std::uint32_t> out;          ///< slot
  std::vector<std::uint32_t> level_begin;  ///< [levels + 1] updates that can be made at once
  bool kept = false;         ///< messages are loaded: other, event and dt are not used
  bool time_learns = false;  ///< gradients reach the encoder by the times of messages

  std::size_t size() const { return own.size(); }
};

/// Nodes that are embedded at some time, and the neighbours that they had strictly before. Rows
/// `below` are slots of memory or, for layers above the first, queries of the layer below.
struct QueryRows {
  std::vector<std::uint32_t> self;       ///< row below
  std::vector<double> since;             ///< time since the node's last event
  std::vector<std::uint32_t> offsets;    ///< [queries + 1] where a query's neighbours begin
  std::vector<std::uint32_t> neighbors;  ///< row below
  std::vector<EventId> events;           ///< that made it a neighbour
  std::vector<double> dt;                ///< since then
  /// Rows of the gradient of the layer below that those of self and neighbors have, or kNoRow.
  std::vector<std::uint32_t> self_gradient, neighbor_gradient;

  std::size_t size() const { return self.size(); }
};

/// What memory keeps of a node after a step: the state in a slot and the messages [begin, end) of
/// the plan, where it keeps messages.
struct MemoryStore {
  NodeId node = 0;
  std::uint32_t slot = 0;
  std::uint32_t message_begin = 0, message_end = 0;
};

/// The messages of a step's events to the nodes that are in them.
struct MessageRows {
  std::vector<std::uint32_t> other;  ///< slot; of DyRep a query of the last layer
  std::vector<EventId> event;
  std::vector<double> dt;  ///< time since the node's event before
};

/// What the planner knew of a node before the plan's events.
struct PassedNode {
  NodeId node = 0;
  EventId last = kNoEvent, previous = kNoEvent;
};

/// Everything that a step computes, as numbers of rows: which memory it reads, which updates it
/// makes of it, who is embedded, what is kept. Slot 0 is a row of zeros: the memory of nodes
/// without events.
struct StepPlan {
  std::size_t num_slots = 1;
  std::vector<NodeId> node_of_slot;
  std::vector<MemoryLoad> loads;
  UpdateRows updates;
  /// The first looks at memory, the last has the answers; of DyRep the embeddings of each event's
  /// source and destination, for messages.
  std::vector<QueryRows> layers;
  /// Of DyRep the slots that answer, and the rows of updates that make them, or kNoRow.
  std::vector<std::uint32_t> answers, answer_gradient;
  std::vector<MemoryStore> stores;
  MessageRows messages;
  std::vector<PassedNode> passed;
  /// Features of pairs, [pairs, pair_dim]: of each event's source with its destination, then with
  /// the others that it is told apart from. None where the decoder takes none.
  std::vector<float> pairs;
  std::size_t pair_dim = 0;

  MatrixView<const float> pair_rows() const {
    return {pairs.data(), pair_dim == 0 ? 0 : pairs.size() / pair_dim, pair_dim};
  }
};

}  // namespace frugal::tgn
