#include "libcore/tables/delimited.h"

#include <doctest/doctest.h>

#include "libcore/base/rng.h"
#include "tests/support/text_file.h"

using namespace frugal;

namespace {

using Fields = std::vector<std::string>;

Fields fields_of(std::string_view record, DelimitedStyle style = DelimitedStyle::csv()) {
  RecordParser parser(style);
  std::vector<std::string_view> views;
  CHECK(parser.parse(record, views) == record.size());
  CHECK(parser.problem() == "");
  return {views.begin(), views.end()};
}

std::string problem_of(std::string_view record) {
  RecordParser parser(DelimitedStyle::csv());
  std::vector<std::string_view> views;
  parser.parse(record, views);
  return parser.problem();
}

/// Writes fields as RFC 4180 does, quoting at random where it need not.
std::string csv_of(const std::vector<Fields>& records, Rng& rng) {
  std::string text;
  for (const Fields& fields : records) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i > 0) text += ',';
      const bool must = fields[i].find_first_of(",\"\r\n") != std::string::npos;
      if (!must && rng.below(2)) {
        text += fields[i];
        continue;
      }
      text += '"';
      for (const char c : fields[i]) text += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += '"';
    }
    text += rng.below(2) ? "\r\n" : "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("fields are split as RFC 4180 says") {
  CHECK(fields_of("a,b,c\n") == Fields{"a", "b", "c"});
  CHECK(fields_of("a,b\r\n") == Fields{"a", "b"});
  CHECK(fields_of("") == Fields{""});
  CHECK(fields_of("\n") == Fields{""});
  CHECK(fields_of(",\n") == Fields{"", ""});
  CHECK(fields_of("a,") == Fields{"a", ""});
  CHECK(fields_of("\"3\",\"a title\",\"some, text\"\n") == Fields{"3", "a title", "some, text"});
  CHECK(fields_of("\"\",\"\"\"\"\n") == Fields{"", "\""});
  CHECK(fields_of("\"say \"\"so\"\"\",\"x\"\"\"\"y\"\n") == Fields{"say \"so\"", "x\"\"y"});
  CHECK(fields_of("\"line 1\r\nline 2\",b\n") == Fields{"line 1\r\nline 2", "b"});
  CHECK(fields_of("a\"b,c \"d\"\n") == Fields{"a\"b", "c \"d\""});
}

TEST_CASE("tabs separate, and quotes mean nothing, in TSV") {
  CHECK(fields_of("a\t\"b\tc,d\n", DelimitedStyle::tsv()) == Fields{"a", "\"b", "c,d"});
  CHECK(fields_of("a\tb,\"c\"\r\n", DelimitedStyle::lines()) == Fields{"a\tb,\"c\""});
}

TEST_CASE("a record that breaks the rules says where and what was expected") {
  CHECK(
      problem_of("1,\"abc\"d,e\n") ==
      "column 2 goes on behind its closing quote with 'd', expected a separator or the end of the "
      "line (a quote inside a field is doubled)");
  CHECK(problem_of("1,\"abc") == "a quote is opened here and never closed");
}

TEST_CASE("random records survive the way through CSV, however the text arrives") {
  Rng rng(1, 2);
  for (int round = 0; round < 300; ++round) {
    std::vector<Fields> records(1 + rng.below(6), Fields(1 + rng.below(4)));
    for (Fields& fields : records) {
      for (std::string& field : fields) {
        for (auto n = rng.below(8); n > 0; --n) field += "ab,\"\n\r "[rng.below(7)];
      }
      if (fields.size() == 1 && fields[0].empty()) fields[0] = "x";
    }
    const std::string text = csv_of(records, rng);
    RecordParser parser(DelimitedStyle::csv());
    std::vector<std::string_view> views;
    std::size_t at = 0;
    std::vector<std::size_t> ends;
    for (const Fields& fields : records) {
      at += parser.parse(std::string_view(text).substr(at), views);
      CHECK(parser.problem() == "");
      CHECK(Fields(views.begin(), views.end()) == fields);
      ends.push_back(at);
    }
    CHECK(at == text.size());

    RecordScanner scanner(DelimitedStyle::csv());
    for (std::size_t size = 0; size <= text.size(); size += 1 + rng.below(3)) {
      std::size_t expected = 0;
      for (const std::size_t end : ends) {
        if (end <= size) expected = end;
      }
      CHECK(scanner.scan(std::string_view(text).substr(0, size)) == expected);
    }
  }
}
