#include "tools/tgn-train/steps/memory_copy.h"

#include <utility>
#include <vector>

namespace frugal::tgn {
namespace {

constexpr std::size_t kPassedAtOnce = 65536;
/// First stream of random numbers for negatives of training; each epoch has its own.
constexpr std::uint64_t kNegatives = 0x54524e00;
/// First stream of random numbers for drawn neighbours; each epoch has its own.
constexpr std::uint64_t kDraws = 0x4e424e00;

}  // namespace

void MemoryCopy::restart(EventId at) {
  session_.restart(Weights::learn);
  at_ = {at, at, 0};
  if (at == 0) return;
  std::vector<EventId> events;
  for (EventId event = 0; event < at; ++event) {
    if (stream_.data.trains(event)) events.push_back(event);
    if (events.size() < kPassedAtOnce && event + 1 < at) continue;
    session_.planner().pass(events);
    events.clear();
  }
  session_.clear_memory();
}

void MemoryCopy::begin_epoch(std::size_t epoch, EventId end) {
  session_.planner().use(stream_.data.training_neighbors());
  session_.planner().draw_by(hash_combine(stream_.seed, kDraws + epoch));
  StepsAhead::Sizes sizes = stream_.sizes;
  sizes.end = end;
  steps_ = std::make_unique<StepsAhead>(stream_.data, session_, stream_.negatives,
                                        kNegatives + epoch, sizes, at_);
}

const PlannedStep* MemoryCopy::next() {
  const PlannedStep* const step = steps_->next();
  if (step != nullptr) at_ = step->behind;
  return step;
}

double MemoryCopy::end_epoch() {
  if (!steps_) return 0;
  steps_->rewind();
  return std::exchange(steps_, nullptr)->waiting_seconds();
}

void MemoryCopy::save(Document& state) {
  if (steps_) steps_->rewind();
  session_.save(state);
  at_.save(state);
}

void MemoryCopy::load(const Document& state, const std::string& path) {
  session_.load(state, path);
  at_ = EpochPosition::load(state, path);
}

}  // namespace frugal::tgn
