#include "tools/tgn-train/data/live_nodes.h"

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/tgn-train/data/event_file.h"

namespace frugal {

NodeNaming naming_of(const EventStream& stream) {
  const auto shifted = stream.metadata().find(kShiftedKey);
  NodeNaming naming;
  naming.names = stream.has_names();
  // Of nodes with names two kinds are told apart where they may share some.
  naming.own_ids =
      stream.bipartite() &&
      (naming.names || (shifted != stream.metadata().end() && shifted->second == "true"));
  naming.first_id = stream.first_id();
  return naming;
}

LiveNodes::LiveNodes(const EventStream& stream) : LiveNodes(naming_of(stream)) {
  const std::size_t sources = naming_.own_ids ? stream.num_sources() : stream.num_nodes();
  for (std::size_t v = 0; v < stream.num_nodes(); ++v) {
    const bool as_destination = v >= sources;
    const std::string name =
        naming_.names ? std::string(stream.name(static_cast<NodeId>(v)))
                      : std::to_string(v - (as_destination ? sources : 0) + naming_.first_id);
    if (number(name, as_destination) == v) continue;
    fail(ExitStatus::bad_input, stream.path(), ": two nodes are called '", printable(name),
         "', expected different names");
  }
}

std::string_view LiveNodes::key(std::string_view name, bool as_destination) const {
  key_.clear();
  if (naming_.own_ids) key_ += as_destination ? 'd' : 's';
  return key_ += name;
}

NodeId LiveNodes::number(std::string_view name, bool as_destination) {
  return names_.number(key(name, as_destination));
}

std::optional<NodeId> LiveNodes::find(std::string_view name, bool as_destination) const {
  return names_.find(key(name, as_destination));
}

void LiveNodes::restore(std::string_view stored) {
  const std::size_t before = size();
  if (names_.number(stored) == before) return;
  fail(ExitStatus::bad_input, "two nodes are called '", printable(stored),
       "', expected different names");
}

}  // namespace frugal
