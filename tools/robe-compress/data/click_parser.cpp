#include "tools/robe-compress/data/click_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/text.h"
#include "libcore/tables/field_number.h"
#include "libcore/tables/moment.h"
#include "tools/robe-compress/columns/click_batch.h"
#include "tools/robe-compress/columns/libfm_pairs.h"

namespace frugal::robe {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

/// Fails (bad_input) with the error in a record. The caller adds the place.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  fail(ExitStatus::bad_input, parts...);
}

/// Parses digits of the usual length quickly, and everything else by the general function.
std::optional<float> number_of(std::string_view text, double offset) {
  const bool negative = text.starts_with('-');
  const std::size_t first = negative ? 1 : 0;
  if (text.size() > first && text.size() <= 9) {
    std::int32_t value = 0;
    std::size_t i = first;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
      value = value * 10 + (text[i] - '0');
    }
    if (i == text.size() && offset == 0) return static_cast<float>(negative ? -value : value);
  }
  if (offset == 0) return parse_finite<float>(text);
  const auto number = parse_finite<double>(text);
  return number ? std::optional(static_cast<float>(*number - offset)) : std::nullopt;
}

float number_value(const ClickColumn& column, std::string_view text, char separator) {
  auto value = number_of(text, column.offset);
  if (!value) {
    const auto number = parse_number_between<double>(trim(text), separator);
    if (number) value = static_cast<float>(*number - column.offset);
  }
  if (!value) {
    if (is_missing_number(text)) return kMissing;
    refuse("column '", printable(column.name), "' is '", printable(text, 30),
           "', expected a number or nothing (--columns declares it a category)");
  }
  if (std::isinf(*value)) {
    refuse("column '", printable(column.name), "' is '", printable(text, 30),
           "', expected a number that a 32-bit float can hold, below 3.4e38");
  }
  if (column.type == ClickColumnType::number) return *value;
  return *value > 0 ? std::log1p(*value) : 0.0F;
}

/// Hour, or weekday (0 = Sunday), of a date or time; nothing where a day has no hour.
std::optional<int> time_part(const ClickColumn& column, std::string_view text) {
  const std::optional<Moment> moment = parse_moment(text);
  const std::optional<CalendarDate> date = moment ? calendar_date(*moment) : std::nullopt;
  if (!date) {
    refuse("column '", printable(column.name), "' is '", printable(text, 30),
           "', expected a date or time like 2014-10-21 00:00, 14102100 or 1413849600");
  }
  if (column.type == ClickColumnType::weekday) return (date->weekday + 1) % 7;
  return date->hour < 0 ? std::nullopt : std::optional(date->hour);
}

using Digits = std::array<char, 24>;

/// The part of the time in two digits; nothing where there is no time.
std::string_view time_text(const ClickColumn& column, std::string_view text, Digits& digits) {
  if (is_missing(text)) return {};
  const std::optional<int> part = time_part(column, text);
  if (!part) return {};
  digits[0] = static_cast<char>('0' + *part / 10);
  digits[1] = static_cast<char>('0' + *part % 10);
  return {digits.data(), 2};
}

/// Quickly says no for most texts: words for missing values are short, unless blanks are around.
bool may_be_missing(std::string_view text) {
  return text.size() <= 4 || text.front() <= ' ' || text.back() <= ' ';
}

/// A whole number in its shortest form; nothing for what is missing; another text as it is.
std::string_view whole_text(std::string_view text, Digits& digits) {
  const bool is_shortest = !text.empty() && text.front() >= '1' && text.front() <= '9' &&
                           text.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_shortest) return text;
  if (is_missing_number(text)) return {};
  const auto number = parse_whole(text);
  if (!number) return text;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *number).ptr;
  return {digits.data(), static_cast<std::size_t>(end - digits.data())};
}

bool is_fraction(std::string_view text, char separator) {
  return text.find_first_of(".,") != std::string_view::npos && !parse_whole(text) &&
         parse_number_between<double>(trim(text), separator);
}

/// Row number of an id, also as other programs write it: 7.0, 007, or nothing for row 0.
std::optional<std::uint64_t> row_number(std::string_view text) {
  if (is_missing_number(text)) return 0;
  const auto number = parse_whole(text);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::optional<std::uint64_t> hex_number(std::string_view text) {
  if (text.size() > 16) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<unsigned>(digit);
  }
  return value;
}

}  // namespace

void ParsedPiece::clear() {
  size = 0;
  numbers.clear();
  keys.clear();
  values.clear();
  rows.clear();
  labels.clear();
  offsets.clear();
  fractions.clear();
  unknown.reset();
  num_unknown.clear();
}

void add_unknown(const ParsedPiece& piece, UnknownCounts& counts) {
  counts.samples += piece.size;
  counts.by_field.resize(std::max(counts.by_field.size(), piece.num_unknown.size()));
  for (std::size_t f = 0; f < piece.num_unknown.size(); ++f) {
    counts.by_field[f] += piece.num_unknown[f];
  }
}

std::uint64_t count_samples(const ClickLayout& layout, const TextPiece& piece) {
  TableRows rows(layout.form, "");
  rows.start(piece);
  std::uint64_t samples = 0;
  while (rows.pass()) ++samples;
  return samples;
}

ClickParser::ClickParser(const ClickLayout& layout, const std::string& name)
    : layout_(layout), rows_(layout.form, name) {}

/// Makes fields() of the row. Fails (bad_input) without the place.
void ClickParser::split_row() {
  if (layout_.pairs) return split_pairs();
  rows_.split();
  layout_.form.check(fields().size());
}

void ClickParser::split_pairs() {
  split_words(rows_.row(), words_);
  layout_.form.check(words_.size());
  pairs_.assign(words_.size(), {});
  std::size_t i = 0;
  if (layout_.has_labels) pairs_[i] = words_[i], ++i;
  for (; i < words_.size(); ++i) {
    const ClickPair pair = split_pair(words_[i]);
    std::string_view& id = pairs_[layout_.schema.by_field ? place_of(pair, i) : i];
    if (id.data() != nullptr) refuse_field_twice(pair.field);
    id = pair.id;
  }
}

/// Place of the column of a pair that names its field. place: where it stands in the line, which is
/// usually the same.
std::size_t ClickParser::place_of(const ClickPair& pair, std::size_t place) const {
  const std::vector<ClickColumn>& columns = layout_.schema.categories;
  const std::size_t usual = place - (layout_.has_labels ? 1 : 0);
  if (!pair.has_field) refuse("found '", printable(pair.id, 30), ":1', expected field:id:1");
  if (usual < columns.size() && columns[usual].name == pair.field) return columns[usual].index;
  for (const ClickColumn& column : columns) {
    if (column.name == pair.field) return column.index;
  }
  refuse("found the field '", printable(pair.field, 30), "', expected one of the fields of the ",
         "training data's first line");
}

bool ClickParser::is_in_days() const {
  return !layout_.days || layout_.days->contains(fields()[layout_.day_column]);
}

void ClickParser::parse(const TextPiece& piece, SampleSpan wanted, ParsedPiece& out) {
  out.clear();
  rows_.start(piece);
  rows_.located([&] {
    for (std::uint64_t sample = 0; sample < wanted.end && rows_.pass(); ++sample) {
      if (sample < wanted.begin) continue;
      split_row();
      if (is_in_days()) add_sample(rows_.offset(), out);
    }
  });
}

void ClickParser::add_sample(std::size_t at, ParsedPiece& out) const {
  const ClickSchema& schema = layout_.schema;
  const auto values = fields();
  if (layout_.reads_labels) {
    const std::string_view text = values[schema.label.index];
    const auto label = schema.positive.label(text);
    if (!label) {
      refuse("column '", printable(schema.label.name), "' is '", printable(text, 30), "', ",
             schema.positive.expectation());
    }
    out.labels.push_back(*label);
  }
  for (const ClickColumn& column : schema.numbers) {
    const std::string_view text = values[column.index];
    out.numbers.push_back(number_value(column, text, layout_.form.style.separator));
    layout_.decimal_marks.check(column.index, text);
  }
  for (std::size_t f = 0; f < schema.categories.size(); ++f) {
    const ClickColumn& column = schema.categories[f];
    const std::string_view text = values[column.index];
    if (column.is_whole && column.look && is_fraction(text, layout_.form.style.separator)) {
      out.fractions.resize(schema.categories.size());
      out.fractions[f] = true;
    }
    const std::uint64_t value = value_of(f, text);
    out.keys.push_back(key_of_value(f, value));
    if (layout_.keeps_values) out.values.push_back(value);
  }
  out.offsets.push_back(static_cast<std::uint32_t>(at));
  ++out.size;
}

std::uint64_t ClickParser::key_of(std::size_t field, std::string_view text) const {
  return key_of_value(field, value_of(field, text));
}

/// A hash of the category, or the number that it is.
std::uint64_t ClickParser::value_of(std::size_t field, std::string_view text) const {
  const ClickSchema& schema = layout_.schema;
  const ClickColumn& column = schema.categories[field];
  std::array<char, 24> digits{};
  if (column.is_whole) {
    text = whole_text(text, digits);
  } else if (column.joins_missing) {
    if (may_be_missing(text) && is_missing(text)) text = {};
  } else if (column.type != ClickColumnType::category) {
    text = time_text(column, text, digits);
  }
  if (column.joins_booleans) text = plain_boolean(text);
  switch (schema.ids) {
    case IdKind::count: return hash_bytes(text);
    case IdKind::hash: return hash_bytes(text, field + 1);
    case IdKind::number: break;
  }
  if (text.empty()) return 0;
  const bool hex = schema.hex_ids && column.type == ClickColumnType::category;
  auto number = hex ? hex_number(text) : parse_number<std::uint64_t>(text);
  if (!number && !hex) number = row_number(text);
  if (number) return *number;
  refuse("column '", printable(column.name), "' is '", printable(text, 30),
         hex ? "', expected a row in at most 16 hexadecimal digits (--ids number)"
             : "', expected a row below 2^64 (--ids number)");
}

std::uint64_t ClickParser::key_of_value(std::size_t field, std::uint64_t value) const {
  const ClickSchema& schema = layout_.schema;
  if (schema.ids == IdKind::count) return value;
  if (schema.ids == IdKind::hash) return hash_to_range(value, schema.rows[field]);
  const std::uint64_t row = schema.max_rows != 0 ? value % schema.max_rows : value;
  if (row < kMostTableRows) return row;
  refuse("column '", printable(schema.categories[field].name), "' is row ", row,
         ", expected one below ", kMostTableRows, " (--max-rows folds them)");
}

std::string ClickParser::describe(const TextPiece& text, const ParsedPiece& piece,
                                  ParsedPiece::Place place) {
  rows_.start_at(text, piece.offsets[place.sample]);
  rows_.pass();
  split_row();
  const ClickColumn& column = layout_.schema.categories[place.field];
  return rows_.place() + ": column '" + printable(column.name) + "' is '" +
         printable(fields()[column.index], 40) + "'";
}

}  // namespace frugal::robe
