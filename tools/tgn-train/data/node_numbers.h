#pragma once
#include <string_view>
#include <unordered_map>

#include "tools/tgn-train/data/event_stream.h"

namespace frugal::tgn {

/// Finds nodes by what the input of `import` called them.
class NodeNumbers {
 public:
  /// The stream outlives it.
  explicit NodeNumbers(const EventStream& stream);

  /// Fails (bad_input), without a place, where no node is called so.
  NodeId find(std::string_view text) const;

 private:
  const EventStream& stream_;
  std::unordered_map<std::string_view, NodeId> names_;  ///< where nodes have names
};

/// "1082040961" or "36.5" as a time of that stream; fails (bad_input), without a place, where it is
/// none.
EventTime parse_time(std::string_view text, const EventTimes& times);

}  // namespace frugal::tgn
