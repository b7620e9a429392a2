// Feeds bytes to the readers of events and of their features, and to that of events files. The
// first two bytes choose the format and the options.
#include <array>

#include "libcore/base/error.h"
#include "libcore/streams/byte_source.h"
#include "tests/fuzz/fuzz_input.h"
#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/data/event_text.h"
#include "tools/tgn-train/data/feature_rows.h"
#include "tools/tgn-train/data/node_kinds.h"

namespace {

using namespace frugal;
using namespace frugal::tgn;

EventLayoutOptions layout_options(unsigned choice) {
  constexpr const char* formats[] = {"auto", "jodie", "tgn", "csv", "snap"};
  constexpr const char* columns[] = {"", "2:source,1:destination", "1:time,2:label,3:feature",
                                     "a:source,b:destination,c:time"};
  EventLayoutOptions options;
  options.format = formats[choice % 5];
  options.columns = columns[choice / 8 % 4];
  if (choice & 32) options.header = choice & 64 ? "yes" : "no";
  options.ids = choice & 128 ? EventIds::any : EventIds::automatic;
  return options;
}

/// 80 packed bytes may be a megabyte of empty lines: that is no error, but takes a second.
bool unpacks_to_much(const std::string& path) {
  constexpr std::size_t kMuch = std::size_t{64} << 10;
  std::array<char, 4096> bytes;
  std::size_t size = 0;
  reading(ExitStatus::bad_input, [&] {
    ByteSource source(path);
    for (std::size_t got = 1; got > 0 && size <= kMuch; size += got)
      got = source.read(bytes.data(), bytes.size());
  });
  return size > kMuch;
}

void check_table(const EventTable& table, const NodeKinds& kinds, bool any_order) {
  const std::size_t events = table.size();
  require(events > 0 && table.destinations.size() == events, "an event has two nodes");
  require(table.times().size() == events, "an event has a time");
  require(table.labels.empty() || table.labels.size() == events, "all have labels");
  const std::size_t first = kinds.num_sources;
  for (std::size_t e = 0; e < events; ++e) {
    require(table.sources[e] < (first != 0 ? first : kinds.num_nodes), "sources are in range");
    require(table.destinations[e] >= first, "destinations are behind sources");
    require(table.destinations[e] < kinds.num_nodes, "destinations are in range");
    const auto id = static_cast<EventId>(e);
    require(table.times().between(kNoEvent, id) == table.times().between(kNoEvent, id),
            "times are numbers");
    const bool falls = e > 0 && table.times().between(id - 1, id) < 0;
    require(!falls || any_order, "times do not fall");
  }
  if (!table.has_features()) return;
  for (const float x : table.features.as<float>()) require(x - x == 0, "features are finite");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzInput input(data, size, 2);
  if (unpacks_to_much(input.path())) return 0;
  const unsigned choice = input.choice(1);
  reading(ExitStatus::usage, [&] {
    PieceReader reader(input.path());
    const EventLayoutOptions options = layout_options(input.choice(0));
    const EventLayout layout = event_layout(reader, options);
    EventTextOptions text;
    text.names = layout.names;
    text.any_order = choice & 1;
    const auto kinds = static_cast<TwoKinds>(choice / 2 % 3);
    const bool own_ids = layout.format->own_ids;
    text.own_names = kinds == TwoKinds::yes || (kinds == TwoKinds::automatic && own_ids);
    if (choice & 8) text.num_nodes = 10;
    EventTable table = read_event_text(reader, layout, text);
    const NodeKindOptions limit{kinds, own_ids, choice & 8 && !text.names ? 10U : 0U};
    const NodeKinds found = number_kinds(table, limit, input.path());
    check_table(table, found, text.any_order);
  });
  reading(ExitStatus::unavailable, [&] {
    const Tensor rows = read_feature_file(input.path());
    for (const float x : rows.as<float>()) require(x - x == 0, "features are finite");
  });
  reading(ExitStatus::unavailable, [&] {
    const EventStream stream(input.path());
    for (const NodeId v : stream.sources()) require(v < stream.num_nodes(), "nodes are in range");
    if (stream.has_names()) require(stream.name(0).size() < size, "names lie in the file");
  });
  return 0;
}
