#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/mix/shortlist.h"

namespace frugal::tgn {

/// Mixes the network's logits with the keys of a stream that goes on. Without a mix it returns
/// logits as they are.
class PredictionMix {
 public:
  PredictionMix() = default;
  /// mix: null if the model has none. Must outlive the object.
  explicit PredictionMix(const LinkMix* mix)
      : mix_(mix), keys_(mix == nullptr ? 1 : mix->time_unit) {}

  /// The keys' history, for files; null without a mix.
  LinkKeys* keys() { return mix_ == nullptr ? nullptr : &keys_; }
  /// Raises the number of nodes to `num_nodes`.
  void grow(std::size_t num_nodes);
  /// Raises the number of nodes to the stream's. Fails (unavailable) with the model's name if the
  /// keys of its events may not fit into memory.
  void make_room_for(const EventStream& stream, const std::string& model);
  /// Adds an event that is not scored. Times are since the first event of the stream.
  void pass(NodeId source, NodeId destination, double time);
  /// Adds an event that the next call of answers() scores, at its own time.
  void expect(NodeId source, NodeId destination, double time);
  /// Logits of the events expected since the last call, from the network's; valid until the next.
  std::span<const float> answers(std::span<const float> network);

  /// Logits of the source with each destination at that time, from the network's; valid until the
  /// next call.
  std::span<const float> asked(NodeId source, std::span<const NodeId> destinations, double time,
                               std::span<const float> network);
  /// Prepares `nodes` for the rank of their last one among the others: keeps the best `count` of
  /// these by keys, and the last one after them. Returns its rank among all by keys if these decide
  /// it (Shortlist::has_first), else none. Without a mix, all nodes stay.
  std::optional<double> shorten_for_rank(NodeId source, double time, std::size_t count,
                                         std::vector<NodeId>& nodes);
  /// Keeps the best `count` nodes by keys, in their order. Without a mix, all nodes stay.
  void shorten_to_best(NodeId source, double time, std::size_t count, std::vector<NodeId>& nodes);

 private:
  struct Expected {
    NodeId source = 0, destination = 0;
    double time = 0;
  };
  void mix(NodeId source, std::span<const NodeId> destinations, double time,
           std::span<float> logits);
  /// Orders `nodes` after `first`, and keeps the best `count` of them.
  Shortlist shorten(NodeId source, double time, std::size_t count, NodeId first,
                    std::vector<NodeId>& nodes);

  const LinkMix* mix_ = nullptr;
  LinkKeys keys_;
  KeyOrder order_;
  std::vector<Expected> expected_;
  std::vector<float> candidate_keys_, logits_;
};

}  // namespace frugal::tgn
