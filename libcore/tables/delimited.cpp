#include "libcore/tables/delimited.h"

#include <algorithm>
#include <cassert>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

}  // namespace

/// Most records have no quote at all: two memchr then find their end.
std::size_t RecordScanner::start_record(std::string_view text, std::size_t at) {
  const std::size_t newline = text.find('\n', at);
  if (!style_.quotes && newline == kNone) return text.size();
  if (newline == kNone || (style_.quotes && text.substr(at, newline - at).find('"') != kNone)) {
    place_ = Place::field_start;
    return at;
  }
  records_end_ = newline + 1;
  return records_end_;
}

std::size_t RecordScanner::step(std::string_view text, std::size_t at) {
  switch (place_) {
    case Place::record_start: return start_record(text, at);
    case Place::field_start:
      place_ = text[at] == '"' ? Place::quoted : Place::plain;
      quote_begin_ = at;
      return place_ == Place::quoted ? at + 1 : at;
    case Place::quoted:
      at = text.find('"', at);
      if (at == kNone) return text.size();
      place_ = Place::after_quote;
      return at + 1;
    case Place::after_quote:
      place_ = text[at] == '"' ? Place::quoted : Place::plain;
      return place_ == Place::quoted ? at + 1 : at;
    case Place::plain: break;
  }
  while (at < text.size() && text[at] != style_.separator && text[at] != '\n') ++at;
  if (at == text.size()) return at;
  place_ = Place::field_start;
  if (text[at] == '\n') {
    place_ = Place::record_start;
    records_end_ = at + 1;
  }
  return at + 1;
}

std::size_t RecordScanner::scan(std::string_view text) {
  assert(text.size() >= scanned_);
  while (scanned_ < text.size()) scanned_ = step(text, scanned_);
  return records_end_;
}

/// Reads the field whose opening quote stands at `at`; returns where its text ends, at a separator,
/// a line end or the end of the text.
std::size_t RecordParser::quoted_field(std::string_view text, std::size_t at,
                                       std::string_view& field) {
  const std::size_t begin = at + 1;
  std::string* copy = nullptr;
  std::size_t copied = begin;
  std::size_t quote = text.find('"', begin);
  while (quote != kNone && quote + 1 < text.size() && text[quote + 1] == '"') {
    if (copy == nullptr) {
      if (num_unescaped_ == unescaped_.size()) unescaped_.emplace_back();
      copy = &unescaped_[num_unescaped_++];
      copy->clear();
    }
    copy->append(text, copied, quote + 1 - copied);
    copied = quote + 2;
    quote = text.find('"', copied);
  }
  if (quote == kNone) {
    problem_ = "a quote is opened here and never closed";
    quote = text.size();
  }
  if (copy != nullptr) copy->append(text, copied, quote - copied);
  field = copy != nullptr ? std::string_view(*copy) : text.substr(begin, quote - begin);
  return std::min(quote + 1, text.size());
}

std::size_t RecordParser::parse(std::string_view text, std::vector<std::string_view>& fields) {
  fields.clear();
  problem_.clear();
  num_unescaped_ = 0;
  std::size_t line_end = 0;  // of the line that `at` is in
  for (std::size_t at = 0;; ++at) {
    std::string_view field;
    const bool quoted = style_.quotes && at < text.size() && text[at] == '"';
    if (quoted) at = quoted_field(text, at, field);
    if (line_end <= at) line_end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(0, line_end);
    const std::size_t end = std::min(line.find(style_.separator, at), line_end);
    std::string_view rest = text.substr(at, end - at);
    if (end == line_end && rest.ends_with('\r')) rest.remove_suffix(1);
    if (!quoted) field = rest;
    if (quoted && !rest.empty() && problem_.empty()) {
      problem_ =
          "column " + std::to_string(fields.size() + 1) +
          " goes on behind its closing quote with '" + printable(rest, 20) +
          "', expected a separator or the end of the line (a quote inside a field is doubled)";
    }
    fields.push_back(field);
    if (fields.size() > kMostColumns) {
      problem_ = "there are more than " + std::to_string(kMostColumns) + " columns";
      return std::min(line_end + 1, text.size());
    }
    if (end == line_end) return std::min(line_end + 1, text.size());
    at = end;
  }
}

void check_num_columns(std::size_t found, const std::string& name) {
  if (found <= kMostColumns) return;
  fail(ExitStatus::bad_input, name, ":1: found more than ", kMostColumns,
       " columns, expected a table of fewer");
}

}  // namespace frugal
