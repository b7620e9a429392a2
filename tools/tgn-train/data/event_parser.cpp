#include "tools/tgn-train/data/event_parser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/tables/field_number.h"
#include "libcore/tables/moment.h"

namespace frugal::tgn {
namespace {

/// Texts with doubled quotes lie in the splitter's memory, which the next line takes: these are
/// copied.
std::string_view kept_text(std::string_view field, std::string_view line, EventPiece& out) {
  if (field.data() >= line.data() && field.data() < line.data() + line.size()) return field;
  return out.copies.emplace_back(field);
}

std::string_view kept_name(std::string_view field, std::string_view line, EventPiece& out) {
  if (is_missing(field)) {
    fail(ExitStatus::bad_input, "found '", printable(field), "' as a node, expected two nodes");
  }
  return kept_text(field, line, out);
}

/// 1700000000.0 as 1700000000: programs write whole numbers so where a column has gaps.
std::string_view without_zeros(std::string_view number, char separator) {
  const std::size_t point = number.find_first_of(separator == ';' ? ".," : ".");
  const bool whole = point != 0 && point != number.npos && point + 1 != number.size() &&
                     number.find_first_not_of('0', point + 1) == number.npos;
  return whole ? number.substr(0, point) : number;
}

TextTime parse_text_time(std::string_view text, char separator) {
  const std::string_view digits = without_zeros(without_plus(text), separator);
  TextTime time;
  if (const auto whole = parse_number<std::int64_t>(digits)) {
    time.whole = *whole;
  } else {
    const auto real = parse_number_between<double>(text, separator);
    if (!real) {
      fail(ExitStatus::bad_input, "found '", printable(text, 40), "' as time, expected a number",
           parse_calendar_moment(text) ? " as the first events have" : " or a date as 2024-02-29");
    }
    time.real = *real;
    time.is_whole = *real == std::floor(*real) && std::abs(*real) < 0x1p53;
    if (time.is_whole) time.whole = static_cast<std::int64_t>(*real);
  }
  if (std::abs(time.value()) <= kLatestTime) return time;
  fail(ExitStatus::bad_input, "time ", printable(text, 40), ", expected -2^63 to 2^63");
}

std::uint8_t parse_label(std::string_view text, std::size_t column, char separator) {
  const auto label = parse_number_between<double>(text, separator);
  if (label && (*label == 0 || *label == 1)) return *label == 1;
  if (label && *label == -1) return kMinusOne;
  if (text == "true" || text == "True") return 1;  // JSON, pandas
  if (text == "false" || text == "False") return 0;
  fail(ExitStatus::bad_input, "found '", printable(text, 40),
       "' as label, expected 0 and 1 or -1 and 1; --label-type class or number takes others, and "
       "--columns ",
       column + 1, ":feature, or ", column + 1, ":ignore, takes it otherwise");
}

float parse_target(std::string_view text, std::size_t column, char separator) {
  if (is_missing_number(text)) return std::numeric_limits<float>::quiet_NaN();
  if (const auto value = parse_number_between<float>(text, separator)) return *value;
  fail(ExitStatus::bad_input, "found '", printable(text, 40), "' as label in column ", column + 1,
       ", expected a finite number, or nothing; --label-type class takes names");
}

std::uint32_t parse_row(std::string_view text) {
  const auto row = parse_number<std::uint32_t>(text);
  if (row) return *row;
  fail(ExitStatus::bad_input, "found '", printable(text, 40),
       "' as idx, expected the number of a row");
}

float parse_feature(std::string_view text, std::size_t column, char separator, EventPiece& out) {
  if (is_missing_number(text)) {
    ++out.missing;
    return 0;
  }
  if (const auto value = parse_number_between<float>(text, separator)) return *value;
  fail(ExitStatus::bad_input, "found '", printable(text, 40), "' as feature in column ", column + 1,
       ", expected a finite number");
}

}  // namespace

TextTime parse_date_time(std::string_view text) {
  // "2024023013" would be a Unix time of 2034, and "202402301300" one of 1976.
  const bool is_no_date = (text.size() == 10 || text.size() == 12) && has_digits_of_date(text) &&
                          text >= "197" && text < "22" && !parse_digit_date(text);
  const auto moment = is_no_date ? std::nullopt : parse_moment(text);
  if (!moment) {
    fail(ExitStatus::bad_input, "found '", printable(text, 40),
         "' as time, expected a date such as 2024-02-29, 2024-02-29 13:05:59 or "
         "2024-02-29T13:05:59Z");
  }
  constexpr double kNanosecond = 1e-9;
  TextTime time;
  time.is_date = true;
  time.is_whole = moment->nanoseconds == 0;
  time.whole = moment->seconds;
  time.real = static_cast<double>(moment->seconds) + moment->nanoseconds * kNanosecond;
  time.is_rounded = moment->nanoseconds % 1000 != 0;  // doubles near 2e9 are 0.24 us apart
  return time;
}

std::string TextTime::text() const {
  if (!is_date) return is_whole ? std::to_string(whole) : format_number(real);
  Moment moment;
  moment.seconds = is_whole ? whole : static_cast<std::int64_t>(std::floor(real));
  const auto date = calendar_date(moment);
  if (!date) return format_number(value());
  constexpr int kMicroseconds = 1000000;
  const int second = static_cast<int>((moment.seconds % 60 + 60) % 60);
  const int minute = static_cast<int>((moment.seconds / 60 % 60 + 60) % 60);
  const double fraction = is_whole ? 0 : real - std::floor(real);
  const int microseconds =
      std::min(static_cast<int>(std::lround(fraction * kMicroseconds)), kMicroseconds - 1);
  std::array<char, 40> text{};
  const int size = std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d",
                                 date->year, date->month, date->day, date->hour, minute, second);
  std::string out(text.data(), static_cast<std::size_t>(size));
  if (microseconds != 0) {
    const std::string digits = std::to_string(kMicroseconds + microseconds);
    out += '.' + digits.substr(1);
  }
  return out + 'Z';
}

void EventPiece::clear() {
  sources.clear();
  destinations.clear();
  whole.clear();
  real.clear();
  labels.clear();
  targets.clear();
  classes.clear();
  types.clear();
  type_numbers.clear();
  rows.clear();
  features.clear();
  names.clear();
  copies.clear();
  missing = rounded_times = no_classes = 0;
  in_order = true;
}

void fail_order(const TimedLine& before, const TextTime& time, const EventTextOptions& options) {
  fail(ExitStatus::bad_input, "time ", time.text(), " is before ", before.time.text(), " of line ",
       before.line, ", expected events in the order of time", options.order_hint);
}

EventPiece EventParser::parse(const TextPiece& piece, const std::string& name) const {
  EventPiece out;
  out.losses.resize(layout_.features.size() + 1);
  TableRows rows(layout_.form, name);
  out.comments = SkippedComments(layout_.form);
  out.comments.start(piece);
  for_each_row(rows, piece, [&] {
    out.comments.pass(rows);
    add(rows, out);
  });
  out.comments.finish();
  return out;
}

void EventParser::add(TableRows& rows, EventPiece& out) const {
  const auto& fields = rows.fields();
  add_nodes(rows, out);
  const std::string_view time = fields[layout_.time];
  const char separator = layout_.form.style.separator;
  add_time(
      layout_.times == TimeForm::date ? parse_date_time(time) : parse_text_time(time, separator),
      rows.line(), out);
  if (layout_.times == TimeForm::number) layout_.decimal_marks.check(layout_.time, time);
  if (layout_.label) add_label(rows, out);
  if (layout_.type) add_type(rows, out);
  if (layout_.row) out.rows.push_back(parse_row(fields[*layout_.row]));
  for (std::size_t f = 0; f < layout_.features.size(); ++f) {
    const std::size_t c = layout_.features[f];
    out.features.push_back(parse_feature(fields[c], c, separator, out));
    layout_.decimal_marks.check(c, fields[c]);
    const bool measured = !out.losses.empty() && !is_missing_number(fields[c]);
    if (measured) add_field(fields[c], separator, out.features.back(), out.losses[f]);
  }
}

void EventParser::add_nodes(const TableRows& rows, EventPiece& out) const {
  const std::string_view source = rows.fields()[layout_.source];
  const std::string_view destination = rows.fields()[layout_.destination];
  if (options_.names) {
    out.names.push_back(kept_name(source, rows.row(), out));
    out.names.push_back(kept_name(destination, rows.row(), out));
    return;
  }
  out.sources.push_back(parse_id(source, "source"));
  out.destinations.push_back(parse_id(destination, "destination"));
}

void EventParser::add_label(const TableRows& rows, EventPiece& out) const {
  const std::size_t column = *layout_.label;
  const std::string_view text = rows.fields()[column];
  const char separator = layout_.form.style.separator;
  if (layout_.labels == LabelType::binary) {
    return out.labels.push_back(parse_label(text, column, separator));
  }
  if (layout_.labels == LabelType::numbers) {
    out.targets.push_back(parse_target(text, column, separator));
    layout_.decimal_marks.check(column, text);
    if (!out.losses.empty()) add_field(text, separator, out.targets.back(), out.losses.back());
    return;
  }
  const bool missing = is_missing(text);
  if (missing && !trim(text).empty()) ++out.no_classes;
  out.classes.push_back(missing ? "" : kept_text(text, rows.row(), out));
}

void EventParser::add_type(const TableRows& rows, EventPiece& out) const {
  const std::string_view text = trim(rows.fields()[*layout_.type]);
  if (is_missing(text)) {
    fail(ExitStatus::bad_input, "found '", printable(text, 40), "' as edge type in column ",
         *layout_.type + 1, ", expected a name or a number");
  }
  if (!is_utf8(text)) {
    fail(ExitStatus::bad_input, "found '", printable(text, 40), "' as edge type in column ",
         *layout_.type + 1, ", expected UTF-8; convert the file, say with iconv -t UTF-8");
  }
  out.types.push_back(kept_text(text, rows.row(), out));
}

NodeId EventParser::parse_id(std::string_view text, const char* what) const {
  const auto number = parse_whole(text);
  if (!number || *number < 0) {
    fail(ExitStatus::bad_input, "found '", printable(text, 40), "' as ", what,
         ", expected a number from ", layout_.first_id, " on (--ids any takes all names)");
  }
  const auto id = static_cast<std::uint64_t>(*number);
  if (id < layout_.first_id || id - layout_.first_id >= options_.num_nodes) {
    fail(ExitStatus::bad_input, what, " ", id, ", expected ids from ", layout_.first_id, " to ",
         options_.num_nodes - 1 + layout_.first_id,
         options_.num_nodes == kMostNodes ? " (--ids any takes others)" : " (--nodes)");
  }
  return static_cast<NodeId>(id - layout_.first_id);
}

void EventParser::add_time(const TextTime& time, std::uint64_t line, EventPiece& out) const {
  if (out.size() == 0) {
    out.first = {time, line};
  } else if (is_before(time, out.last.time)) {
    if (!options_.any_order) fail_order(out.last, time, options_);
    out.in_order = false;
  }
  out.last = {time, line};
  if (time.is_rounded) ++out.rounded_times;
  if (time.is_whole && out.real.empty()) return out.whole.push_back(time.whole);
  if (out.real.empty()) {
    out.real.assign(out.whole.begin(), out.whole.end());
    out.whole.clear();
  }
  out.real.push_back(time.value());
}

bool EventLines::next(TextEvent& event, bool may_wait) {
  do {
    while (!rows_.pass()) {
      comments_.finish();
      if (!reader_.next(piece_, may_wait)) return false;
      rows_.start(piece_);
      comments_.start(piece_);
    }
    comments_.pass(rows_);
  } while (!take([&] { parse(); }));
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
  event.time_text = rows_.fields()[layout_.time];
  event.features = event_.features;
  event.target = std::numeric_limits<float>::quiet_NaN();
  if (!event_.labels.empty()) event.target = event_.labels[0] == 1 ? 1.0F : 0.0F;
  if (!event_.targets.empty()) event.target = event_.targets[0];
  event.class_name = event_.classes.empty() ? "" : event_.classes[0];
  event.type = event_.types.empty() ? "" : event_.types[0];
  return true;
}

void EventLines::parse() {
  rows_.split();
  rows_.check_width();
  event_.clear();
  parser_.add(rows_, event_);
  if (last_ && is_before(event_.last.time, last_->time)) {
    fail_order(*last_, event_.last.time, options_);
  }
  last_ = event_.last;
}

}  // namespace frugal::tgn
