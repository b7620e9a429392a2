#pragma once
#include <cstddef>
#include <vector>

#include "tools/tgn-train/links/link_data.h"
#include "tools/tgn-train/settings/train_options.h"

namespace frugal::tgn {

/// Number of time ranges: as in the options, by default one for each rank; one if the ranks share
/// one memory. Fails (unavailable or usage) if other options do not allow that number.
std::uint32_t decided_ranges(const TrainOptions& options, int ranks);

/// The events that train, cut into consecutive ranges of whole batches, as many in each as can be.
/// Each copy of the memory trains on one range in an epoch, and on the next one, cyclically, in the
/// epoch after it.
class TimeRanges {
 public:
  /// skip: number of events at the beginning to leave out. Fails (usage) if no training event is
  /// left, or if there are fewer batches than ranges.
  TimeRanges(const LinkData& data, std::size_t count, std::size_t batch, std::uint64_t skip);

  std::size_t count() const { return begins_.size(); }
  EventId begin(std::size_t range) const { return begins_[range]; }
  /// First event after the range; kNoEvent for the last range.
  EventId end(std::size_t range) const {
    return range + 1 < count() ? begins_[range + 1] : kNoEvent;
  }
  std::size_t of(std::size_t copy, std::size_t epoch) const { return (copy + epoch) % count(); }
  /// The copy that has the last range in that epoch.
  std::size_t last_copy(std::size_t epoch) const { return count() - 1 - epoch % count(); }
  /// True if that copy has been through all ranges, so that its memory includes all events.
  bool is_whole(std::size_t epoch) const { return epoch + 1 >= count(); }

 private:
  std::vector<EventId> begins_;
};

}  // namespace frugal::tgn
