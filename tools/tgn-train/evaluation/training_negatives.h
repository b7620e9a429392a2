#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "tools/tgn-train/evaluation/negative_sampler.h"

namespace frugal::tgn {

/// The first meeting of each pair in the events that count, by source.
class FirstMeetings {
 public:
  FirstMeetings(const EventView& events, const std::function<bool(EventId)>& counts);

  /// Draws one of the destinations that the event's source met strictly before the event's time,
  /// each with equal probability, but none of its events at that time. Nothing if a few draws find
  /// none.
  std::optional<NodeId> draw(EventId event, Rng& rng) const;

 private:
  SourceEvents events_;
  std::vector<EventId> firsts_;    ///< of each source, ascending
  std::vector<EdgeId> first_row_;  ///< [nodes + 1] into firsts_
};

/// Kinds of negatives to train against. historical: FirstMeetings::draw(), else uniform. mixed:
/// half of them, drawn by chance.
enum class TrainNegatives : std::uint8_t { uniform, historical, mixed };
inline constexpr std::array<std::string_view, 3> kTrainNegativeNames = {"uniform", "historical",
                                                                        "mixed"};

/// Draws the negatives of training events: a function of (seed, stream, event).
class TrainingNegatives {
 public:
  /// meetings: for kinds other than uniform.
  TrainingNegatives(UniformNegative uniform, TrainNegatives kind,
                    std::optional<FirstMeetings> meetings)
      : uniform_(std::move(uniform)), kind_(kind), meetings_(std::move(meetings)) {}

  /// Appends `count` negatives to `negatives`.
  void draw(EventId event, std::uint64_t stream, std::size_t count,
            std::vector<NodeId>& negatives) const;
  std::span<const NodeId> destinations() const { return uniform_.destinations(); }

 private:
  UniformNegative uniform_;
  TrainNegatives kind_;
  std::optional<FirstMeetings> meetings_;
};

}  // namespace frugal::tgn
