#include "tests/tools/tgn-train/memory/plain_stream.h"

#include <algorithm>

namespace frugal::tgn::plain {

Memory::Memory(Network& network, const RandomStream& stream, MemoryMode mode, RefreshKind refresh)
    : network_(network), stream_(stream), mode_(mode), refresh_(refresh) {
  nodes_.resize(stream.num_nodes());
  for (Node& node : nodes_) {
    node.state.resize(network.options().memory_dim);
    node.last = stream.time(0);
  }
}

Numbers Memory::aggregated(const Node& node) const {
  if (network_.options().aggregator == AggregatorKind::last || mode_ != MemoryMode::exact) {
    return node.pending.back().raw;
  }
  Numbers mean(node.pending.back().raw.size());
  for (const Message& m : node.pending) {
    for (std::size_t c = 0; c < mean.size(); ++c) {
      mean[c].value += m.raw[c].value / static_cast<double>(node.pending.size());
    }
  }
  return mean;
}

/// What the node's messages come to now.
Numbers Memory::evaluated(const Node& node) const {
  const Message& last = node.pending.back();
  const Numbers edge = stream_.edge(last.event);
  if (is_pyg() && mode_ != MemoryMode::window) {
    // As PyTorch Geometric's TGNMemory: of both nodes what is stored now.
    return network_.raw_message(node.state, nodes_[last.from].state, edge, last.dt, true);
  }
  if (mode_ == MemoryMode::exact) return aggregated(node);
  return network_.raw_message(last.own, last.other, edge, last.dt,
                              is_pyg() || mode_ == MemoryMode::read);
}

/// All nodes as their messages make them, with the weights of now.
void Memory::bring_up_to_date() {
  for (Node& node : nodes_) {
    node.now = node.state;
    node.now_last = node.last;
    if (node.pending.empty()) continue;
    node.now_last = stream_.time(node.pending.back().event);
    if (network_.options().has_memory()) node.now = network_.update(evaluated(node), node.state);
  }
}

Message Memory::message(std::size_t event, bool to_source) const {
  NodeId to = stream_.sources[event], from = stream_.destinations[event];
  if (!to_source) std::swap(to, from);
  Message m;
  m.own = fixed(nodes_[to].now);
  m.other = fixed(network_.options().dyrep ? embed_end(event, from, !to_source) : nodes_[from].now);
  m.from = from;
  m.event = event;
  m.dt = stream_.time(event) - nodes_[to].now_last;
  const bool time_learns = is_pyg() && mode_ == MemoryMode::window;
  m.raw = network_.raw_message(m.own, m.other, stream_.edge(event), m.dt, time_learns);
  return m;
}

std::vector<Numbers> Memory::step(std::size_t begin, std::size_t end) {
  std::vector<Numbers> triples;
  begin_ = window_ == 0 ? begin : begin / window_ * window_;
  bring_up_to_date();
  if (mode_ == MemoryMode::window) {
    step_in_turn(begin, end, triples);
  } else {
    step_as_batch(begin, end, triples);
  }
  return triples;
}

/// As twitter-research/tgn, compute_temporal_embeddings().
void Memory::step_as_batch(std::size_t begin, std::size_t end, std::vector<Numbers>& triples) {
  for (std::size_t e = begin; e < end; ++e) embed_event(e, triples);
  if (window_ != 0 && end % window_ != 0 && end != stream_.size()) return;
  std::vector<std::vector<Message>> told(nodes_.size());
  for (std::size_t e = begin_; e < end; ++e) {
    told[stream_.sources[e]].push_back(message(e, true));
    if (is_pyg()) told[stream_.destinations[e]].push_back(message(e, false));
  }
  for (std::size_t e = begin_; e < end && !is_pyg(); ++e) {
    told[stream_.destinations[e]].push_back(message(e, false));
  }
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (told[n].empty()) continue;
    nodes_[n].known = true;
    nodes_[n].state = fixed(nodes_[n].now);
    nodes_[n].last = nodes_[n].now_last;
    nodes_[n].pending = told[n];
  }
}

/// Every event is known to those behind it. Without refresh the state has it at once; else the
/// message is kept, to be evaluated anew in each step.
void Memory::step_in_turn(std::size_t begin, std::size_t end, std::vector<Numbers>& triples) {
  std::size_t told = begin;
  for (std::size_t e = begin; e < end; ++e) {
    while (told < e && (!strict_ || stream_.time(told) < stream_.time(e))) tell_in_turn(told++);
    embed_event(e, triples);
  }
  while (told < end) tell_in_turn(told++);
  if (refresh_ == RefreshKind::touched) return;
  for (Node& node : nodes_) node.state = fixed(node.now);
}

void Memory::tell_in_turn(std::size_t event) {
  const NodeId both[] = {stream_.sources[event], stream_.destinations[event]};
  const Message told[] = {message(event, true), message(event, false)};
  for (const std::size_t k : {0U, 1U}) {
    Node& node = nodes_[both[k]];
    node.known = true;
    node.state = told[k].own;
    node.last = node.now_last = stream_.time(event);
    if (network_.options().has_memory()) node.now = network_.update(told[k].raw, told[k].own);
    if (refresh_ == RefreshKind::touched) node.pending = {told[k]};
  }
}

void Memory::embed_event(std::size_t event, std::vector<Numbers>& triples) const {
  const NodeId three[] = {stream_.sources[event], stream_.destinations[event],
                          stream_.negatives[event]};
  for (const std::size_t k : {0U, 1U, 2U}) {
    triples.push_back(network_.options().dyrep ? nodes_[three[k]].now
                                               : embed_end(event, three[k], k == 0));
  }
}

/// A node as of an event, after times of its kind.
Numbers Memory::embed_end(std::size_t event, NodeId node, bool as_source) const {
  const std::size_t kind = as_source ? 0 : 1;
  const double since = stream_.time(event) - nodes_[node].now_last;
  return embed(network_.options().layers, node, stream_.time(event),
               (since - since_mean[kind]) / since_deviation[kind]);
}

Numbers Memory::embed(std::size_t layer, NodeId node, double time, double since) const {
  if (layer == 0) {
    Numbers row = nodes_[node].now;
    const Numbers features = stream_.node(node);
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = row[c] + features[c];
    return row;
  }
  struct Met {
    NodeId other;
    std::size_t event;
  };
  std::vector<Met> met;
  // PyTorch Geometric's neighbours are those of before the batch.
  const std::size_t known = is_pyg() && mode_ != MemoryMode::window ? begin_ : stream_.size();
  for (std::size_t e = 0; e < known && stream_.time(e) < time; ++e) {
    const NodeId u = stream_.sources[e], v = stream_.destinations[e];
    if (u == node) met.push_back({v, e});
    if (v == node) met.push_back({u, e});
  }
  const std::size_t most = network_.options().has_neighbors() ? network_.options().neighbors : 0;
  std::vector<Neighbor> neighbors;
  for (std::size_t i = met.size() - std::min(most, met.size()); i < met.size(); ++i) {
    const double from = is_pyg() ? nodes_[met[i].other].now_last : time;
    neighbors.push_back({embed(layer - 1, met[i].other, time, 0), stream_.edge(met[i].event),
                         from - stream_.time(met[i].event)});
  }
  return network_.embed(layer - 1, embed(layer - 1, node, time, 0), since, neighbors);
}

}  // namespace frugal::tgn::plain
