#include "tools/tgn-train/evaluation/evaluation_parts.h"

#include <utility>

namespace frugal::tgn {
namespace {

std::vector<NodeId> inductive_destinations(const EventView& events, const EvaluationParts& parts,
                                           EventId begin, EventId end) {
  return distinct_destinations(events, [&](EventId event) {
    return event >= begin && event < end && parts.is_inductive(events, event);
  });
}

}  // namespace

EvaluationNegatives::EvaluationNegatives(const EventView& events, const EvaluationParts& parts,
                                         std::uint64_t seed, GivenNegative given)
    : test_begin_(parts.test_begin),
      happened_(events.destinations),
      all_(distinct_destinations(events), seed),
      new_valid_(inductive_destinations(events, parts, parts.valid_begin, parts.test_begin), seed),
      new_test_(inductive_destinations(events, parts, parts.test_begin, parts.end), seed),
      given_(std::move(given)) {}

}  // namespace frugal::tgn
