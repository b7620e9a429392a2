#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/temporal_csr.h"
#include "tools/tgn-train/data/event_file.h"
#include "tools/tgn-train/data/event_times.h"
#include "tools/tgn-train/data/live_events.h"
#include "tools/tgn-train/memory/stream_session.h"

namespace frugal::tgn {

/// The most recent neighbours of each node in a growing stream. Each node keeps its last `count`
/// entries strictly before the present time, and as many at it. So before() returns the last
/// `count` entries for every limit that later events can ask for. Entries added since the last
/// settle() are all kept.
class LiveNeighbors final : public TemporalNeighbors {
 public:
  static constexpr std::size_t kAll = ~std::size_t{0};
  /// count: entries kept for a node; kAll: all.
  explicit LiveNeighbors(std::size_t count) : count_(count) {}

  std::size_t num_nodes() const override { return entries_.size(); }
  /// The last entries before event `limit`, oldest first: at least `count` of them if there are so
  /// many.
  std::span<const TemporalNeighbor> before(NodeId v, std::uint32_t limit) const override;

  /// Raises the number of nodes to `num_nodes`, which must not be below the present number.
  void grow(std::size_t num_nodes) { entries_.resize(num_nodes); }
  /// Appends the event to the lists of both nodes.
  void add(NodeId source, NodeId destination, EventId event);
  /// Drops entries that before() no longer needs. `present` is the first event at the present time;
  /// later calls must not ask for limits before it.
  void settle(EventId present);

  std::span<const TemporalNeighbor> entries(NodeId v) const { return entries_[v]; }
  /// Replaces each event in the lists by numbers[event].
  void renumber(std::span<const EventId> numbers);
  /// Sets v's list, oldest entry first, when a saved stream is loaded.
  void set_entries(NodeId v, std::span<const TemporalNeighbor> entries) {
    entries_[v].assign(entries.begin(), entries.end());
  }

 private:
  void settle(std::vector<TemporalNeighbor>& list, EventId present) const;

  std::size_t count_;
  std::vector<std::vector<TemporalNeighbor>> entries_;  ///< [nodes]
  std::vector<NodeId> touched_;  ///< nodes with events since the last settle()
};

struct LiveOptions {
  /// Batch modes (exact, read): number of events after which the memory applies them together.
  std::size_t batch = 200;
  /// Window mode: strict makes the events at the time of the last event wait until a later one
  /// comes.
  Ties ties = Ties::strict;
  /// Number of events that may be kept beyond those needed, so that dropping them is rare.
  std::size_t slack = 4096;
};

/// A network that follows a growing stream. Its size is bounded by the number of nodes, not by the
/// length of the stream: it keeps each node's memory and last neighbours, the events that these
/// refer to, and the events of the present time. All scores equal those of a session that keeps the
/// whole stream. With uniform neighbour sampling, all events are kept.
class LiveSession {
 public:
  /// model: has fixed weights and must outlive the session.
  LiveSession(TgnModel& model, const SessionOptions& session, const LiveOptions& options);

  std::size_t num_nodes() const { return num_nodes_; }
  /// Raises the number of nodes to `num_nodes`. keys: the keys of the nodes, if they are not the
  /// node numbers (see NodeKeys).
  void set_nodes(std::size_t num_nodes, std::span<const std::uint64_t> keys = {});
  /// Changes the key of a node without events, which then stands for another node.
  void set_key(NodeId node, std::uint64_t key) { keys_[node] = key; }
  /// Sets the features of all nodes that occur in events, if the model reads node features. They
  /// must outlive the session.
  void set_node_features(const FeatureRows& features) { node_features_ = features; }
  const LiveEvents& events() const { return events_; }
  /// Switches to fractional times; call it before the first event whose time has a fraction (see
  /// LiveEvents).
  void make_times_real();
  /// Appends an event. It is neither scored nor applied to the memory yet.
  /// type: of LiveEvents::add().
  void add(NodeId source, NodeId destination, EventTime time, std::span<const float> features,
           std::uint16_t type = 0);

  /// Applies all events added so far to the memory without scoring them, and those scored but not
  /// yet applied. With strict ties, events at the last time are applied when a later event comes.
  void learn();
  /// Takes over the state that a training saved (StreamSession::save()) after the events added so
  /// far. Requires that none of them was applied. Fails (bad_input) with `path`.
  void go_on_from(const Document& state, const std::string& path);
  /// Logits of the events added since the last call, in their order; valid until the next call.
  /// Each event is scored as if it were the last one of the stream, with neighbours strictly before
  /// it. In window mode the memory includes all events before it, with strict ties those strictly
  /// before its time. In batch modes it includes whole batches.
  std::span<const float> score();

  /// Logits of possible events of that type of the source with each of the destinations, at least
  /// one, at `time`. `time` must not be before the last event's or an earlier question's. The
  /// session does not keep these events. Valid until the next call.
  std::span<const float> ask(NodeId source, std::span<const NodeId> destinations, EventTime time,
                             std::uint16_t type = 0);

  /// Calls the observer with the embeddings of the source and the destination of each scored
  /// event, in turn, in the order of the events; of an ask(), those of the first destination.
  void on_embeddings(std::function<void(MatrixView<const float>)> observer) {
    embedded_ = std::move(observer);
  }

  /// Drops all events that later scores do not need, and renumbers the others.
  void drop_unneeded();
  /// Saves the state beside events(): past, neighbours, memory and history of pairs. Large tensors
  /// are lent.
  void save(Document& document);
  /// Loads the events and the state of a saved session into a new one. Fails (bad_input) with
  /// `path` if the document is not such a state.
  void load(const EventContent& events, const Document& document, const std::string& path,
            std::span<const std::uint64_t> keys = {});

 private:
  EventView view() const;
  void refresh();
  void run(const StepEvents& step, bool stores);
  void run(EventId begin, EventId end, StepKind kind);
  EventId known_before(EventId event) const;
  void score_in_turn();
  void score_batches();
  void tell();
  void tell_in_turn(EventId end);
  void settle();
  void load_events(const EventContent& events, const std::string& path);
  void load_neighbors(const Document& document, const std::string& path);
  void load_memory(const Document& document, const std::string& path);

  TgnModel& model_;
  LiveOptions options_;
  bool in_turn_;
  FeatureRows node_features_;
  /// capacity_: nodes that fit without growing the arrays
  std::size_t num_nodes_ = 0, capacity_ = 0;
  LiveEvents events_;
  std::vector<std::uint64_t> keys_;  ///< [capacity] keys of the nodes, for NodeKeys
  LiveNeighbors neighbors_;
  StreamSession session_;
  EventId scored_ = 0;    ///< events before it are scored, or need not be
  EventId told_ = 0;      ///< events before it are applied to the memory
  std::size_t kept_ = 0;  ///< number of events after the last drop_unneeded()
  bool stale_ = false;    ///< session_ must still be given the changed arrays
  StepPlan plan_;
  std::vector<EventId> batch_;
  std::vector<float> logits_;
  std::function<void(MatrixView<const float>)> embedded_;
};

}  // namespace frugal::tgn
