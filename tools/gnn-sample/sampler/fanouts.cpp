#include "tools/gnn-sample/sampler/fanouts.h"

#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::size_t kMaxHops = 16;
constexpr std::int64_t kMaxFanout = 1 << 24;

}  // namespace

Fanouts parse_fanouts(std::string_view text, std::string_view option) {
  Fanouts fanouts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const std::optional<std::int64_t> value = parse_number<std::int64_t>(part);
    if (!value || *value == 0 || *value < -1 || *value > kMaxFanout) {
      fail(ExitStatus::usage, option, " '", printable(text), "': '", printable(part),
           "' is no fanout; expected numbers from 1 to ", kMaxFanout,
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

std::string fanouts_text(const Fanouts& fanouts) {
  std::string text;
  for (const std::uint32_t fanout : fanouts) {
    if (!text.empty()) text += ',';
    text += fanout == kAllNeighbors ? "-1" : std::to_string(fanout);
  }
  return text;
}

}  // namespace frugal
