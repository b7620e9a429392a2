#pragma once
#include <string>
#include <vector>

#include "libcore/graph/temporal_csr.h"
#include "tools/tgn-train/data/event_split.h"
#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/evaluation/evaluation_parts.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// A stream split into training, validation and test, with the neighbours of its nodes. In
/// training, nodes only have neighbours from training events.
class LinkData {
 public:
  /// types: of EventStream.
  LinkData(const std::string& path, const EventSplitOptions& split, const HeaderNames& types = {});

  const EventStream& stream() const { return stream_; }
  const EventSplit& split() const { return split_; }
  EventView events() const;
  EvaluationParts parts() const;
  /// True if the event is a training event.
  bool trains(EventId event) const {
    return event < split_.end(EventPart::train) &&
           split_.trains(stream_.sources()[event], stream_.destinations()[event]);
  }
  StepFeatures features() const { return {stream_.edge_features(), stream_.node_features()}; }
  const TemporalCsr& training_neighbors() const { return split_.holds_out() ? training_ : all_; }
  const TemporalCsr& all_neighbors() const { return all_; }

  /// Sets `events` to the next events of the part from `at` on, at most `count`, and moves `at`
  /// behind them. In training these are the training events; in other parts all events, or, with
  /// `inductive`, those with new nodes.
  void next(EventPart part, bool inductive, std::size_t count, EventId& at,
            std::vector<EventId>& events) const;

 private:
  EventStream stream_;
  EventSplit split_;
  TemporalCsr all_, training_;
};

}  // namespace frugal::tgn
