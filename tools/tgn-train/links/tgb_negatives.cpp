#include "tools/tgn-train/links/tgb_negatives.h"

#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "libcore/arrays/pickled_arrays.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/tgn-train/data/live_nodes.h"

namespace frugal::tgn {
namespace {

/// Source, destination and time, as 64 bits of the stream's type of times.
using EventKey = std::array<std::int64_t, 3>;

std::int64_t time_key(const EventTimes& times, EventTime time) {
  return times.is_whole() ? time.whole : std::bit_cast<std::int64_t>(time.real);
}

/// The time of an entry as the stream has it; none if it is no time of such a stream.
std::optional<EventTime> time_of(const EventTimes& times, const PickledNumber& number) {
  if (number.is_whole) return EventTime{number.whole, static_cast<double>(number.whole)};
  const bool is_whole = std::abs(number.real) < 0x1p53 && number.real == std::floor(number.real);
  if (times.is_whole() && !is_whole) return {};
  return EventTime{is_whole ? static_cast<std::int64_t>(number.real) : 0, number.real};
}

std::string key_text(const EventKey& key, const EventTimes& times) {
  return "(" + std::to_string(key[0]) + ", " + std::to_string(key[1]) + ", " +
         (times.is_whole() ? std::to_string(key[2])
                           : std::to_string(std::bit_cast<double>(key[2]))) +
         ")";
}

}  // namespace

TgbNegatives::TgbNegatives(const std::string& path, const LinkData& data, EventPart part)
    : begin_(data.split().begin(part)) {
  const EventStream& stream = data.stream();
  const std::int64_t first_id = naming_of(stream).first_id;
  const auto nodes = static_cast<std::int64_t>(stream.num_nodes());
  std::map<EventKey, std::size_t> rows;
  read_pickled_arrays(
      path, [&](std::span<const PickledNumber> key, std::span<const std::int64_t> values) {
        if (key.size() != 3 || !key[0].is_whole || !key[1].is_whole) {
          fail(ExitStatus::bad_input, path, ": entry ", ends_.size(), " has a key of ", key.size(),
               " numbers, expected source, destination and time");
        }
        const std::optional<EventTime> time = time_of(stream.times(), key[2]);
        if (!time) {
          fail(ExitStatus::bad_input, path, ": entry ", ends_.size(), " has time ",
               format_number(key[2].real), ", expected a whole number as ", stream.path(), " has");
        }
        const EventKey event = {key[0].whole, key[1].whole, time_key(stream.times(), *time)};
        if (!rows.emplace(event, ends_.size()).second) {
          fail(ExitStatus::bad_input, path, ": entry ", ends_.size(), " is ",
               key_text(event, stream.times()), ", which an earlier one is");
        }
        for (const std::int64_t id : values) {
          if (id < first_id || id - first_id >= nodes) {
            fail(ExitStatus::bad_input, path, ": entry ", ends_.size(), " has node ", id,
                 ", expected one of ", first_id, " to ", first_id + nodes - 1);
          }
          nodes_.push_back(static_cast<NodeId>(id - first_id));
        }
        ends_.push_back(nodes_.size());
      });
  std::vector<bool> used(ends_.size());
  std::size_t num_used = 0;
  for (EventId e = begin_; e < data.split().end(part); ++e) {
    const EventKey event = {stream.sources()[e] + first_id, stream.destinations()[e] + first_id,
                            time_key(stream.times(), stream.times().at(e))};
    const auto row = rows.find(event);
    if (row == rows.end()) {
      fail(ExitStatus::bad_input, path, ": no entry ", key_text(event, stream.times()),
           " for event ", e, " of ", stream.path(),
           ", expected negatives of the same events, nodes and times");
    }
    rows_.push_back(row->second);
    num_used += used[row->second] ? 0 : 1;
    used[row->second] = true;
  }
  if (num_used == ends_.size()) return;
  fail(ExitStatus::bad_input, path, ": ", ends_.size() - num_used, " of ", ends_.size(),
       " entries are no events of the ", part == EventPart::test ? "test" : "validation", " of ",
       stream.path(), ", expected negatives of the same split");
}

std::string TgbNegatives::validation_file(const std::string& path) {
  constexpr std::string_view kTest = "test_ns";
  const std::size_t at = path.rfind(kTest);
  if (at == std::string::npos || path.find('/', at) != std::string::npos) return "";
  const std::string beside = path.substr(0, at) + "val_ns" + path.substr(at + kTest.size());
  std::error_code error;
  return std::filesystem::is_regular_file(beside, error) ? beside : "";
}

void TgbNegatives::draw(EventId event, std::vector<NodeId>& negatives) const {
  const std::size_t row = rows_[event - begin_], begin = row == 0 ? 0 : ends_[row - 1];
  negatives.assign(nodes_.begin() + static_cast<std::ptrdiff_t>(begin),
                   nodes_.begin() + static_cast<std::ptrdiff_t>(ends_[row]));
}

}  // namespace frugal::tgn
