#include "tools/tgn-train/data/node_numbers.h"

#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::tgn {

NodeNumbers::NodeNumbers(const EventStream& stream) : stream_(stream) {
  if (!stream.has_names()) return;
  names_.reserve(stream.num_nodes());
  for (std::size_t v = 0; v < stream.num_nodes(); ++v) {
    names_.emplace(stream.name(static_cast<NodeId>(v)), static_cast<NodeId>(v));
  }
}

NodeId NodeNumbers::find(std::string_view text) const {
  if (stream_.has_names()) {
    const auto found = names_.find(text);
    if (found != names_.end()) return found->second;
    fail(ExitStatus::bad_input, "'", printable(text), "' is no node of ", stream_.path());
  }
  const std::uint64_t first = stream_.first_id();
  const auto number = parse_number<std::uint64_t>(text);
  if (number && *number >= first && *number - first < stream_.num_nodes()) {
    return static_cast<NodeId>(*number - first);
  }
  fail(ExitStatus::bad_input, "'", printable(text), "' is no node, expected a number from ", first,
       " to ", first + stream_.num_nodes() - 1);
}

EventTime parse_time(std::string_view text, const EventTimes& times) {
  if (times.is_whole()) {
    if (const auto whole = parse_number<std::int64_t>(text)) return {*whole, 0};
    fail(ExitStatus::bad_input, "'", printable(text),
         "' is no time of this stream, expected a whole number");
  }
  const auto real = parse_number<double>(text);
  if (real && std::isfinite(*real)) return {0, *real};
  fail(ExitStatus::bad_input, "'", printable(text), "' is no time, expected a number");
}

}  // namespace frugal::tgn
