#include "tools/tgn-train/data/event_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::tgn {
namespace {

/// Puts the pieces' parts one behind the other; frees each when it is copied.
template <class T, class U>
Array<T> join(std::vector<EventPiece>& pieces, std::vector<U> EventPiece::*part) {
  std::size_t size = 0;
  for (const EventPiece& piece : pieces) size += (piece.*part).size();
  Array<T> joined(size, uninitialized);
  T* to = joined.data();
  for (EventPiece& piece : pieces) {
    to = std::transform((piece.*part).begin(), (piece.*part).end(), to,
                        [](U x) { return static_cast<T>(x); });
    piece.*part = {};
  }
  return joined;
}

void join_times(std::vector<EventPiece>& pieces, EventTable& table) {
  const bool is_whole = std::all_of(pieces.begin(), pieces.end(),
                                    [](const EventPiece& piece) { return piece.real.empty(); });
  if (is_whole) {
    table.whole = join<std::int64_t>(pieces, &EventPiece::whole);
    return;
  }
  for (EventPiece& piece : pieces) {
    if (!piece.real.empty()) continue;
    piece.real.assign(piece.whole.begin(), piece.whole.end());
    piece.whole = {};
  }
  table.real = join<double>(pieces, &EventPiece::real);
}

/// 0 and 1, of -1 and 1 too.
void join_labels(std::vector<EventPiece>& pieces, const std::string& name, EventTable& table) {
  table.labels = join<std::uint8_t>(pieces, &EventPiece::labels);
  bool found[kMinusOne + 1] = {};
  for (const std::uint8_t label : table.labels) found[label] = true;
  if (!found[kMinusOne]) return;
  if (found[0]) {
    fail(ExitStatus::bad_input, name, ": has labels -1, 0 and 1, expected two of them");
  }
  for (std::uint8_t& label : table.labels) label = label == 1 ? 1 : 0;
}

/// Classes get their numbers in the order of the text.
void number_classes(EventPiece& piece, NodeNames& names) {
  for (const std::string_view name : piece.classes) {
    piece.targets.push_back(name.empty() ? std::numeric_limits<float>::quiet_NaN()
                                         : static_cast<float>(names.number(name)));
  }
  piece.classes = {};
}

/// Returns the place of each name in an order that does not depend on the events. Numbers ascend;
/// other names are sorted by their bytes. sorted: receives the names in that order.
std::vector<NodeId> sorted_places(const NodeNames& names, HeaderNames& sorted) {
  std::vector<NodeId> order(names.size());
  std::iota(order.begin(), order.end(), NodeId{0});
  const auto number = [&](NodeId c) { return parse_finite<double>(names.name(c)); };
  const bool numbers = std::all_of(order.begin(), order.end(), number);
  std::sort(order.begin(), order.end(), [&](NodeId a, NodeId b) {
    if (numbers && *number(a) != *number(b)) return *number(a) < *number(b);
    return names.name(a) < names.name(b);
  });
  std::vector<NodeId> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<NodeId>(i);
    sorted.emplace_back(names.name(order[i]));
  }
  return place;
}

/// Renumbers classes by their names.
void sort_classes(const NodeNames& names, const std::string& path, EventTable& table) {
  if (names.size() > kMostClasses) {
    fail(ExitStatus::bad_input, path, ": labels have ", names.size(), " classes, expected at most ",
         kMostClasses, "; --label-type number takes numbers as such");
  }
  const std::vector<NodeId> place = sorted_places(names, table.classes);
  for (float& target : table.targets) {
    if (!std::isnan(target)) target = static_cast<float>(place[static_cast<std::size_t>(target)]);
  }
}

/// Numbers edge types in the order of the text. Fails (bad_input) for too many.
void number_types(EventPiece& piece, const std::string& path, NodeNames& names) {
  for (const std::string_view name : piece.types) piece.type_numbers.push_back(names.number(name));
  piece.types = {};
  if (names.size() <= kMostTypes) return;
  fail(ExitStatus::bad_input, path, ":", piece.last.line, ": up to here are ", names.size(),
       " edge types, expected at most ", kMostTypes,
       "; --columns NAME:feature, or NAME:ignore, takes the column otherwise");
}

/// Renumbers types by their names.
void join_types(std::vector<EventPiece>& pieces, const NodeNames& names, EventTable& table) {
  const std::vector<NodeId> place = sorted_places(names, table.type_names);
  for (EventPiece& piece : pieces) {
    for (std::uint32_t& type : piece.type_numbers) type = place[type];
  }
  table.types = join<std::uint16_t>(pieces, &EventPiece::type_numbers);
}

void join_features(std::vector<EventPiece>& pieces, std::size_t dim, EventTable& table) {
  if (dim == 0) return;
  Tensor& features = table.features;
  features = Tensor::make("edge_features", Dtype::f32, {table.size(), dim});
  float* to = features.as<float>().data();
  for (EventPiece& piece : pieces) {
    to = std::copy(piece.features.begin(), piece.features.end(), to);
    piece.features = {};
  }
}

/// Nodes get their numbers in the order of the text.
void number_names(const EventTextOptions& options, EventPiece& piece, EventTable& table) {
  NodeNames& destinations = options.own_names ? table.destination_names : table.source_names;
  for (std::size_t i = 0; i < piece.names.size(); i += 2) {
    piece.sources.push_back(table.source_names.number(piece.names[i]));
    piece.destinations.push_back(destinations.number(piece.names[i + 1]));
  }
  piece.names = {};
  piece.copies = {};
}

void renumber(const std::vector<NodeId>& numbers, Array<NodeId>& nodes) {
  if (numbers.empty()) return;
  for (NodeId& node : nodes) node = numbers[node];
}

/// Where all names are whole numbers, 7, 7.0 and 007 are one node, which is called 7. Sources and
/// destinations with ids of their own decide each for themselves.
void merge_whole_names(const EventTextOptions& options, EventTable& table) {
  if (!options.names) return;
  const std::vector<NodeId> numbers = table.source_names.merge_whole();
  renumber(numbers, table.sources);
  renumber(options.own_names ? table.destination_names.merge_whole() : numbers, table.destinations);
}

/// Fails (bad_input) if numbers to predict lose the differences between them; warns of features.
/// losses: as in EventPiece.
void check_losses(std::vector<FloatLoss> losses, const EventLayout& layout,
                  const std::string& path) {
  const auto place = [&](std::size_t c) {
    const bool named = c < layout.header.size() && !layout.header[c].empty();
    return path + ": column " +
           (named ? "'" + printable(layout.header[c]) + "'" : std::to_string(c + 1));
  };
  if (losses.back().lost()) {
    fail(ExitStatus::bad_input, place(*layout.label),
         ": labels would lose their differences: ", losses.back().text());
  }
  losses.pop_back();
  warn_of_losses(losses, [&](std::size_t f) { return place(layout.features[f]); });
}

void warn_of_rounded_times(std::uint64_t times, const std::string& path) {
  if (times == 0) return;
  log_warning(path,
              ": dates with nanoseconds, which are rounded to about 0.2 microseconds: ", times,
              "; numbers of nanoseconds since 1970 keep them");
}

}  // namespace

EventTable read_event_text(PieceReader& reader, const EventLayout& layout,
                           const EventTextOptions& options, const BytesRead& progress) {
  EventTable table;
  std::vector<EventPiece> pieces;
  std::uint64_t events = 0;
  TimedLine last;
  NodeNames classes, types;
  std::vector<FloatLoss> losses;
  SkippedComments comments(layout.form);
  std::uint64_t rounded_times = 0;
  read_pieces<EventPiece>(
      reader,
      [&](const TextPiece& piece, EventPiece& out) {
        out = EventParser(layout, options).parse(piece, reader.name());
      },
      [&](EventPiece& piece) {
        if (progress) progress(reader.bytes_read());
        if (piece.size() == 0) return comments.add(piece.comments);
        if (events != 0 && is_before(piece.first.time, last.time)) {
          if (!options.any_order) {
            fail(ExitStatus::bad_input, reader.name(), ":", piece.first.line, ": time ",
                 piece.first.time.text(), " is before ", last.time.text(), " of line ", last.line,
                 ", expected events in the order of time", options.order_hint);
          }
          table.in_order = false;
        }
        table.in_order = table.in_order && piece.in_order;
        last = piece.last;
        events += piece.size();
        comments.add(piece.comments);
        add_losses(piece.losses, losses);
        table.missing += piece.missing;
        table.no_classes += piece.no_classes;
        rounded_times += piece.rounded_times;
        if (events > kMostEvents) {
          fail(ExitStatus::bad_input, reader.name(), ": has more than ", kMostEvents, " events");
        }
        number_classes(piece, classes);
        number_types(piece, reader.name(), types);
        number_names(options, piece, table);
        pieces.push_back(std::move(piece));
      });
  if (events == 0) fail(ExitStatus::bad_input, reader.name(), ": has no events");
  comments.tell(reader.name());
  warn_of_rounded_times(rounded_times, reader.name());
  check_losses(std::move(losses), layout, reader.name());
  table.sources = join<NodeId>(pieces, &EventPiece::sources);
  table.destinations = join<NodeId>(pieces, &EventPiece::destinations);
  merge_whole_names(options, table);
  join_times(pieces, table);
  join_labels(pieces, reader.name(), table);
  table.targets = join<float>(pieces, &EventPiece::targets);
  if (layout.labels == LabelType::classes) sort_classes(classes, reader.name(), table);
  join_types(pieces, types, table);
  table.rows = join<std::uint32_t>(pieces, &EventPiece::rows);
  join_features(pieces, layout.features.size(), table);
  return table;
}

}  // namespace frugal::tgn
