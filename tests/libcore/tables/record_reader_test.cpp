#include "libcore/tables/record_reader.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"

using namespace frugal;

namespace {

std::string records_of(const std::string& text, DelimitedStyle style) {
  const TextFile file(text);
  RecordReader reader(file.path(), style);
  std::string all;
  std::string_view record;
  while (reader.next(record)) {
    all += std::to_string(reader.line_number()) + "<" + std::string(record) + ">";
  }
  return all;
}

}  // namespace

TEST_CASE("records are lines, but quoted fields go on") {
  CHECK(records_of("a,b\r\n\nc", DelimitedStyle::csv()) == "1<a,b>2<>3<c>");
  CHECK(records_of("a,\"b\r\nc\n\"\nd\n", DelimitedStyle::csv()) == "1<a,\"b\nc\n\">4<d>");
  CHECK(records_of("a,x\"y\nb,\"q\"\"\n\"\nc\n", DelimitedStyle::csv()) ==
        "1<a,x\"y>2<b,\"q\"\"\n\">4<c>");
  CHECK(records_of("a\t\"b\nc\n", DelimitedStyle::tsv()) == "1<a\t\"b>2<c>");
}

TEST_CASE("a quote that is never closed is named with its record") {
  const TextFile file("a\nb,\"c\nd\n");
  RecordReader reader(file.path(), DelimitedStyle::csv());
  std::string_view record;
  CHECK(reader.next(record));
  CHECK(error_of([&] { reader.next(record); }) ==
        "65 " + file.path() + ":2: a quote is opened in this record and not closed at all");
}
