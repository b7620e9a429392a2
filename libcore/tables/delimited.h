#pragma once
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

/// How records fall into fields. CSV (RFC 4180): a field may stand in quotes; then separators and
/// line ends belong to it and "" is one quote. TSV (IANA): no quoting, a quote is a character like
/// others.
struct DelimitedStyle {
  char separator = ',';
  bool quotes = true;

  static constexpr DelimitedStyle csv() { return {',', true}; }
  static constexpr DelimitedStyle tsv() { return {'\t', false}; }
  /// Every line is a record of one field.
  static constexpr DelimitedStyle lines() { return {'\n', false}; }
};

/// Finds where records end in a text that arrives in parts, at memchr speed.
class RecordScanner {
 public:
  explicit RecordScanner(DelimitedStyle style) : style_(style) {}

  /// `text` begins at a record; it is the text of the last call with more behind it, or any text
  /// after reset(). Returns the length of the whole records in it, line ends included.
  std::size_t scan(std::string_view text);
  void reset() { *this = RecordScanner(style_); }
  /// True if the text seen so far ends inside a quoted field, whose quote stands at quote_begin().
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

/// Columns of a table, at most: no table that people name the columns of has more, and of a line of
/// separators each would be one.
inline constexpr std::size_t kMostColumns = 65536;

/// Fails (bad_input) where the first record of `name` has more.
void check_num_columns(std::size_t found, const std::string& name);

/// Splits records into fields; owns the memory of fields with doubled quotes.
class RecordParser {
 public:
  explicit RecordParser(DelimitedStyle style) : style_(style) {}

  /// Fields of the record at the start of `text`, valid until the next call. Returns the record's
  /// length with its line end. Of a record that breaks the rules all fields are read, but for those
  /// behind kMostColumns and one more, and problem() says what was found and expected.
  std::size_t parse(std::string_view text, std::vector<std::string_view>& fields);
  const std::string& problem() const { return problem_; }  ///< of the last record, "" = none

 private:
  std::size_t quoted_field(std::string_view text, std::size_t at, std::string_view& field);

  DelimitedStyle style_;
  std::deque<std::string> unescaped_;
  std::size_t num_unescaped_ = 0;
  std::string problem_;
};

}  // namespace frugal
