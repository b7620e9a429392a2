#include "tools/tgn-train/data/event_split.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/tgn-train/data/python_random.h"

namespace frugal::tgn {
namespace {

constexpr const char* kPartNames[] = {"training", "validation", "test"};

double time_at(const EventTimes& times, std::size_t event) {
  return times.is_whole() ? static_cast<double>(times.whole()[event]) : times.real()[event];
}

/// Between the two times nearest to the share q, as numpy.quantile() rounds it.
double quantile(const EventTimes& times, double q) {
  const double place = static_cast<double>(times.size() - 1) * q;
  const auto below = static_cast<std::size_t>(place);
  const double low = time_at(times, below);
  const double high = time_at(times, std::min(below + 1, times.size() - 1));
  const double share = place - static_cast<double>(below), gap = high - low;
  return share < 0.5 ? low + gap * share : high - gap * (1 - share);
}

/// The first event that is later.
EventId first_after(const EventTimes& times, double time) {
  const auto after = [&](const auto& values) {
    return static_cast<EventId>(
        std::partition_point(values.begin(), values.end(),
                             [&](auto t) { return static_cast<double>(t) <= time; }) -
        values.begin());
  };
  return times.is_whole() ? after(times.whole()) : after(times.real());
}

std::size_t count_nodes(const EventStream& stream) {
  std::vector<std::uint8_t> seen(stream.num_nodes());
  for (const auto nodes : {stream.sources(), stream.destinations()}) {
    for (const NodeId v : nodes) seen[v] = 1;
  }
  return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), 1));
}

/// The nodes of a role in the events behind training, which begin with 1 in that program.
PythonSet later_nodes(std::span<const NodeId> nodes, EventId begin) {
  PythonSet set;
  for (const NodeId v : nodes.subspan(begin)) set.add(v + 1);
  return set;
}

std::vector<std::uint8_t> hold_out(const EventStream& stream, EventId train_end,
                                   const EventSplitOptions& options) {
  const std::vector<std::uint32_t> nodes =
      later_nodes(stream.sources(), train_end)
          .united(later_nodes(stream.destinations(), train_end))
          .values();
  const auto wanted =
      static_cast<std::size_t>(options.new_nodes * static_cast<double>(count_nodes(stream)));
  const auto taken = static_cast<std::uint32_t>(std::min(wanted, nodes.size()));
  std::vector<std::uint8_t> held_out(stream.num_nodes());
  PythonRandom random(options.seed);
  for (const std::uint32_t i : random.sample(static_cast<std::uint32_t>(nodes.size()), taken)) {
    held_out[nodes[i] - 1] = 1;
  }
  return held_out;
}

void check_options(const EventSplitOptions& o) {
  if (o.train_until > 0 && o.train_until < o.valid_until && o.valid_until < 1 && o.new_nodes >= 0 &&
      o.new_nodes < 1) {
    return;
  }
  fail(ExitStatus::usage, "training until ", format_number(o.train_until), ", validation until ",
       format_number(o.valid_until), ", a share of ", format_number(o.new_nodes),
       " new nodes; expected ascending shares of the stream between 0 and 1, and below 1 new");
}

}  // namespace

EventSplit::EventSplit(const EventStream& stream, const EventSplitOptions& options)
    : num_events_(static_cast<EventId>(stream.num_events())) {
  check_options(options);
  train_end_ = first_after(stream.times(), quantile(stream.times(), options.train_until));
  valid_end_ = first_after(stream.times(), quantile(stream.times(), options.valid_until));
  if (options.new_nodes > 0) held_out_ = hold_out(stream, train_end_, options);
  const auto sources = stream.sources(), destinations = stream.destinations();
  new_.assign(stream.num_nodes(), 1);
  for (EventId e = 0; e < train_end_; ++e) {
    if (!trains(sources[e], destinations[e])) continue;
    ++counts_[0];
    new_[sources[e]] = new_[destinations[e]] = 0;
  }
  for (const EventPart part : {EventPart::valid, EventPart::test}) {
    const auto p = static_cast<std::size_t>(part);
    counts_[p] = end(part) - begin(part);
    for (EventId e = begin(part); e < end(part); ++e) {
      new_counts_[p] += is_new(sources[e]) || is_new(destinations[e]);
    }
  }
  for (std::size_t p = 0; p < 3; ++p) {
    if (counts_[p] != 0) continue;
    fail(ExitStatus::bad_input, stream.path(), ": ", format_count(num_events_, "event"),
         ", of which none is for ", kPartNames[p],
         ": the parts are cut between times, expected more events or times");
  }
}

EventId EventSplit::begin(EventPart part) const {
  return part == EventPart::train ? 0 : part == EventPart::valid ? train_end_ : valid_end_;
}

EventId EventSplit::end(EventPart part) const {
  return part == EventPart::train   ? train_end_
         : part == EventPart::valid ? valid_end_
                                    : num_events_;
}

std::uint64_t EventSplit::num_events(EventPart part) const {
  return counts_[static_cast<std::size_t>(part)];
}

std::uint64_t EventSplit::num_new_node_events(EventPart part) const {
  return new_counts_[static_cast<std::size_t>(part)];
}

}  // namespace frugal::tgn
