#include "tools/tgn-train/data/event_check.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/threading/find_bad.h"

namespace frugal::tgn {
namespace {

void check_nodes(std::span<const NodeId> nodes, std::size_t begin, std::size_t end,
                 const char* tensor, const std::string& path) {
  const std::size_t bad =
      find_bad(nodes.size(), [=](std::size_t e) { return nodes[e] >= begin && nodes[e] < end; });
  if (bad == nodes.size()) return;
  fail(ExitStatus::bad_input, path, ": tensor '", tensor, "': event ", bad, " has node ",
       nodes[bad], ", expected ",
       begin < end ? std::to_string(begin) + " to " + std::to_string(end - 1) : "no such nodes");
}

std::string text_of(std::int64_t time) { return std::to_string(time); }
std::string text_of(double time) { return format_number(time); }

template <class T>
void check_times(std::span<const T> times, T latest, const std::string& path) {
  const std::size_t bad =
      find_bad(times.size(), [=](std::size_t e) { return times[e] >= T{0} && times[e] <= latest; });
  if (bad != times.size()) {
    fail(ExitStatus::bad_input, path, ": tensor 'times': event ", bad, " is at ",
         text_of(times[bad]), ", expected 0 to ", text_of(latest));
  }
  const std::size_t fall =
      find_bad(times.size() - 1, [=](std::size_t e) { return times[e] <= times[e + 1]; });
  if (fall == times.size() - 1) return;
  fail(ExitStatus::bad_input, path, ": tensor 'times': event ", fall + 1, " is at ",
       text_of(times[fall + 1]), ", before event ", fall, " at ", text_of(times[fall]),
       ", expected times that never fall");
}

void check_labels(std::span<const std::uint8_t> labels, const std::string& path) {
  const std::size_t bad = find_bad(labels.size(), [=](std::size_t e) { return labels[e] <= 1; });
  if (bad == labels.size()) return;
  fail(ExitStatus::bad_input, path, ": tensor 'labels': event ", bad, " has ", int{labels[bad]},
       ", expected 0 or 1");
}

void check_features(const FeatureRows& rows, const char* tensor, const char* row,
                    const std::string& path) {
  if (rows.empty()) return;
  const std::size_t bad = find_bad(rows.rows, [&](std::size_t r) { return rows.is_finite(r); });
  if (bad == rows.rows) return;
  fail(ExitStatus::bad_input, path, ": tensor '", tensor, "': ", row, " ", bad,
       " has a feature that is not finite, expected numbers");
}

void check_names(const EventContent& content, const std::string& path) {
  const auto offsets = content.name_offsets;
  if (offsets.empty()) return;
  const bool good = offsets.front() == 0 && offsets.back() == content.names.size() &&
                    std::is_sorted(offsets.begin(), offsets.end());
  if (good) return;
  fail(ExitStatus::bad_input, path, ": tensor 'names.offsets' does not ascend from 0 to the ",
       content.names.size(), " bytes of names");
}

}  // namespace

void check_events(const EventContent& content, const std::string& path) {
  const std::size_t nodes = content.num_nodes, sources = content.num_sources;
  check_nodes(content.sources, 0, sources == 0 ? nodes : sources, "sources", path);
  check_nodes(content.destinations, sources, nodes, "destinations", path);
  if (content.times.is_whole()) {
    check_times(content.times.whole(), std::numeric_limits<std::int64_t>::max(), path);
  } else {
    check_times(content.times.real(), kLatestTime, path);
  }
  check_labels(content.labels, path);
  check_features(content.edge_features, "edge_features", "event", path);
  check_features(content.node_features, "node_features", "node", path);
  check_names(content, path);
}

}  // namespace frugal::tgn
