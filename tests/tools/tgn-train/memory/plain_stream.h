#pragma once
#include <array>
#include <vector>

#include "tests/tools/tgn-train/memory/random_stream.h"
#include "tests/tools/tgn-train/plain_tgn.h"
#include "tools/tgn-train/memory/memory_options.h"

namespace frugal::tgn::plain {

/// What a node was told by an event.
struct Message {
  Numbers raw;         ///< [own | other | edge | phi(dt)] as of the event
  Numbers own, other;  ///< memory; of DyRep the other's embedding
  NodeId from = 0;     ///< the other node
  std::size_t event = 0;
  double dt = 0;
};

/// The memory of all nodes, who looks at it and who changes it: all nodes are brought up to date in
/// every step, neighbours are found by looking through all events.
class Memory {
 public:
  Memory(Network& network, const RandomStream& stream, MemoryMode mode,
         RefreshKind refresh = RefreshKind::none);

  /// From now on the memory of batches knows events after windows of so many.
  void set_window(std::size_t events) { window_ = events; }
  /// From now on events in turn do not know those of their own time, which the next step has no
  /// event of.
  void make_strict() { strict_ = true; }

  /// What the time projection knows of times since the last event.
  std::array<double, 2> since_mean = {0, 0}, since_deviation = {1, 1};

  /// The embeddings, of DyRep the memory, of (source, destination, negative) of the events [begin,
  /// end), one behind the other, after which they are known.
  std::vector<Numbers> step(std::size_t begin, std::size_t end);

  /// Of a node with events: what is kept from step to step.
  bool knows(NodeId node) const { return nodes_[node].known; }
  const Numbers& state(NodeId node) const { return nodes_[node].state; }
  /// The messages that are not in the state yet, as one.
  Numbers pending_raw(NodeId node) const { return aggregated(nodes_[node]); }
  const Message& pending(NodeId node) const { return nodes_[node].pending.back(); }

 private:
  struct Node {
    bool known = false;
    Numbers state;
    double last = 0;  ///< time
    std::vector<Message> pending;
    // With the messages, in the step in work.
    Numbers now;
    double now_last = 0;
  };

  bool is_pyg() const { return network_.options().is_pyg(); }
  Numbers aggregated(const Node& node) const;
  Numbers evaluated(const Node& node) const;
  void bring_up_to_date();
  void step_as_batch(std::size_t begin, std::size_t end, std::vector<Numbers>& triples);
  void step_in_turn(std::size_t begin, std::size_t end, std::vector<Numbers>& triples);
  void tell_in_turn(std::size_t event);
  void embed_event(std::size_t event, std::vector<Numbers>& triples) const;
  Numbers embed_end(std::size_t event, NodeId node, bool as_source) const;
  Numbers embed(std::size_t layer, NodeId node, double time, double since) const;
  Message message(std::size_t event, bool to_source) const;

  Network& network_;
  const RandomStream& stream_;
  MemoryMode mode_;
  RefreshKind refresh_;
  std::vector<Node> nodes_;
  bool strict_ = false;
  std::size_t window_ = 0;  ///< 0: each batch is one
  std::size_t begin_ = 0;   ///< of the window in work
};

}  // namespace frugal::tgn::plain
