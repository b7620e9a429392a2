#include "tools/tgn-train/links/link_mixing.h"

#include <algorithm>

#include "libcore/base/rng.h"
#include "tools/tgn-train/history/pair_history.h"
#include "tools/tgn-train/mix/stream_keys.h"

namespace frugal::tgn {
namespace {

constexpr std::size_t kMostSamples = 6000, kLeastEvents = 300, kUniform = 50;
constexpr std::uint64_t kCandidateStream = 0x4d495843;

/// The candidates of each sample, and none for other events.
class SampleNegatives final : public NegativeSampler {
 public:
  explicit SampleNegatives(std::span<const MixSample> samples) : samples_(samples) {}
  void draw(EventId event, std::vector<NodeId>& negatives) const override {
    negatives.clear();
    const auto at =
        std::lower_bound(samples_.begin(), samples_.end(), event,
                         [](const MixSample& sample, EventId of) { return sample.event < of; });
    if (at == samples_.end() || at->event != event) return;
    negatives.assign(at->candidates.begin() + 2, at->candidates.end());
  }

 private:
  std::span<const MixSample> samples_;
};

/// The event's destination, its negative, likely candidates and drawn ones.
MixSample sample_of(EventId event, NodeId destination, NodeId negative,
                    std::span<const NodeId> likely, std::span<const NodeId> destinations,
                    std::uint64_t seed) {
  MixSample sample{event, {destination, negative}, {1, 0}, {}};
  std::vector<NodeId> taken(likely.begin(), likely.end());
  std::erase(taken, destination);
  sample.candidates.insert(sample.candidates.end(), taken.begin(), taken.end());
  sample.counts.insert(sample.counts.end(), taken.size(), 1);
  const NodeId own[] = {destination};
  std::vector<NodeId> drawn;
  Rng rng(seed, hash_combine(kCandidateStream, event));
  const DistinctDraw rest(destinations, taken, own);
  rest.draw(kUniform, rng, drawn);
  sample.candidates.insert(sample.candidates.end(), drawn.begin(), drawn.end());
  const std::size_t left = destinations.size() - std::min(destinations.size(), taken.size() + 1);
  const float count =
      static_cast<float>(left) / static_cast<float>(std::max<std::size_t>(1, drawn.size()));
  sample.counts.insert(sample.counts.end(), drawn.size(), std::max(1.0F, count));
  return sample;
}

/// Events of validation that are samples: of many, blocks in equal distances. A step of the
/// evaluation has as many candidates for all of its events, so a block is one step's.
std::vector<EventId> sampled_events(const LinkData& data, std::size_t block) {
  const EventId begin = data.split().begin(EventPart::valid),
                end = data.split().end(EventPart::valid);
  const std::size_t blocks = (end - begin + block - 1) / block;
  const std::size_t wanted = std::min(blocks, (kMostSamples + block - 1) / block);
  std::vector<EventId> events;
  for (EventId event = begin; event < end; ++event) {
    const std::size_t number = (event - begin) / block;
    if (number * wanted / blocks != (number + 1) * wanted / blocks) events.push_back(event);
  }
  return events;
}

std::vector<MixSample> samples_of(const LinkData& data, const EvaluationNegatives& negatives,
                                  std::span<const EventId> sampled, double time_unit,
                                  std::uint64_t seed) {
  const EventView events = data.events();
  StreamKeys stream(events, time_unit);
  std::vector<MixSample> samples;
  std::vector<NodeId> likely;
  std::vector<float> keys;
  for (const EventId event : sampled) {
    stream.likely(event, likely);
    samples.push_back(sample_of(event, events.destinations[event], negatives.draw(event), likely,
                                negatives.destinations(), seed));
    MixSample& sample = samples.back();
    stream.keys(event, sample.candidates, keys);
    const std::size_t width = stream.width();
    sample.inputs.resize(sample.candidates.size() * (width + 1));
    for (std::size_t c = 0; c < sample.candidates.size(); ++c) {
      place_keys(keys.data() + c * width, width, sample.inputs.data() + c * (width + 1));
    }
  }
  return samples;
}

}  // namespace

std::uint64_t most_bytes_of_link_mix(const LinkData& data, std::size_t batch) {
  const std::uint64_t samples =
      std::min<std::uint64_t>(data.split().num_events(EventPart::valid), kMostSamples + batch);
  const bool typed = !data.stream().types().empty();
  const std::uint64_t candidates = 2 + (typed ? 2 : 1) * LinkKeys::kMostLikely + kUniform;
  // Arrays of candidates and counts grow; the fit sorts the values of an input.
  const std::uint64_t bytes = (typed ? kTypedMixInputs : kMixInputs) * sizeof(float) +
                              2 * (sizeof(NodeId) + sizeof(float)) + 2 * sizeof(float);
  // The tests keep a copy of the keys for new nodes.
  return samples * candidates * bytes + 2 * StreamKeys::most_bytes(data.events());
}

MixChoice choose_link_mix(const LinkData& data, const EvaluationNegatives& negatives,
                          StreamSession& session, const LinkEvaluation::Options& options,
                          std::uint64_t seed) {
  if (data.split().num_events(EventPart::valid) < kLeastEvents) return {};
  const double time_unit = mean_gap(data.events().times, 0, data.split().end(EventPart::train));
  LinkEvaluation::Options scored = options;
  // Small steps leave out more; in batch modes the size changes what the memory knows.
  constexpr std::size_t kStep = 25;
  if (session.options().mode == MemoryMode::window) scored.batch = std::min(options.batch, kStep);
  const std::function<void()> check = [&options] {
    if (options.stops && options.stops()) throw EvaluationStopped();
  };
  std::vector<MixSample> samples =
      samples_of(data, negatives, sampled_events(data, scored.batch), time_unit, seed);
  auto next = samples.begin();
  scored.ranked = [&](EventId event, std::span<const float> logits) {
    // Samples without candidates are not ranked.
    while (next != samples.end() && next->event < event) ++next;
    if (next == samples.end() || next->event != event) return;
    for (std::size_t c = 0; c < logits.size(); ++c) {
      next->inputs[c * next->num_inputs() + kNetworkInput] = logits[c];
    }
    ++next;
  };
  session.keep_state();
  const SampleNegatives candidates(samples);
  try {
    LinkEvaluation(data, negatives, session, scored).run(EventPart::valid, false, &candidates);
  } catch (const EvaluationStopped&) {
    session.restore();  // the model that is written may know no event of validation
    throw;
  }
  session.restore();
  return choose_mix(samples, samples.size() * 2 / 3, time_unit, seed, check);
}

}  // namespace frugal::tgn
