#include "tools/tgn-train/data/event_parser.h"

#include <cmath>

#include "libcore/base/error.h"

namespace frugal::tgn {
namespace {

/// Names with doubled quotes lie in the splitter's memory, which the next line takes.
std::string_view kept_name(std::string_view field, std::string_view line) {
  if (field.empty()) {
    fail(ExitStatus::bad_input, "found an empty name of a node, expected two nodes");
  }
  if (field.data() >= line.data() && field.data() < line.data() + line.size()) return field;
  fail(ExitStatus::bad_input, "name '", printable(field),
       "' has a doubled quote, expected names without");
}

TextTime parse_text_time(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('+'));
  TextTime time;
  if (const auto whole = parse_number<std::int64_t>(digits)) {
    time.whole = *whole;
  } else {
    const auto real = parse_finite<double>(text);
    if (!real) {
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

std::uint8_t parse_label(std::string_view text) {
  const auto label = parse_number<double>(text);
  if (label && (*label == 0 || *label == 1)) return *label == 1;
  fail(ExitStatus::bad_input, "found '", printable(text, 40),
       "' as label, expected 0 or 1 (--columns says what columns are)");
}

std::uint32_t parse_row(std::string_view text) {
  const auto row = parse_number<std::uint32_t>(text);
  if (row) return *row;
  fail(ExitStatus::bad_input, "found '", printable(text, 40),
       "' as idx, expected the number of a row");
}

float parse_feature(std::string_view text, std::size_t column) {
  if (const auto value = parse_finite<float>(text)) return *value;
  fail(ExitStatus::bad_input, "found '", printable(text, 40), "' as feature in column ", column + 1,
       ", expected a finite number");
}

}  // namespace

void EventPiece::clear() {
  sources.clear();
  destinations.clear();
  whole.clear();
  real.clear();
  labels.clear();
  rows.clear();
  features.clear();
  names.clear();
  in_order = true;
}

void fail_order(const TimedLine& before, const TextTime& time, const EventTextOptions& options) {
  fail(ExitStatus::bad_input, "time ", time.text(), " is before ", before.time.text(), " of line ",
       before.line, ", expected events in the order of time", options.order_hint);
}

EventPiece EventParser::parse(const TextPiece& piece, const std::string& name) const {
  EventPiece out;
  TableRows rows(layout_.form, name);
  for_each_row(rows, piece, [&] { add(rows, out); });
  return out;
}

void EventParser::add(TableRows& rows, EventPiece& out) const {
  const auto& fields = rows.fields();
  add_nodes(rows, out);
  add_time(parse_text_time(fields[layout_.time]), rows.line(), out);
  if (layout_.label) out.labels.push_back(parse_label(fields[*layout_.label]));
  if (layout_.row) out.rows.push_back(parse_row(fields[*layout_.row]));
  for (const std::size_t c : layout_.features) {
    out.features.push_back(parse_feature(fields[c], c));
  }
}

void EventParser::add_nodes(const TableRows& rows, EventPiece& out) const {
  const std::string_view source = rows.fields()[layout_.source];
  const std::string_view destination = rows.fields()[layout_.destination];
  if (options_.names) {
    out.names.push_back(kept_name(source, rows.row()));
    out.names.push_back(kept_name(destination, rows.row()));
    return;
  }
  out.sources.push_back(parse_id(source, "source"));
  out.destinations.push_back(parse_id(destination, "destination"));
}

NodeId EventParser::parse_id(std::string_view text, const char* what) const {
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

void EventParser::add_time(const TextTime& time, std::uint64_t line, EventPiece& out) const {
  if (out.size() == 0) {
    out.first = {time, line};
  } else if (is_before(time, out.last.time)) {
    if (!options_.any_order) fail_order(out.last, time, options_);
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

bool EventLines::next(TextEvent& event, bool may_wait) {
  while (!rows_.pass()) {
    if (!reader_.next(piece_, may_wait)) return false;
    rows_.start(piece_);
  }
  rows_.located([&] { parse(); });
  if (options_.names) {
    event.source = event_.names[0];
    event.destination = event_.names[1];
  } else {
    source_ = std::to_string(std::uint64_t{event_.sources[0]} + layout_.first_id);
    destination_ = std::to_string(std::uint64_t{event_.destinations[0]} + layout_.first_id);
    event.source = source_;
    event.destination = destination_;
  }
  event.time = event_.last.time;
  event.features = event_.features;
  return true;
}

void EventLines::parse() {
  rows_.split();
  layout_.form.check(rows_.fields().size());
  event_.clear();
  parser_.add(rows_, event_);
  if (last_ && is_before(event_.last.time, last_->time)) {
    fail_order(*last_, event_.last.time, options_);
  }
  last_ = event_.last;
}

}  // namespace frugal::tgn
