#include "tools/tgn-train/data/event_text.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

/// A time as it is written: whole where it can be.
struct TextTime {
  bool is_whole = true;
  std::int64_t whole = 0;
  double real = 0;

  double value() const { return is_whole ? static_cast<double>(whole) : real; }
  std::string text() const { return is_whole ? std::to_string(whole) : format_number(real); }
};

bool is_before(const TextTime& a, const TextTime& b) {
  return a.is_whole && b.is_whole ? a.whole < b.whole : a.value() < b.value();
}

struct TimedLine {
  TextTime time;
  std::uint64_t line = 0;
};

/// The events of a piece of the text.
struct EventPiece {
  std::vector<NodeId> sources, destinations;
  std::vector<std::int64_t> whole;
  std::vector<double> real;  ///< of all events, once one is fractional
  std::vector<std::uint8_t> labels;
  std::vector<std::uint32_t> rows;
  std::vector<float> features;
  std::vector<std::string_view> names;  ///< of sources and destinations in turn, into the text
  TimedLine first, last;
  bool in_order = true;

  std::size_t size() const { return whole.empty() ? real.size() : whole.size(); }
};

[[noreturn]] void fail_order(const TimedLine& before, const TextTime& time) {
  fail(ExitStatus::bad_input, "time ", time.text(), " is before ", before.time.text(), " of line ",
       before.line, ", expected events in the order of time; --sort sorts them");
}

class EventParser {
 public:
  EventParser(const EventLayout& layout, const EventTextOptions& options)
      : layout_(layout), options_(options), splitter_(layout.separator) {}

  EventPiece parse(const TextPiece& piece, const std::string& name) {
    EventPiece out;
    std::uint64_t line_number = 0;
    std::size_t counted = 0;
    PieceLines lines(piece, name, layout_.header_line);
    for (std::string_view line; lines.next(line);) {
      const auto begin = static_cast<std::size_t>(line.data() - piece.text().data());
      line_number += count_lines(piece.text().substr(counted, begin - counted));
      counted = begin;
      lines.located([&] { parse_line(line, piece.first_line + line_number, out); });
    }
    return out;
  }

 private:
  void parse_line(std::string_view line, std::uint64_t number, EventPiece& out) {
    splitter_.split(line, fields_);
    if (fields_.size() != layout_.num_columns) {
      fail(ExitStatus::bad_input, "found ", format_count(fields_.size(), "column"), ", expected ",
           layout_.num_columns, " as in line ", layout_.model_line);
    }
    add_nodes(line, out);
    add_time(parse_time(fields_[layout_.time]), number, out);
    if (layout_.label) out.labels.push_back(parse_label(fields_[*layout_.label]));
    if (layout_.row) out.rows.push_back(parse_row(fields_[*layout_.row]));
    for (const std::size_t c : layout_.features) {
      out.features.push_back(parse_feature(fields_[c], c));
    }
  }

  void add_nodes(std::string_view line, EventPiece& out) const {
    const std::string_view source = fields_[layout_.source];
    const std::string_view destination = fields_[layout_.destination];
    if (options_.names) {
      out.names.push_back(keep(source, line));
      out.names.push_back(keep(destination, line));
      return;
    }
    out.sources.push_back(parse_id(source, "source"));
    out.destinations.push_back(parse_id(destination, "destination"));
  }

  /// Names with doubled quotes lie in the splitter's memory, which the next line takes.
  static std::string_view keep(std::string_view field, std::string_view line) {
    if (field.empty()) {
      fail(ExitStatus::bad_input, "found an empty name of a node, expected two nodes");
    }
    if (field.data() >= line.data() && field.data() < line.data() + line.size()) return field;
    fail(ExitStatus::bad_input, "name '", printable(field),
         "' has a doubled quote, expected names without");
  }

  NodeId parse_id(std::string_view text, const char* what) const {
    const auto id = parse_number<std::uint64_t>(text);
    if (!id) {
      fail(ExitStatus::bad_input, "found '", printable(text, 40), "' as ", what,
           ", expected a number from ", layout_.first_id, " on (--ids any takes all names)");
    }
    if (*id < layout_.first_id || *id - layout_.first_id >= options_.num_nodes) {
      fail(ExitStatus::bad_input, what, " ", *id, ", expected ids from ", layout_.first_id, " to ",
           options_.num_nodes - 1 + layout_.first_id,
           options_.num_nodes == kMostNodes ? " (--ids any takes others)" : " (--nodes)");
    }
    return static_cast<NodeId>(*id - layout_.first_id);
  }

  static TextTime parse_time(std::string_view text) {
    const std::string_view digits = text.substr(text.starts_with('+'));
    TextTime time;
    if (const auto whole = parse_number<std::int64_t>(digits)) {
      time.whole = *whole;
    } else {
      const auto real = parse_number<double>(digits);
      if (!real || !std::isfinite(*real)) {
        fail(ExitStatus::bad_input, "found '", printable(text, 40),
             "' as time, expected a number from 0 on");
      }
      time.real = *real;
      time.is_whole = *real == std::floor(*real) && std::abs(*real) < 0x1p53;
      if (time.is_whole) time.whole = static_cast<std::int64_t>(*real);
    }
    if (time.value() >= 0 && time.value() <= kLatestTime) return time;
    fail(ExitStatus::bad_input, "time ", printable(text, 40), ", expected 0 to 2^63");
  }

  void add_time(const TextTime& time, std::uint64_t line, EventPiece& out) const {
    if (out.size() == 0) {
      out.first = {time, line};
    } else if (is_before(time, out.last.time)) {
      if (!options_.any_order) fail_order(out.last, time);
      out.in_order = false;
    }
    out.last = {time, line};
    if (time.is_whole && out.real.empty()) return out.whole.push_back(time.whole);
    if (out.real.empty()) {
      out.real.assign(out.whole.begin(), out.whole.end());
      out.whole.clear();
    }
    out.real.push_back(time.value());
  }

  static std::uint8_t parse_label(std::string_view text) {
    const auto label = parse_number<double>(text);
    if (label && (*label == 0 || *label == 1)) return *label == 1;
    fail(ExitStatus::bad_input, "found '", printable(text, 40),
         "' as label, expected 0 or 1 (--columns says what columns are)");
  }

  static std::uint32_t parse_row(std::string_view text) {
    const auto row = parse_number<std::uint32_t>(text);
    if (row) return *row;
    fail(ExitStatus::bad_input, "found '", printable(text, 40),
         "' as idx, expected the number of a row");
  }

  static float parse_feature(std::string_view text, std::size_t column) {
    const auto value = parse_number<float>(text.substr(text.starts_with('+')));
    if (value && std::isfinite(*value)) return *value;
    fail(ExitStatus::bad_input, "found '", printable(text, 40), "' as feature in column ",
         column + 1, ", expected a finite number");
  }

  const EventLayout& layout_;
  const EventTextOptions& options_;
  FieldSplitter splitter_;
  std::vector<std::string_view> fields_;
};

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
}

}  // namespace

EventTable read_event_text(PieceReader& reader, const EventLayout& layout,
                           const EventTextOptions& options, const BytesRead& progress) {
  EventTable table;
  std::vector<EventPiece> pieces;
  std::uint64_t events = 0;
  TimedLine last;
  read_pieces<EventPiece>(
      reader,
      [&](const TextPiece& piece, EventPiece& out) {
        out = EventParser(layout, options).parse(piece, reader.name());
      },
      [&](EventPiece& piece) {
        if (progress) progress(reader.bytes_read());
        if (piece.size() == 0) return;
        if (events != 0 && is_before(piece.first.time, last.time)) {
          if (!options.any_order) {
            fail(ExitStatus::bad_input, reader.name(), ":", piece.first.line, ": time ",
                 piece.first.time.text(), " is before ", last.time.text(), " of line ", last.line,
                 ", expected events in the order of time; --sort sorts them");
          }
          table.in_order = false;
        }
        table.in_order = table.in_order && piece.in_order;
        last = piece.last;
        events += piece.size();
        if (events > kMostEvents) {
          fail(ExitStatus::bad_input, reader.name(), ": has more than ", kMostEvents, " events");
        }
        number_names(options, piece, table);
        pieces.push_back(std::move(piece));
      });
  if (events == 0) fail(ExitStatus::bad_input, reader.name(), ": has no events");
  table.sources = join<NodeId>(pieces, &EventPiece::sources);
  table.destinations = join<NodeId>(pieces, &EventPiece::destinations);
  join_times(pieces, table);
  table.labels = join<std::uint8_t>(pieces, &EventPiece::labels);
  table.rows = join<std::uint32_t>(pieces, &EventPiece::rows);
  join_features(pieces, layout.features.size(), table);
  return table;
}

}  // namespace frugal
