#include "tools/tgn-train/data/event_layout.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>

#include "libcore/base/text.h"
#include "libcore/tables/table_columns.h"

namespace frugal::tgn {
namespace {

using Names = std::vector<std::string>;

/// Names that programs give the columns, in lower case.
using KnownNames = std::span<const std::string_view>;
constexpr std::string_view kSourceNames[] = {"source",  "src",    "from", "u",        "user",
                                             "user_id", "sender", "head", "source_id"};
constexpr std::string_view kDestinationNames[] = {"destination", "dst",  "dest",     "to",
                                                  "target",      "i",    "item",     "item_id",
                                                  "v",           "tail", "receiver", "target_id"};
constexpr std::string_view kTimeNames[] = {"time", "ts", "timestamp", "t", "unix_time", "unixtime"};
constexpr std::string_view kLabelNames[] = {"label", "state_label", "state"};
constexpr std::string_view kRowNames[] = {"idx"};
constexpr std::string_view kIgnoredNames[] = {"", "idx", "index"};

Names lower_case(Names names) {
  for (std::string& name : names) {
    for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return names;
}

bool is_number(std::string_view text) { return parse_number<double>(text).has_value(); }
bool is_one_of(std::string_view name, KnownNames names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<std::size_t> find_one_of(const Names& header, KnownNames names) {
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (is_one_of(header[c], names)) return c;
  }
  return std::nullopt;
}

bool is_jodie(const TextShape& shape) {
  const Names header = lower_case(shape.first_fields);
  return shape.separator != ' ' && header.size() >= 4 && header[0] == "user_id" &&
         header[1] == "item_id" && is_one_of(header[2], kTimeNames);
}
bool is_tgn(const TextShape& shape) {
  const Names header = lower_case(shape.first_fields);
  return shape.separator != ' ' && header.size() >= 4 && header[0].empty() && header[1] == "u" &&
         header[2] == "i" && header[3] == "ts";
}
bool is_snap(const TextShape& shape) { return shape.separator == ' '; }
bool is_csv(const TextShape& shape) { return !is_snap(shape); }

constexpr std::array kFormats{
    EventFormat{.name = "jodie",
                .description = "user_id,item_id,timestamp,state_label,features below such a header",
                .recognises = is_jodie,
                .own_ids = true,
                .by_places = true},
    EventFormat{.name = "tgn",
                .description = "ml_NAME.csv of the TGN and DGB programs, ids from 1, with "
                               "ml_NAME.npy and ml_NAME_node.npy where they lie beside it",
                .recognises = is_tgn,
                .padded = true},
    EventFormat{.name = "csv",
                .description = "source,destination,time[,label,features] between commas, "
                               "semicolons or tabs, or as a header or --columns name them",
                .recognises = is_csv},
    EventFormat{.name = "snap",
                .description = "the same between blanks, as SNAP has it",
                .recognises = is_snap},
};
constexpr FormatTable<EventFormat> kTable{kFormats};

/// What a column of events means.
enum class EventColumn { source, destination, time, label, feature, ignore };
constexpr std::array<ColumnTypeRow, 6> kColumnRows{
    {{.name = "source", .once = true, .shared = true},
     {.name = "destination", .once = true, .shared = true},
     {.name = "time", .once = true, .shared = true},
     {.name = "label", .once = true, .shared = true},
     {.name = "feature", .shared = true},
     {.name = "ignore"}}};
constexpr ColumnTypes<EventColumn> kColumnTypes{kColumnRows};
using DeclaredColumns = std::vector<ColumnTypes<EventColumn>::Column>;

/// A line of events has numbers where the header has names. Features may be named by numbers.
bool has_header(const TextShape& shape, const EventLayoutOptions& options,
                const DeclaredColumns& named) {
  if (options.header != "auto") return options.header == "yes";
  const auto& fields = shape.first_fields;
  for (const auto& column : named) {
    const bool is_name = std::find(fields.begin(), fields.end(), column.name) != fields.end();
    if (is_name && !is_number(column.name)) return true;
  }
  std::size_t time = 2;
  for (const auto& column : named) {
    if (column.type != EventColumn::time) continue;
    time = parse_number<std::uint32_t>(column.name).value_or(time + 1) - 1;
  }
  if (time >= fields.size() || is_number(fields[time])) return false;
  return options.ids == EventIds::any || (!is_number(fields[0]) && !is_number(fields[1]));
}

/// What the lines look like: as the header, but JODIE's, which has one name for all features.
/// Returns the fields of the first event.
Names measure_rows(PieceReader& reader, const TextShape& shape, EventLayout& layout) {
  if (layout.form.header_line == 0) return shape.first_fields;
  Names first_event;
  const auto measure = [&](std::string_view head) {
    TableRows rows(layout.form, reader.name());
    rows.start(head);
    if (!rows.pass()) return false;
    rows.located([&] { rows.split(); });
    first_event.assign(rows.fields().begin(), rows.fields().end());
    if (!layout.format->by_places) return true;
    layout.form.model_line = rows.line();
    layout.form.num_columns = rows.fields().size();
    return true;
  };
  for (std::string_view head = reader.head();;) {
    // The last line may be cut.
    if (measure(head.substr(0, head.rfind('\n') + 1))) return first_event;
    const std::size_t before = head.size();
    head = reader.longer_head();
    if (head.size() != before) continue;
    if (measure(head)) return first_event;
    fail(ExitStatus::bad_input, reader.name(), ": has a header and no events");
  }
}

void use_rest_as_features(std::size_t begin, const Names& header, EventLayout& layout) {
  for (std::size_t c = begin; c < layout.form.num_columns; ++c) {
    const bool used = c == layout.source || c == layout.destination || c == layout.time ||
                      c == layout.label || c == layout.row;
    if (used || (c < header.size() && is_one_of(header[c], kIgnoredNames))) continue;
    layout.features.push_back(c);
  }
}

/// source,destination,time[,label,features]
void use_places(EventLayout& layout) {
  layout.by_places = true;
  if (layout.form.num_columns > 3) layout.label = 3;
  use_rest_as_features(4, {}, layout);
}

/// By a header whose names are known; false where they are not.
bool use_names(const Names& header, EventLayout& layout) {
  const auto source = find_one_of(header, kSourceNames);
  const auto destination = find_one_of(header, kDestinationNames);
  const auto time = find_one_of(header, kTimeNames);
  if (!source || !destination || !time) return false;
  layout.source = *source;
  layout.destination = *destination;
  layout.time = *time;
  layout.label = find_one_of(header, kLabelNames);
  if (layout.format->padded) {
    layout.row = find_one_of(header, kRowNames);
  } else {
    use_rest_as_features(0, header, layout);
  }
  return true;
}

/// Fails where a header names some of the columns, and not where they are without names: by their
/// places they would be taken for each other.
void check_half_named(const Names& header, const std::string& name, std::uint64_t line) {
  const std::optional<std::size_t> found[] = {find_one_of(header, kSourceNames),
                                              find_one_of(header, kDestinationNames),
                                              find_one_of(header, kTimeNames)};
  for (std::size_t role = 0; role < std::size(found); ++role) {
    if (!found[role] || *found[role] == role) continue;
    const auto missing = static_cast<std::size_t>(
        std::find(std::begin(found), std::end(found), std::nullopt) - found);
    fail(ExitStatus::bad_input, name, ":", line, ": the header names column ", *found[role] + 1,
         " as ", kColumnRows[role].name, " and none as ", kColumnRows[missing].name,
         "; --columns says what columns are");
  }
}

void use_options(const DeclaredColumns& named, const Names& header, const std::string& place,
                 EventLayout& layout) {
  if (!use_names(lower_case(header), layout)) layout.source = 0, layout.destination = 1;
  layout.label = layout.row = std::nullopt;
  layout.features.clear();
  for (const auto& column : kColumnTypes.place(named, {header, layout.form.num_columns, place})) {
    switch (column.type) {
      case EventColumn::source: layout.source = column.index; break;
      case EventColumn::destination: layout.destination = column.index; break;
      case EventColumn::time: layout.time = column.index; break;
      case EventColumn::label: layout.label = column.index; break;
      case EventColumn::feature: layout.features.push_back(column.index); break;
      case EventColumn::ignore: break;
    }
  }
}

/// JODIE's lines may have fewer columns than the header.
void check_columns(const EventLayout& layout, const std::string& name) {
  std::size_t last = std::max({layout.source, layout.destination, layout.time,
                               layout.label.value_or(0), layout.row.value_or(0)});
  for (const std::size_t column : layout.features) last = std::max(last, column);
  if (last < layout.form.num_columns) return;
  fail(ExitStatus::bad_input, name, ":", layout.form.model_line, ": found ",
       format_count(layout.form.num_columns, "column"), ", expected at least ", last + 1);
}

}  // namespace

const FormatTable<EventFormat>& event_formats() { return kTable; }

EventIds event_ids(const std::string& name) {
  if (name == "auto") return EventIds::automatic;
  if (name == "number") return EventIds::number;
  if (name == "any") return EventIds::any;
  fail(ExitStatus::usage, "--ids is '", printable(name), "', expected auto, number or any");
}

void EventLayout::leave_out_label(std::size_t num_features) {
  label = row = std::nullopt;
  if (!by_places || format->by_places || form.num_columns != 3 + num_features) return;
  features.resize(num_features);
  std::iota(features.begin(), features.end(), std::size_t{3});
}

EventLayout event_layout(PieceReader& reader, const EventLayoutOptions& options) {
  const TextShape shape = text_shape(reader, options.ids == EventIds::any);
  if (shape.empty) fail(ExitStatus::bad_input, reader.name(), ": is empty, expected events");
  EventLayout layout;
  layout.format =
      options.format == "auto" ? kTable.recognised(shape) : &kTable.by_name(options.format);
  const DeclaredColumns named = kColumnTypes.parse(options.columns);
  if (shape.first_fields.size() < 3) {
    fail(ExitStatus::bad_input, reader.name(), ":", shape.line, ": found ",
         format_count(shape.first_fields.size(), "column"),
         ", expected a source, a destination and a time");
  }
  const bool header = has_header(shape, options, named);
  layout.form = line_form(shape, header);
  const Names first_event = measure_rows(reader, shape, layout);
  const Names names = header ? shape.first_fields : Names{};
  if (layout.format->padded) layout.first_id = 1;
  if (!named.empty()) {
    use_options(named, names, reader.name() + ":" + std::to_string(shape.line), layout);
  } else if (layout.format->by_places) {
    use_places(layout);
  } else if (!use_names(lower_case(names), layout)) {
    if (layout.format->padded) {
      fail(ExitStatus::bad_input, reader.name(), ":", shape.line,
           ": is no header of ml_NAME.csv, expected ,u,i,ts,label,idx");
    }
    check_half_named(lower_case(names), reader.name(), shape.line);
    use_places(layout);
  }
  check_columns(layout, reader.name());
  layout.names = options.ids == EventIds::any;
  if (options.ids != EventIds::automatic || layout.format->padded) return layout;
  const auto is_name = [&](std::size_t c) {
    return c < first_event.size() && !is_number(first_event[c]);
  };
  if (!is_name(layout.source) && !is_name(layout.destination)) return layout;
  EventLayoutOptions of_names = options;
  of_names.ids = EventIds::any;
  return event_layout(reader, of_names);
}

}  // namespace frugal::tgn
