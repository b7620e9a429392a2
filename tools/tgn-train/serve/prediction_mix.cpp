#include "tools/tgn-train/serve/prediction_mix.h"

#include <utility>

#include "libcore/system/limits.h"
#include "tools/tgn-train/mix/stream_keys.h"

namespace frugal::tgn {

void PredictionMix::grow(std::size_t num_nodes) {
  if (mix_ != nullptr) keys_.grow(num_nodes);
}

void PredictionMix::make_room_for(const EventStream& stream, const std::string& model) {
  if (mix_ == nullptr) return;
  check_memory(model + ": its mix, which train --mix none leaves out,",
               StreamKeys::most_bytes(stream.sources(), stream.destinations(), stream.num_nodes()));
  grow(stream.num_nodes());
}

void PredictionMix::pass(NodeId source, NodeId destination, double time) {
  if (mix_ != nullptr) keys_.add(source, destination, time);
}

void PredictionMix::expect(NodeId source, NodeId destination, double time) {
  if (mix_ != nullptr) expected_.push_back({source, destination, time});
}

void PredictionMix::mix(NodeId source, std::span<const NodeId> destinations, double time,
                        std::span<float> logits) {
  if (mix_ == nullptr) return;
  keys_.keys(source, destinations, time, candidate_keys_);
  mix_->mix.mix(candidate_keys_, logits);
}

std::span<const float> PredictionMix::answers(std::span<const float> network) {
  logits_.assign(network.begin(), network.end());
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    const Expected& event = expected_[i];
    mix(event.source, {&event.destination, 1}, event.time, {&logits_[i], 1});
    pass(event.source, event.destination, event.time);
  }
  expected_.clear();
  return logits_;
}

std::span<const float> PredictionMix::asked(NodeId source, std::span<const NodeId> destinations,
                                            double time, std::span<const float> network) {
  logits_.assign(network.begin(), network.end());
  mix(source, destinations, time, logits_);
  return logits_;
}

Shortlist PredictionMix::shorten(NodeId source, double time, std::size_t count, NodeId first,
                                 std::vector<NodeId>& nodes) {
  nodes.insert(nodes.begin(), first);
  Shortlist list = order_.shortlist(mix_->keys, keys_, {source, time, nodes}, count);
  std::vector<NodeId> best;
  for (const std::size_t i : list.best) best.push_back(nodes[i]);
  nodes = std::move(best);
  return list;
}

std::optional<double> PredictionMix::shorten_for_rank(NodeId source, double time, std::size_t count,
                                                      std::vector<NodeId>& nodes) {
  if (mix_ == nullptr) return std::nullopt;
  const NodeId asked = nodes.back();
  std::erase(nodes, asked);
  std::optional<double> rank;
  if (nodes.size() > count) {
    const Shortlist list = shorten(source, time, count, asked, nodes);
    if (!list.has_first(count)) {
      rank = 1 + static_cast<double>(list.above) + static_cast<double>(list.equal) / 2;
    }
  }
  nodes.push_back(asked);
  return rank;
}

void PredictionMix::shorten_to_best(NodeId source, double time, std::size_t count,
                                    std::vector<NodeId>& nodes) {
  if (mix_ != nullptr && nodes.size() > count) shorten(source, time, count, nodes.back(), nodes);
}

}  // namespace frugal::tgn
