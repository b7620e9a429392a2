#include "tools/gnn-sample/sampler/fanouts.h"

#include <algorithm>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kMaxHops = 16;
constexpr std::int64_t kMaxFanout = 1 << 24;
constexpr char kOption[] = "--fanouts";

/// A single 0 counts for all hops.
void agree_on_hops(const std::vector<std::string>& edge_types, std::vector<Fanouts>& fanouts) {
  const auto first = std::find_if(fanouts.begin(), fanouts.end(), is_followed);
  if (first == fanouts.end()) {
    fail(ExitStatus::usage, kOption, " follows no edges, expected a fanout above 0");
  }
  const std::size_t hops = first->size();
  for (std::size_t t = 0; t < fanouts.size(); ++t) {
    if (fanouts[t] == Fanouts{0}) fanouts[t].assign(hops, 0);
    if (fanouts[t].size() == hops) continue;
    fail(ExitStatus::usage, "edges ", printable(edge_types[t]), " have fanouts ",
         fanouts_text(fanouts[t]), ", ",
         printable(edge_types[static_cast<std::size_t>(first - fanouts.begin())]), " ",
         fanouts_text(*first), ", expected the same number of hops");
  }
}

}  // namespace

bool is_followed(const Fanouts& fanouts) {
  return std::any_of(fanouts.begin(), fanouts.end(), [](std::uint32_t f) { return f != 0; });
}

Fanouts parse_fanouts(std::string_view text, std::string_view option, std::uint32_t least) {
  Fanouts fanouts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const std::optional<std::int64_t> value = parse_number<std::int64_t>(part);
    const bool all = value && *value == -1;
    if (!value || (!all && *value < least) || *value > kMaxFanout) {
      fail(ExitStatus::usage, option, " '", printable(text), "': '", printable(part),
           "' is no fanout; expected numbers from ", least, " to ", kMaxFanout,
           ", or -1 for all neighbours, as in 15,10,5");
    }
    fanouts.push_back(*value < 0 ? kAllNeighbors : static_cast<std::uint32_t>(*value));
    begin = end + 1;
  }
  if (fanouts.size() > kMaxHops) {
    fail(ExitStatus::usage, option, " has ", fanouts.size(), " hops, expected at most ", kMaxHops);
  }
  return fanouts;
}

std::vector<Fanouts> parse_type_fanouts(const std::vector<std::string>& typed,
                                        std::string_view fanouts,
                                        const std::vector<std::string>& edge_types) {
  std::vector<Fanouts> found(edge_types.size());
  for (const std::string& text : typed) {
    const std::size_t end = text.find('=');
    const auto type = std::find(edge_types.begin(), edge_types.end(), text.substr(0, end));
    if (end == std::string::npos || type == edge_types.end()) {
      fail(ExitStatus::usage, kOption, " '", printable(text),
           "', expected SOURCE:RELATION:TARGET=FANOUTS with one of ", joined(edge_types));
    }
    Fanouts& of_type = found[static_cast<std::size_t>(type - edge_types.begin())];
    if (!of_type.empty()) {
      fail(ExitStatus::usage, kOption, " names ", printable(*type), " twice");
    }
    of_type = parse_fanouts(std::string_view(text).substr(end + 1), kOption, 0);
  }
  for (Fanouts& of_type : found) {
    if (of_type.empty()) of_type = parse_fanouts(fanouts, kOption);
  }
  agree_on_hops(edge_types, found);
  return found;
}

std::string fanouts_text(const Fanouts& fanouts) {
  std::string text;
  for (const std::uint32_t fanout : fanouts) {
    if (!text.empty()) text += ',';
    text += fanout == kAllNeighbors ? "-1" : std::to_string(fanout);
  }
  return text;
}

}  // namespace frugal::gnn
