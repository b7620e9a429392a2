#include "libcore/report/markup.h"

#include <doctest/doctest.h>

using namespace frugal;

TEST_CASE("markup is escaped in elements and attributes") {
  CHECK(escape_markup("a<b>&\"c'") == "a&lt;b&gt;&amp;&quot;c&#39;");
  CHECK(escape_markup("größer 10⁻⁴") == "größer 10⁻⁴");
}

TEST_CASE("bytes that XML forbids are replaced") {
  CHECK(escape_markup("\xff") == "\xef\xbf\xbd");
  CHECK(escape_markup("a\x01z\x7f") == "a\xef\xbf\xbdz\xef\xbf\xbd");
  CHECK(escape_markup("\xef\xbf\xbf\xc2\x85") == "\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(escape_markup("\xc3") == "\xef\xbf\xbd");
  CHECK(escape_markup("line\nnext\ttab") == "line\nnext\ttab");
}

TEST_CASE("text is shortened by characters, not bytes") {
  CHECK(shorten("short", 12, 100) == "short");
  const std::string cut = shorten("ääääääääääääääää", 12, 60);
  CHECK(cut.ends_with("…"));
  CHECK(escape_markup(cut) == cut);
  CHECK(text_width(cut, 12) <= 60);
  CHECK(shorten("anything", 12, 0) == "…");
}

TEST_CASE("coordinates are short") {
  CHECK(coordinate(1.0 / 3) == "0.33");
  CHECK(coordinate(-0.001) == "0");
  CHECK(coordinate(120) == "120");
}

TEST_CASE("numbers in labels have few digits and no exponent where people use none") {
  CHECK(short_number(93.41) == "93.41");
  CHECK(short_number(0.1 + 0.2) == "0.3");
  CHECK(short_number(12345) == "12345");
  CHECK(short_number(1234567) == "1.2346M");
  CHECK(short_number(-250000) == "-250k");
}
