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
               StreamKeys::most_bytes({stream.sources(),
                                       stream.destinations(),
                                       stream.times(),
                                       stream.num_nodes(),
                                       {},
                                       stream.types()}));
  grow(stream.num_nodes());
}

void PredictionMix::pass(const MixEvent& event) {
  if (mix_ != nullptr) keys_.add(event);
}

void PredictionMix::expect(const MixEvent& event) {
  if (mix_ != nullptr) expected_.push_back(event);
}

void PredictionMix::mix(const MixEvent& asked, std::span<const NodeId> destinations,
                        std::span<float> logits) {
  if (mix_ == nullptr) return;
  keys_.keys(asked, destinations, candidate_keys_);
  mix_->mix.mix(candidate_keys_, logits);
}

std::span<const float> PredictionMix::answers(std::span<const float> network) {
  logits_.assign(network.begin(), network.end());
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    const MixEvent& event = expected_[i];
    mix(event, {&event.destination, 1}, {&logits_[i], 1});
    pass(event);
  }
  expected_.clear();
  return logits_;
}

std::span<const float> PredictionMix::asked(const MixEvent& asked,
                                            std::span<const NodeId> destinations,
                                            std::span<const float> network) {
  logits_.assign(network.begin(), network.end());
  mix(asked, destinations, logits_);
  return logits_;
}

Shortlist PredictionMix::shorten(const MixEvent& asked, std::size_t count, NodeId first,
                                 std::vector<NodeId>& nodes) {
  nodes.insert(nodes.begin(), first);
  Shortlist list = keys_.shortlist(mix_->keys, asked, nodes, count);
  std::vector<NodeId> best;
  for (const std::size_t i : list.best) best.push_back(nodes[i]);
  nodes = std::move(best);
  return list;
}

std::optional<double> PredictionMix::shorten_for_rank(const MixEvent& asked, std::size_t count,
                                                      std::vector<NodeId>& nodes) {
  if (mix_ == nullptr) return std::nullopt;
  const NodeId last = nodes.back();
  std::erase(nodes, last);
  std::optional<double> rank;
  if (nodes.size() > count) {
    const Shortlist list = shorten(asked, count, last, nodes);
    if (!list.has_first(count)) {
      rank = 1 + static_cast<double>(list.above) + static_cast<double>(list.equal) / 2;
    }
  }
  nodes.push_back(last);
  return rank;
}

void PredictionMix::shorten_to_best(const MixEvent& asked, std::size_t count,
                                    std::vector<NodeId>& nodes) {
  if (mix_ != nullptr && nodes.size() > count) shorten(asked, count, nodes.back(), nodes);
}

}  // namespace frugal::tgn
