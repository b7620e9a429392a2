#pragma once
#include <cstddef>
#include <vector>

#include "tools/tgn-train/links/link_data.h"
#include "tools/tgn-train/settings/train_options.h"

namespace frugal::tgn {

/// How many there are: as many as the options say or, where they leave it to the ranks, one a rank;
/// one where the ranks share one memory.
/// Fails (unavailable) where the other options do not go with several.
std::uint32_t decided_ranges(const TrainOptions& options, int ranks);

/// The events that train, cut into consecutive ranges of whole batches, as many in each as can be.
/// Each copy of the memory trains on one range in an epoch, and on the next one, cyclically, in the
/// epoch after it.
class TimeRanges {
 public:
  /// skip: events at the beginning that do not train. Fails (usage) where they all are, or where
  /// there are fewer batches than ranges.
  TimeRanges(const LinkData& data, std::size_t count, std::size_t batch, std::uint64_t skip);

  std::size_t count() const { return begins_.size(); }
  EventId begin(std::size_t range) const { return begins_[range]; }
  /// Of the last: kNoEvent.
  EventId end(std::size_t range) const {
    return range + 1 < count() ? begins_[range + 1] : kNoEvent;
  }
  std::size_t of(std::size_t copy, std::size_t epoch) const { return (copy + epoch) % count(); }
  /// The copy that has the last range in that epoch.
  std::size_t last_copy(std::size_t epoch) const { return count() - 1 - epoch % count(); }
  /// Whether that copy began with the first range, so that its memory is of all events.
  bool is_whole(std::size_t epoch) const { return epoch + 1 >= count(); }

 private:
  std::vector<EventId> begins_;
};

}  // namespace frugal::tgn
