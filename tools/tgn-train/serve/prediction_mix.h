#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/mix/mix_keys.h"

namespace frugal::tgn {

/// Mixes the network's logits with the keys of a stream that goes on. Without a mix it returns
/// logits as they are.
class PredictionMix {
 public:
  PredictionMix() = default;
  /// mix: null if the model has none. Must outlive the object.
  explicit PredictionMix(const LinkMix* mix)
      : mix_(mix), keys_(mix == nullptr ? 1 : mix->time_unit, mix != nullptr && mix->mix.typed()) {}

  /// The keys' history, for files; null without a mix.
  MixKeys* keys() { return mix_ == nullptr ? nullptr : &keys_; }
  /// Raises the number of nodes to `num_nodes`.
  void grow(std::size_t num_nodes);
  /// Raises the number of nodes to the stream's. Fails (unavailable) with the model's name if the
  /// keys of its events may not fit into memory.
  void make_room_for(const EventStream& stream, const std::string& model);
  /// Adds an event that is not scored. Times are since the first event of the stream.
  void pass(const MixEvent& event);
  /// Adds an event that the next call of answers() scores, at its own time.
  void expect(const MixEvent& event);
  /// Logits of the events expected since the last call, from the network's; valid until the next.
  std::span<const float> answers(std::span<const float> network);

  /// Logits of events as `asked` with each destination, from the network's; valid until the next
  /// call.
  std::span<const float> asked(const MixEvent& asked, std::span<const NodeId> destinations,
                               std::span<const float> network);
  /// Prepares `nodes` for the rank of their last one among the others: keeps the best `count` of
  /// these by keys, and the last one after them. Returns its rank among all by keys if these decide
  /// it (Shortlist::has_first), else none. Without a mix, all nodes stay.
  std::optional<double> shorten_for_rank(const MixEvent& asked, std::size_t count,
                                         std::vector<NodeId>& nodes);
  /// Keeps the best `count` nodes by keys, in their order. Without a mix, all nodes stay.
  void shorten_to_best(const MixEvent& asked, std::size_t count, std::vector<NodeId>& nodes);

 private:
  void mix(const MixEvent& asked, std::span<const NodeId> destinations, std::span<float> logits);
  /// Orders `nodes` after `first`, and keeps the best `count` of them.
  Shortlist shorten(const MixEvent& asked, std::size_t count, NodeId first,
                    std::vector<NodeId>& nodes);

  const LinkMix* mix_ = nullptr;
  MixKeys keys_;
  std::vector<MixEvent> expected_;
  std::vector<float> candidate_keys_, logits_;
};

}  // namespace frugal::tgn
