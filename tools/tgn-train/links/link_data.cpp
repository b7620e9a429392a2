#include "tools/tgn-train/links/link_data.h"

#include "tools/tgn-train/data/live_nodes.h"

namespace frugal::tgn {

LinkData::LinkData(const std::string& path, const EventSplitOptions& split,
                   const HeaderNames& types)
    : stream_(path, types),
      split_(stream_, split),
      all_(stream_.sources(), stream_.destinations(), stream_.num_nodes()) {
  if (!split_.holds_out()) return;
  training_ = TemporalCsr(stream_.sources(), stream_.destinations(), stream_.num_nodes(),
                          [this](std::uint32_t event) { return trains(event); });
}

EventView LinkData::events() const {
  return {stream_.sources(),   stream_.destinations(), stream_.times(),
          stream_.num_nodes(), keys_of(stream_),       stream_.types()};
}

EvaluationParts LinkData::parts() const {
  return {split_.begin(EventPart::valid), split_.begin(EventPart::test),
          split_.end(EventPart::test), [this](NodeId node) { return split_.is_new(node); }};
}

void LinkData::next(EventPart part, bool inductive, std::size_t count, EventId& at,
                    std::vector<EventId>& events) const {
  events.clear();
  for (; at < split_.end(part) && events.size() < count; ++at) {
    const NodeId source = stream_.sources()[at], destination = stream_.destinations()[at];
    if (part == EventPart::train && !trains(at)) continue;
    if (inductive && !split_.is_new(source) && !split_.is_new(destination)) continue;
    events.push_back(at);
  }
}

}  // namespace frugal::tgn
