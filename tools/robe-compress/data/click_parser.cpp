#include "tools/robe-compress/data/click_parser.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/text.h"
#include "tools/robe-compress/data/click_batch.h"

namespace frugal::robe {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

/// What is wrong with a record; the place is put before it where it is caught.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  fail(ExitStatus::bad_input, parts...);
}

/// Digits of the usual length are read here, all else by the general function.
std::optional<float> number_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::size_t first = negative ? 1 : 0;
  if (text.size() > first && text.size() <= 9) {
    std::int32_t value = 0;
    std::size_t i = first;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
      value = value * 10 + (text[i] - '0');
    }
    if (i == text.size()) return static_cast<float>(negative ? -value : value);
  }
  return parse_finite<float>(text);
}

float number_value(const ClickColumn& column, std::string_view text) {
  if (is_missing(text)) return kMissing;
  auto value = number_of(text);
  if (!value) value = number_of(trim(text));
  if (!value) {
    if (is_missing(trim(text))) return kMissing;
    refuse("column '", printable(column.name), "' is '", printable(text, 30),
           "', expected a number or nothing");
  }
  if (column.type == ClickColumnType::number) return *value;
  return *value > 0 ? std::log1p(*value) : 0.0F;
}

/// Hour or weekday (0 = Sunday) of YYMMDDHH or YYYYMMDDHH.
unsigned time_part(const ClickColumn& column, std::string_view text) {
  const auto digits = parse_number<std::uint32_t>(text);
  const bool right_size = text.size() == 8 || text.size() == 10;
  const unsigned hour = digits.value_or(0) % 100;
  const unsigned date = digits.value_or(0) / 100 + (text.size() == 8 ? 20000000 : 0);
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(date / 10000)),
                                        std::chrono::month(date / 100 % 100),
                                        std::chrono::day(date % 100)};
  if (!digits || !right_size || hour > 23 || !day.ok()) {
    refuse("column '", printable(column.name), "' is '", printable(text, 30),
           "', expected a time like 14102100 (YYMMDDHH)");
  }
  if (column.type == ClickColumnType::hour) return hour;
  return std::chrono::weekday(std::chrono::sys_days(day)).c_encoding();
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

/// Splits "label id:1 id:1 ..." into the label and the ids.
void split_pairs(std::string_view record, bool has_label, std::vector<std::string_view>& fields) {
  fields.clear();
  while (!(record = trim(record)).empty()) {
    const std::size_t end = std::min(record.find(' '), record.size());
    std::string_view word = record.substr(0, end);
    record.remove_prefix(end);
    if (!fields.empty() || !has_label) {
      const std::size_t colon = std::min(word.find(':'), word.size());
      if (word.substr(colon) != ":1") {
        refuse("found '", printable(word, 30), "', expected id:1");
      }
      word = word.substr(0, colon);
    }
    fields.push_back(word);
  }
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
  unknown.reset();
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
  if (layout_.pairs) {
    split_pairs(rows_.row(), layout_.has_labels, pairs_);
  } else {
    rows_.split();
  }
  layout_.form.check(fields().size());
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
  if (layout_.has_labels) {
    const std::string_view text = values[schema.label.index];
    const auto label = schema.positive.label(text);
    if (!label) {
      refuse("column '", printable(schema.label.name), "' is '", printable(text, 30), "', ",
             schema.positive.expectation());
    }
    out.labels.push_back(*label);
  }
  for (const ClickColumn& column : schema.numbers) {
    out.numbers.push_back(number_value(column, values[column.index]));
  }
  for (std::size_t f = 0; f < schema.categories.size(); ++f) {
    const std::uint64_t value = value_of(f, values[schema.categories[f].index]);
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
  std::array<char, 2> digits{};
  if (column.type != ClickColumnType::category && !text.empty()) {
    const unsigned part = time_part(column, text);
    digits = {static_cast<char>('0' + part / 10), static_cast<char>('0' + part % 10)};
    text = {digits.data(), digits.size()};
  }
  switch (schema.ids) {
    case IdKind::count: return hash_bytes(text);
    case IdKind::hash: return hash_bytes(text, field + 1);
    case IdKind::number: break;
  }
  if (text.empty()) return 0;
  const bool hex = schema.hex_ids && column.type == ClickColumnType::category;
  const auto number = hex ? hex_number(text) : parse_number<std::uint64_t>(text);
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
