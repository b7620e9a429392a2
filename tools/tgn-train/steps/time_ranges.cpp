#include "tools/tgn-train/steps/time_ranges.h"

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/device/registry.h"

namespace frugal::tgn {
namespace {

/// Fails (usage or unavailable) if other options do not allow a shared memory.
void check_shards(const TrainOptions& options, int ranks) {
  const std::string shards = "--memory-shards " + std::to_string(options.memory_shards);
  if (options.time_ranges > 1) {
    fail(ExitStatus::usage, shards, " is one memory, --time-ranges ", options.time_ranges,
         " several copies: expected one of both");
  }
  if (names_device(options.device)) {
    fail(ExitStatus::unavailable, "--device ", options.device, " has no engine for ", shards,
         ": use --device cpu");
  }
  if (ranks > 1 && !options.place.file.empty()) {
    fail(ExitStatus::usage, "--memory-file is one file, and ", ranks,
         " ranks each need one: leave it out");
  }
}

}  // namespace

std::uint32_t decided_ranges(const TrainOptions& options, int ranks) {
  if (options.memory_shards != 0) {
    check_shards(options, ranks);
    return 1;
  }
  const std::uint32_t count =
      options.time_ranges == 0 ? static_cast<std::uint32_t>(ranks) : options.time_ranges;
  if (count == 1) return count;
  if (names_device(options.device)) {
    fail(ExitStatus::unavailable, "--device ", options.device, " has no engine for --time-ranges ",
         count, ", several copies of the memory: use --device cpu");
  }
  if (options.place.tier == MemoryTier::disk) {
    fail(ExitStatus::unavailable, "--memory-tier disk has no room for --time-ranges ", count,
         ", several copies of the memory: use --memory-tier ram");
  }
  return count;
}

TimeRanges::TimeRanges(const LinkData& data, std::size_t count, std::size_t batch,
                       std::uint64_t skip)
    : begins_{static_cast<EventId>(skip)} {
  const EventId end = data.split().end(EventPart::train);
  if (skip != 0 && skip >= end) {
    fail(ExitStatus::usage, "--skip-events ", skip, ": training has the first ",
         format_count(end, "event"), ", expected fewer");
  }
  if (count == 1) return;
  std::vector<EventId> batches, events;
  for (EventId at = begins_[0];;) {
    const EventId begin = at;
    data.next(EventPart::train, false, batch, at, events);
    if (events.empty()) break;
    batches.push_back(begin);
  }
  if (batches.size() < count) {
    fail(ExitStatus::usage, "--time-ranges ", count, ": training has ", batches.size(),
         " batches, expected no more ranges");
  }
  for (std::size_t range = 1; range < count; ++range) {
    begins_.push_back(batches[batches.size() * range / count]);
  }
}

}  // namespace frugal::tgn
