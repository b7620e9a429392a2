#include "tools/tgn-train/memory/past_file.h"

#include "libcore/base/error.h"
#include "libcore/nn/state_tensors.h"

namespace frugal::tgn {
namespace {

constexpr char kLast[] = "past.last";
constexpr char kPrevious[] = "past.previous";

}  // namespace

void save_past(const StepPlanner::Past& past, std::size_t num_nodes, Document& document) {
  const auto add = [&](const char* name, const Array<EventId>& events) {
    document.tensors.push_back(
        Tensor::copy_of<EventId>(name, {num_nodes}, {events.data(), num_nodes}));
  };
  add(kLast, past.last);
  add(kPrevious, past.previous);
}

StepPlanner::Past load_past(const Document& document, const std::string& path,
                            const EventView& events, std::size_t num_nodes, EventId end) {
  const auto load = [&](const char* name) {
    const auto from =
        shaped_tensor(document, path, name, {num_nodes}, dtype_of<EventId>()).as<EventId>();
    Array<EventId> to(events.num_nodes, kNoEvent);
    for (NodeId v = 0; v < num_nodes; ++v) {
      const EventId e = from[v];
      const bool good =
          e == kNoEvent || (e < end && (events.sources[e] == v || events.destinations[e] == v));
      if (!good) {
        fail(ExitStatus::bad_input, path, ": tensor '", name, "': node ", v, " has event ", e,
             ", expected one that it is in");
      }
      to[v] = e;
    }
    return to;
  };
  Array<EventId> last = load(kLast);
  return {std::move(last), load(kPrevious)};
}

}  // namespace frugal::tgn
