#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/temporal_csr.h"
#include "tools/tgn-train/data/event_file.h"
#include "tools/tgn-train/data/event_times.h"
#include "tools/tgn-train/data/live_events.h"
#include "tools/tgn-train/memory/stream_session.h"

namespace frugal::tgn {

/// The last neighbours of the nodes of a stream that goes on. Of each node are kept the last
/// `count` entries strictly before the stream's present time and as many at it, so that before()
/// has the last `count` of any limit that later events ask for; entries added since the last
/// settle() are kept all.
class LiveNeighbors final : public TemporalNeighbors {
 public:
  static constexpr std::size_t kAll = ~std::size_t{0};
  /// count: of a node; kAll: nothing is forgotten.
  explicit LiveNeighbors(std::size_t count) : count_(count) {}

  std::size_t num_nodes() const override { return entries_.size(); }
  /// The last entries before `limit`, at least `count` of them where there were as many.
  std::span<const TemporalNeighbor> before(NodeId v, std::uint32_t limit) const override;

  /// From now on there are so many nodes, not fewer than before.
  void grow(std::size_t num_nodes) { entries_.resize(num_nodes); }
  /// Enters the event in the lists of both nodes, behind all others.
  void add(NodeId source, NodeId destination, EventId event);
  /// Nobody will ask for limits before `present`, the first event at the present time: forgets what
  /// is not needed from then on.
  void settle(EventId present);

  std::span<const TemporalNeighbor> entries(NodeId v) const { return entries_[v]; }
  /// Events have new numbers; those in the lists have one.
  void renumber(std::span<const EventId> numbers);
  /// For a restored stream: v's list, oldest first.
  void set_entries(NodeId v, std::span<const TemporalNeighbor> entries) {
    entries_[v].assign(entries.begin(), entries.end());
  }

 private:
  void settle(std::vector<TemporalNeighbor>& list, EventId present) const;

  std::size_t count_;
  std::vector<std::vector<TemporalNeighbor>> entries_;  ///< [nodes]
  std::vector<NodeId> touched_;                         ///< since the last settle()
};

struct LiveOptions {
  /// Of exact and read memory: after how many events it is told of these.
  std::size_t batch = 200;
  /// Of a memory of events in turn. strict: what has the time of the last event waits to be known.
  Ties ties = Ties::strict;
  /// So many events more than needed may be kept.
  std::size_t slack = 4096;
};

/// A network at work on a stream that goes on. What is kept is bounded by the nodes, not by the
/// stream: of each the memory and its last neighbours, and the events that these are known by and
/// those of the present time. All scores are those of a session that keeps the whole stream. Where
/// neighbours are drawn from all, all events are kept.
class LiveSession {
 public:
  /// The model, whose weights are fixed, outlives the session.
  LiveSession(TgnModel& model, const SessionOptions& session, const LiveOptions& options);

  std::size_t num_nodes() const { return num_nodes_; }
  /// From now on there are so many nodes, not fewer than before. keys: theirs, if not numbers.
  void set_nodes(std::size_t num_nodes, std::span<const std::uint64_t> keys = {});
  /// The key of a node without events becomes another: it stands for another node from now on.
  void set_key(NodeId node, std::uint64_t key) { keys_[node] = key; }
  /// Of all nodes that are in events of a model that takes them; they outlive the session.
  void set_node_features(const FeatureRows& features) { node_features_ = features; }
  const LiveEvents& events() const { return events_; }
  /// Before the first event whose time has a fraction; see LiveEvents.
  void make_times_real();
  /// An event behind all others, which neither was scored nor is known to the memory.
  void add(NodeId source, NodeId destination, EventTime time, std::span<const float> features);

  /// Lets the memory know all events added so far, those scored and not yet told among them; by
  /// strict ties those of the last time when a later one comes.
  void learn();
  /// The same of the first events, by what a training knew behind them, a StreamSession::save().
  /// Fails (bad_input) with `path`.
  void go_on_from(const Document& state, const std::string& path);
  /// Logits of the events added since they were scored last, in their order; valid until the next
  /// call. Each is scored as if it were the last: memory of mode window knows the events before it,
  /// by strict ties those strictly before; others those of whole batches; neighbours are strictly
  /// before it.
  std::span<const float> score();

  /// Logits of events of the source with each destination, some of them, at a time that is not
  /// before the last event's nor that of a question before; the session knows nothing of it then.
  /// Valid until the next call.
  std::span<const float> ask(NodeId source, std::span<const NodeId> destinations, EventTime time);

  /// Drops all events that are not needed.
  void drop_unneeded();
  /// What is known of the past beside events(); tensors are lent.
  void save(Document& document);
  /// The events of a saved session and the rest, into a new one. Fails (bad_input) with `path` for
  /// what no session saved.
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
  std::size_t num_nodes_ = 0, capacity_ = 0;  ///< capacity: nodes that there is room for
  LiveEvents events_;
  std::vector<std::uint64_t> keys_;  ///< [capacity] what NodeKeys has of them
  LiveNeighbors neighbors_;
  StreamSession session_;
  EventId scored_ = 0;    ///< events before are scored or need not be
  EventId told_ = 0;      ///< events before are known to the memory
  std::size_t kept_ = 0;  ///< events when the last were dropped
  bool stale_ = false;    ///< the session does not know of the last changes yet
  StepPlan plan_;
  std::vector<EventId> batch_;
  std::vector<float> logits_;
};

}  // namespace frugal::tgn
