#pragma once
#include <string>
#include <vector>

#include "libcore/graph/temporal_csr.h"
#include "tools/tgn-train/data/event_split.h"
#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/evaluation/evaluation_parts.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// A split stream with what training and evaluation look up in it. Training sees no neighbours but
/// by the events that train.
class LinkData {
 public:
  LinkData(const std::string& path, const EventSplitOptions& split);

  const EventStream& stream() const { return stream_; }
  const EventSplit& split() const { return split_; }
  EventView events() const;
  EvaluationParts parts() const;
  /// Whether the event is one that trains.
  bool trains(EventId event) const {
    return event < split_.end(EventPart::train) &&
           split_.trains(stream_.sources()[event], stream_.destinations()[event]);
  }
  StepFeatures features() const { return {stream_.edge_features(), stream_.node_features()}; }
  const TemporalCsr& training_neighbors() const { return split_.holds_out() ? training_ : all_; }
  const TemporalCsr& all_neighbors() const { return all_; }

  /// Replaces what is in `events` by the next events of the part, at most `count`, from `at` on,
  /// which is moved behind them: of training those that train; elsewhere all, or those with new
  /// nodes.
  void next(EventPart part, bool inductive, std::size_t count, EventId& at,
            std::vector<EventId>& events) const;

 private:
  EventStream stream_;
  EventSplit split_;
  TemporalCsr all_, training_;
};

}  // namespace frugal::tgn
