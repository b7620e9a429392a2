#include "tools/tgn-train/data/event_layout.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/column_roles.h"
#include "libcore/tables/field_number.h"
#include "libcore/tables/header_guess.h"
#include "libcore/tables/json_head.h"
#include "libcore/tables/json_rows.h"
#include "libcore/tables/skipped_comments.h"
#include "libcore/tables/table_columns.h"
#include "libcore/tables/table_head.h"
#include "libcore/tables/text_kind.h"
#include "tools/tgn-train/data/event_file.h"

namespace frugal::tgn {
namespace {

using Names = std::vector<std::string>;

/// Meaning of a column of events.
enum class EventColumn { source, destination, time, label, edge_type, feature, ignore };
constexpr std::array<ColumnTypeRow, 7> kColumnRows{
    {{.name = "source", .once = true, .shared = true},
     {.name = "destination", .once = true, .shared = true},
     {.name = "time", .once = true, .shared = true},
     {.name = "label", .once = true, .shared = true},
     {.name = "edge_type", .once = true, .shared = true},
     {.name = "feature", .shared = true},
     {.name = "ignore"}}};
constexpr ColumnTypes<EventColumn> kColumnTypes{kColumnRows};
using DeclaredColumns = std::vector<ColumnTypes<EventColumn>::Column>;
constexpr EventColumn kNeeded[] = {EventColumn::source, EventColumn::destination,
                                   EventColumn::time};

bool is_number(std::string_view text) { return parse_number<double>(text).has_value(); }

bool is_json(PieceReader& reader, const EventLayoutOptions& options) {
  if (options.format != "auto") return options.format == kJsonFormat;
  return text_kind(reader.head()) == TextKind::json_lines;
}

TableHead read_head(PieceReader& reader, const EventLayoutOptions& options) {
  if (is_json(reader, options)) {
    check_json_options(options.header, options.separator, reader.name());
    return json_head(reader);
  }
  const bool any = options.ids == EventIds::any;
  if (options.separator == "auto") return line_head(reader, any);
  return line_head(reader, any, given_separator(options.separator));
}

/// Columns that --columns names by words are those of a header.
HeaderGuess guess_header(const TableHead& head, const DeclaredColumns& named, bool json) {
  if (json) return {.is_header = true, .is_sure = true};
  for (const auto& column : named) {
    const auto& fields = head.first();
    const bool is_name = std::find(fields.begin(), fields.end(), column.name) != fields.end();
    if (is_name && !is_number(column.name)) return {.is_header = true, .is_sure = true};
  }
  return frugal::guess_header(head.rows);
}

/// Names in a comment above the rows, if they are those of columns.
bool are_names(const Names& comment) {
  return find_role(ColumnRole::time, comment).has_value() && comment.size() >= 3;
}

/// Reads on until there is an event, so that its columns can be looked at. JODIE's header has one
/// name for all features: lines have as many columns as the first event.
void read_rows(PieceReader& reader, const EventLayoutOptions& options, EventLayout& layout,
               TableHead& head) {
  const std::size_t wanted = layout.form.header_line == 0 ? 1 : 2;
  for (std::size_t size = reader.head().size(); head.rows.size() < wanted;) {
    const std::size_t longer = reader.longer_head().size();
    head = read_head(reader, options);
    if (longer == size && head.rows.size() < wanted) {
      fail(ExitStatus::bad_input, reader.name(), ": has a header and no events");
    }
    size = longer;
  }
  const bool is_split = wanted == 2 && !head.rows[1].empty();
  if (!layout.format->by_places || !is_split) return;
  layout.form.model_line = head.line + 1;
  layout.form.num_columns = head.rows[1].size();
}

/// The columns that no other use is known of, if they have numbers.
void use_rest_as_features(const EventRows& table, EventLayout& layout) {
  Names left_out, labels;
  for (std::size_t c = 0; c < layout.form.num_columns; ++c) {
    const bool used = c == layout.source || c == layout.destination || c == layout.time ||
                      c == layout.label || c == layout.type || c == layout.row;
    if (used || (c < table.header.size() && is_row_number(table.header[c]))) continue;
    if (layout.label && c < table.header.size() && is_label_name(table.header[c])) {
      labels.push_back(table.header[c]);
      continue;
    }
    const bool is_numeric = c >= table.profiles.size() || table.profiles[c].is_numeric();
    if (is_numeric || table.header.empty()) {
      layout.features.push_back(c);
    } else {
      left_out.push_back(table.header[c]);
    }
  }
  if (!labels.empty()) {
    layout.notes.push_back(table.header[*layout.label] + " is taken as label; left out because " +
                           "they may tell it: " + joined(labels) + " (--columns)");
  }
  if (left_out.empty() || layout.features_follow) return;
  layout.notes.push_back("no numbers are in " + joined(left_out) + ": left out (--columns)");
}

void use(const EventPlaces& places, EventLayout& layout) {
  layout.source = places.source;
  layout.destination = places.destination;
  layout.time = places.time;
}

/// Places of source, destination and time as a header or the contents tell them.
EventPlaces find_places(const EventRows& table, const EventLayoutOptions& options, bool named,
                        bool by_places) {
  if (named) {
    const auto known = places_of_names(table.header, options.roles);
    const EventPlaces places = known ? *known : places_of_header(table);
    if (places.assumed && !options.roles.empty()) {
      fail(ExitStatus::bad_input, table.place, ": not all of ", joined(options.roles),
           ", the model's source, destination and time, are among ", joined(table.header));
    }
    return places;
  }
  return by_places || options.times == TimeForm::number ? EventPlaces() : places_of_rows(table);
}

/// source,destination,time[,label,features] as a header or the contents tell them apart.
void use_columns(const EventRows& table, const EventLayoutOptions& options, EventLayout& layout) {
  const bool named = !table.header.empty() && !layout.format->by_places;
  if (layout.format->padded && !is_tgn_header(table.header)) {
    fail(ExitStatus::bad_input, table.place,
         ": is no header of ml_NAME.csv, expected ,u,i,ts,label,idx");
  }
  const EventPlaces places = find_places(table, options, named, layout.format->by_places);
  use(places, layout);
  const Names lower = lower_case(table.header);
  layout.own_ids =
      layout.own_ids || (named && names_two_kinds(lower[places.source], lower[places.destination]));
  if (places.assumed) {
    layout.notes.push_back(assumption_note(places, table.header, layout.own_ids));
  }
  if (named) {
    layout.label = find_one_of(lower, kLabelNames);
    if (options.types != TypeColumn::none && !layout.format->padded) {
      layout.type = find_edge_types(table.header, options.type_column);
    }
    if (layout.format->padded) {
      layout.row = find_one_of(lower, kRowNames);
      return;
    }
  } else {
    layout.by_places = true;
    const bool typed = options.types == TypeColumn::needed && !layout.format->by_places;
    if (typed && layout.form.num_columns > 3) layout.type = 3;
    const std::size_t label = layout.type ? 4 : 3;
    if (layout.form.num_columns > label && !places.assumed) layout.label = label;
  }
  use_rest_as_features(table, layout);
}

/// Where a header has what --columns does not name.
void use_header(const DeclaredColumns& placed, EventRows table, EventLayout& layout) {
  if (table.header.empty()) return;
  for (const auto& column : placed) {
    const bool is_needed =
        std::find(std::begin(kNeeded), std::end(kNeeded), column.type) != std::end(kNeeded);
    table.header[column.index] = is_needed ? kColumnTypes.name(column.type) : kRowNames[0];
  }
  use(places_of_header(table), layout);
}

void use_options(const DeclaredColumns& named, const EventRows& table, EventLayout& layout) {
  const DeclaredColumns placed =
      kColumnTypes.place(named, {table.header, layout.form.num_columns, table.place});
  const bool has_all = std::all_of(std::begin(kNeeded), std::end(kNeeded), [&](EventColumn type) {
    return std::any_of(named.begin(), named.end(),
                       [&](const auto& column) { return column.type == type; });
  });
  if (!has_all) use_header(placed, table, layout);
  for (const auto& column : placed) {
    switch (column.type) {
      case EventColumn::source: layout.source = column.index; break;
      case EventColumn::destination: layout.destination = column.index; break;
      case EventColumn::time: layout.time = column.index; break;
      case EventColumn::label:
        layout.label = column.index;
        layout.names_label = true;
        break;
      case EventColumn::edge_type: layout.type = column.index; break;
      case EventColumn::feature: layout.features.push_back(column.index); break;
      case EventColumn::ignore: break;
    }
  }
}

/// JODIE's lines may have fewer columns than the header.
void check_columns(const EventLayout& layout, const std::string& name) {
  std::size_t last =
      std::max({layout.source, layout.destination, layout.time, layout.label.value_or(0),
                layout.type.value_or(0), layout.row.value_or(0)});
  for (const std::size_t column : layout.features) last = std::max(last, column);
  if (last < layout.form.num_columns) return;
  fail(ExitStatus::bad_input, name, ":", layout.form.model_line, ": found ",
       format_count(layout.form.num_columns, "column"), ", expected at least ", last + 1);
}

}  // namespace

EventIds event_ids(const std::string& name) {
  if (name == "auto") return EventIds::automatic;
  if (name == "number") return EventIds::number;
  if (name == "any") return EventIds::any;
  fail(ExitStatus::usage, "--ids is '", printable(name), "', expected auto, number or any");
}

namespace {

HeaderNames names_of(const Names& header, std::span<const std::size_t> columns) {
  HeaderNames names;
  for (const std::size_t c : columns) {
    if (c >= header.size() || header[c].empty()) return {};
    names.push_back(header[c]);
  }
  return names;
}

}  // namespace

HeaderNames EventLayout::feature_names() const { return names_of(header, features); }
HeaderNames EventLayout::role_names() const {
  return names_of(header, std::array{source, destination, time});
}

void EventLayout::take_features(const HeaderNames& names, const std::string& input) {
  if (names.empty() || header.empty()) return;
  features.clear();
  HeaderNames lacking;
  for (const std::string& name : names) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found != header.end()) {
      features.push_back(static_cast<std::size_t>(found - header.begin()));
    } else if (format->json) {
      features.push_back(header.size() + lacking.size());
      lacking.push_back(name);
    } else {
      fail(ExitStatus::bad_input, input, ": no column '", printable(name),
           "', a feature that the model takes, among ", joined(header));
    }
  }
  warn_of_missing_columns(input, lacking, header);
  header.insert(header.end(), lacking.begin(), lacking.end());
  read_used_columns();
}

void EventLayout::read_used_columns() {
  if (!format->json) return;
  std::vector<std::size_t> used = features;
  used.insert(used.end(), {source, destination, time});
  if (label) used.push_back(*label);
  if (type) used.push_back(*type);
  auto columns = std::make_shared<JsonColumns>(header);
  columns->read_only(used);
  const std::uint64_t line = form.model_line;
  form = json_form(std::move(columns));
  form.model_line = line;
}

void EventLayout::leave_out_label(std::size_t num_features, bool keeps) {
  const std::size_t first = type ? 4 : 3;
  const bool only_features =
      by_places && !format->by_places && form.num_columns == first + num_features;
  row = std::nullopt;
  if (!keeps || only_features) label = std::nullopt;
  read_used_columns();
  if (!only_features) return;
  features.resize(num_features);
  std::iota(features.begin(), features.end(), first);
}

namespace {

/// Fails (bad_input) where the text is no table, or none of events.
void check_head(const TableHead& head, bool json, PieceReader& reader) {
  if (const TextKind kind = text_kind(reader.head()); kind != TextKind::table && !json) {
    fail(ExitStatus::bad_input, reader.name(), ": is ", description(kind).name,
         ", expected a line for each event: ", description(kind).way_in);
  }
  if (head.empty()) fail_without_rows(reader, "events");
  if (head.first().size() >= 3) return;
  fail(ExitStatus::bad_input, reader.name(), ":", head.line, ": found ",
       format_count(head.first().size(), "column"),
       ", expected a source, a destination and a time");
}

/// Whether an event need be seen before the columns and what they have are known.
bool needs_rows(const EventLayoutOptions& options, const EventLayout& layout,
                const EventRows& table) {
  if (options.ids == EventIds::automatic || options.times == TimeForm::automatic) return true;
  if (layout.format->by_places || table.header.empty()) return true;
  if (places_of_names(table.header, options.roles)) return false;
  return !find_role(ColumnRole::source, table.header) ||
         !find_role(ColumnRole::destination, table.header) ||
         !find_role(ColumnRole::time, table.header);
}

void set_times(const EventLayoutOptions& options, const EventRows& table, EventLayout& layout) {
  layout.times = options.times;
  if (options.times != TimeForm::automatic) return;
  layout.times = time_form(table, layout.time);
  const std::string note = digit_date_note(table, layout.time);
  if (!note.empty()) layout.notes.push_back(note);
}

}  // namespace

EventLayout event_layout(PieceReader& reader, const EventLayoutOptions& options) {
  const TableHead written = read_head(reader, options);
  TableHead head = with_decimal_points(written);
  const bool json = is_json(reader, options);
  check_head(head, json, reader);
  const TextShape shape = head_shape(head);
  EventLayout layout;
  layout.format = json                       ? &event_formats().by_name(kJsonFormat)
                  : options.format == "auto" ? event_formats().recognised(shape)
                                             : &event_formats().by_name(options.format);
  const bool is_bipartite = !json && reader.head().starts_with("% bip ");  // KONECT
  layout.own_ids = layout.format->own_ids || is_bipartite;
  if (is_bipartite) {
    layout.notes.emplace_back(
        "'% bip' says that sources and destinations are of two kinds: equal "
        "ids are two nodes (--bipartite no: one)");
  }
  layout.features_follow = options.features_follow;
  layout.labels = options.labels;
  const DeclaredColumns named = kColumnTypes.parse(options.columns);
  const HeaderGuess guess = guess_header(head, named, json);
  const bool header = has_header(options.header, guess);
  layout.form =
      json ? json_form(std::make_shared<JsonColumns>(head.first())) : line_form(shape, header);
  layout.form.model_line = head.line;
  EventRows table;
  table.place = reader.name() + ":" + std::to_string(head.line);
  if (header) table.header = head.first();
  if (needs_rows(options, layout, table)) read_rows(reader, options, layout, head);
  table.rows = std::span<const TableRow>(head.rows).subspan(header ? 1 : 0);
  table.profiles = profile_columns(table.rows);
  if (!header && options.header != "no" && are_names(head.comment_names)) {
    table.header = head.comment_names;
  }
  if (layout.format->padded) layout.first_id = 1;
  named.empty() ? use_columns(table, options, layout) : use_options(named, table, layout);
  check_columns(layout, reader.name());
  set_times(options, table, layout);
  if (!layout.format->by_places) layout.header = table.header;
  layout.decimal_marks = DecimalMarks(written.separator, written.rows, layout.header);
  layout.names = options.ids == EventIds::any;
  layout.whole_sources = layout.names && begins_with_whole_id(table, layout.source);
  layout.whole_destinations = layout.names && begins_with_whole_id(table, layout.destination);
  const bool may_be_names = options.ids == EventIds::automatic && !layout.format->padded;
  if (may_be_names && have_names(table, layout.places())) {
    EventLayoutOptions of_names = options;
    of_names.ids = EventIds::any;
    return event_layout(reader, of_names);
  }
  layout.read_used_columns();
  say_header_assumption(options.header, guess, reader.name(), head.first());
  for (const std::string& note : layout.notes) log_info(table.place, ": ", note);
  return layout;
}

}  // namespace frugal::tgn
