#pragma once
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

/// How records are divided into fields. CSV (RFC 4180): a field may be quoted; it may then contain
/// separators and line ends, and "" is one quote. TSV (IANA): no quoting, a quote is an ordinary
/// character.
struct DelimitedStyle {
  char separator = ',';
  bool quotes = true;

  static constexpr DelimitedStyle csv() { return {',', true}; }
  static constexpr DelimitedStyle tsv() { return {'\t', false}; }
  /// Every line is a record of one field.
  static constexpr DelimitedStyle lines() { return {'\n', false}; }
};

/// Finds the ends of records in a text that arrives in parts, at the speed of memchr.
class RecordScanner {
 public:
  explicit RecordScanner(DelimitedStyle style) : style_(style) {}

  /// Returns the length of the whole records in `text`, line ends included. `text` begins at a
  /// record. It is the text of the last call, extended, or any text after reset().
  std::size_t scan(std::string_view text);
  void reset() { *this = RecordScanner(style_); }
  /// True if the scanned text ends inside a quoted field, whose quote is at quote_begin().
  bool in_quotes() const { return place_ == Place::quoted; }
  std::size_t quote_begin() const { return quote_begin_; }

 private:
  enum class Place { record_start, field_start, plain, quoted, after_quote };
  std::size_t step(std::string_view text, std::size_t at);
  std::size_t start_record(std::string_view text, std::size_t at);

  DelimitedStyle style_;
  Place place_ = Place::record_start;
  std::size_t scanned_ = 0;
  std::size_t records_end_ = 0;
  std::size_t quote_begin_ = 0;
};

/// Largest number of columns. No table with named columns has more; without a limit, a line of
/// separators would make one column for each.
inline constexpr std::size_t kMostColumns = 65536;

/// Fails (bad_input) if the first record of `name` has more than kMostColumns fields.
void check_num_columns(std::size_t found, const std::string& name);

/// Splits records into fields. Owns the memory of fields with doubled quotes.
class RecordParser {
 public:
  explicit RecordParser(DelimitedStyle style) : style_(style) {}

  /// Splits the record at the start of `text` into fields, which are valid until the next call.
  /// Returns the record's length with its line end. If the record breaks the rules, problem() says
  /// what was found and expected, and the fields are read all the same. No more than kMostColumns +
  /// 1 fields are stored.
  std::size_t parse(std::string_view text, std::vector<std::string_view>& fields);
  /// Problem of the last record; "" = none.
  const std::string& problem() const { return problem_; }

 private:
  std::size_t quoted_field(std::string_view text, std::size_t at, std::string_view& field);

  DelimitedStyle style_;
  std::deque<std::string> unescaped_;
  std::size_t num_unescaped_ = 0;
  std::string problem_;
};

}  // namespace frugal
