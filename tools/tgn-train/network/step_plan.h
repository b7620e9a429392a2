#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/graph/csr.h"
#include "tools/tgn-train/data/event_times.h"

namespace frugal::tgn {

inline constexpr std::uint32_t kNoRow = 0xffffffff;

/// Parts of a node's record. message: the other node's state of the last message; or, in
/// UpdateRows::kept plans, the whole message without the own state: [other | edge features | time
/// encoding].
enum class MemoryPart : std::uint8_t { state, message };

/// A part of a node's record that a step loads into a slot, or, for messages with UpdateRows::kept,
/// into the row of an update.
struct MemoryLoad {
  std::uint32_t row = 0;
  NodeId node = 0;
  MemoryPart part = MemoryPart::state;
};

/// Updates of the memory in order of their dependencies. Update i computes the row of slot out[i]
/// from the rows of slots own[i] and other[i]. Level 0 reads only loaded rows; each further level
/// also reads rows that the levels before it made. In window mode, for example:
///
///     loads     slots 1: a   2: b   5: c   8: d   9: e        (slot 0: zeros)
///
///     event     nodes   updates: own, other -> out            level
///     e0        a b     a: 1, 2 -> 3      b: 2, 1 -> 4        0
///     e1        b c     b: 4, 5 -> 6      c: 5, 4 -> 7        1, because it reads slot 4
///     e2        d e     d: 8, 9 -> 10     e: 9, 8 -> 11       0
///
///     sorted    a b d e of e0 and e2 | b c of e1              level_begin 0 4 6
///     stores    a: 3   b: 6   c: 7   d: 10   e: 11            (the last version of each node)
///
/// So the step multiplies matrices of four rows and of two rows, not six single rows.
struct UpdateRows {
  std::vector<std::uint32_t> own, other;  ///< slots of the two states in its message
  std::vector<EventId> event;             ///< event whose features are in the message
  std::vector<double> dt;                 ///< time between the node's last two events
  std::vector<std::uint32_t> out;         ///< slot of the new state
  /// [levels + 1] a level's updates can be made in parallel
  std::vector<std::uint32_t> level_begin;
  bool kept = false;         ///< whole messages are loaded: other, event and dt are unused
  bool time_learns = false;  ///< gradients reach the time encoder through messages

  std::size_t size() const { return own.size(); }
};

/// Nodes that a layer embeds, each at a time, and the neighbours that they had strictly before it.
/// Rows `below` are slots of memory or, for layers above the first, queries of the layer below.
struct QueryRows {
  std::vector<std::uint32_t> self;       ///< the node's row below
  std::vector<double> since;             ///< normalised time since the node's last event
  std::vector<std::uint32_t> offsets;    ///< [queries + 1] where a query's neighbours begin
  std::vector<std::uint32_t> neighbors;  ///< rows below
  std::vector<EventId> events;           ///< event with the neighbour
  std::vector<double> dt;                ///< time of the neighbour, see StepPlanner
  /// Rows of self and of neighbors in the gradient of the layer below, or kNoRow if they have none.
  std::vector<std::uint32_t> self_gradient, neighbor_gradient;

  std::size_t size() const { return self.size(); }
};

/// ln(1 + max(0, x)) of the inner products x of projected walks (history/walk_projections.h) of the
/// nodes that a pair network reads. own: of a node's rows with each other. cross: of the rows of
/// one node with those of another. Empty if the network reads none.
struct WalkRows {
  std::vector<float> nodes;      ///< [queries, own]
  std::vector<float> neighbors;  ///< [neighbours, own]
  std::vector<float> ends;       ///< [neighbours, cross] with the node of their query
  /// [tokens, cross] for each pair: the source's neighbours with the destination, then the
  /// destination's neighbours with the source
  std::vector<float> others;
  std::vector<float> pairs;  ///< [pairs, cross] the source with the destination
};

/// Common neighbours of the pairs of a step (history/common_neighbors.h), as slots of memory. Empty
/// if the decoder reads none.
struct CommonRows {
  /// Number of lists of a pair, one for each CommonHops, in order.
  static constexpr std::size_t kLists = 4;

  /// [pairs] whether the source is a recent neighbour of the destination, and the reverse.
  std::vector<std::uint8_t> source_met, destination_met;
  std::vector<std::uint32_t> offsets;  ///< [pairs * kLists + 1] where each list begins
  std::vector<std::uint32_t> slots;
  /// [slots] the update that makes it in this step, or kNoRow
  std::vector<std::uint32_t> gradient;

  std::size_t pairs() const { return source_met.size(); }
};

/// A record that the step stores: the state in a slot and, if messages are stored, messages [begin,
/// end) of the plan.
struct MemoryStore {
  NodeId node = 0;
  std::uint32_t slot = 0;
  std::uint32_t message_begin = 0, message_end = 0;
};

/// Messages of a step's events to their nodes.
struct MessageRows {
  std::vector<std::uint32_t> other;  ///< slot of the other node; in DyRep a query of the last layer
  std::vector<EventId> event;
  std::vector<double> dt;  ///< time since the node's previous event
};

/// A node's events in the planner before the plan, for StepPlanner::take_back().
struct PassedNode {
  NodeId node = 0;
  EventId last = kNoEvent, previous = kNoEvent;
};

/// Everything that a step computes, as numbers of rows: which memory it loads, which updates it
/// makes, whom it embeds, and what it stores. Slot 0 is a row of zeros.
struct StepPlan {
  std::size_t num_slots = 1;
  std::vector<NodeId> node_of_slot;
  std::vector<MemoryLoad> loads;
  UpdateRows updates;
  /// The first layer reads the memory, the last one gives the embeddings of the queries. In DyRep
  /// it gives embeddings of each event's source and destination, which messages use.
  std::vector<QueryRows> layers;
  /// DyRep: slots of the queried nodes, and the rows of the updates that make them, or kNoRow.
  std::vector<std::uint32_t> answers, answer_gradient;
  std::vector<MemoryStore> stores;
  MessageRows messages;
  std::vector<PassedNode> passed;
  /// Features of pairs, [pairs, pair_dim]: of each event's source with its destination, then with
  /// each other destination. Empty if the decoder reads none.
  std::vector<float> pairs;
  std::size_t pair_dim = 0;
  WalkRows walks;
  CommonRows common;
  std::size_t others = 1;  ///< number of other destinations of each event that is queried
  /// The row of the last layer that answers each query, if queries share rows
  /// (StepEvents::shares_rows). Empty: each query has its own row.
  std::vector<std::uint32_t> shared_rows;

  MatrixView<const float> pair_rows() const {
    return {pairs.data(), pair_dim == 0 ? 0 : pairs.size() / pair_dim, pair_dim};
  }
};

}  // namespace frugal::tgn
