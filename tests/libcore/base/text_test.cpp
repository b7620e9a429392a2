#include "libcore/base/text.h"

#include <doctest/doctest.h>

using namespace frugal;

TEST_CASE("parse_number takes the whole text or nothing") {
  CHECK(parse_number<int>("42") == 42);
  CHECK(parse_number<int>("-3") == -3);
  CHECK_FALSE(parse_number<int>("42 "));
  CHECK_FALSE(parse_number<int>(""));
  CHECK_FALSE(parse_number<int>("99999999999"));
  CHECK_FALSE(parse_number<std::uint32_t>("-1"));
  CHECK(parse_number<float>("1e-3") == 1e-3f);
  CHECK_FALSE(parse_number<float>("1,5"));
  for (const char* text : {"1e-50", "0.00123e-60", "1e-400", "1e-99999999999999999999"}) {
    CHECK(parse_number<float>(text) == 0.0F);
    CHECK(std::signbit(parse_number<float>("-" + std::string(text)).value()));
  }
  CHECK(parse_number<float>("0." + std::string(400, '0') + "1") == 0.0F);
  CHECK(parse_number<double>("1e-50") == 1e-50);
  CHECK(parse_number<double>("1e-400") == 0.0);
  for (const char* text : {"1e50", "0.001e60", "-1e400", "1e99999999999999999999", "1e-50x"}) {
    CHECK_FALSE(parse_number<float>(text));
  }
  CHECK_FALSE(parse_number<float>(std::string(400, '9') + ".5"));
}

TEST_CASE("numbers of a table are finite, and some texts say that one is missing") {
  CHECK(parse_finite<float>("+1.5") == 1.5F);
  CHECK(parse_finite<double>("-2e3") == -2000.0);
  for (const char* text : {"", "+", "+-1", "inf", "nan", "1 ", "x"})
    CHECK(!parse_finite<float>(text));
  for (const char* text : {"", " ", "NA", "N/A", "n/a", "nan", "NaN", "NaT", "null", "NULL", "None",
                           "<NA>", "#N/A", "\\N", "?"}) {
    CHECK(is_missing(text));
  }
  CHECK(!is_missing("-"));
  CHECK(is_missing_number(" - "));
  CHECK(parse_whole(" 007 ") == 7);
  CHECK(parse_whole("+7.00") == 7);
  CHECK(parse_whole("-3.") == -3);
  CHECK(parse_whole("1e+05") == 100000);
  CHECK(parse_whole("-1.25E+2") == -125);
  for (const char* text : {"1.25e+01", "1e-05", "1e+16", "1e+400", "e+05", "", ".", "7.5", "7e1",
                           "+-7", "1_000", "9223372036854775808"}) {
    CHECK(!parse_whole(text));
  }
  CHECK(!is_missing("0"));
  CHECK(!is_missing("none"));
}

TEST_CASE("names of a list read as prose") {
  const std::vector<std::string> names{"a", "b", "c"};
  CHECK(joined(names, "or") == "a, b or c");
  CHECK(joined(std::span(names).first(2), "and") == "a and b");
  CHECK(joined(std::span(names).first(1), "or") == "a");
}

TEST_CASE("sizes and durations have units") {
  CHECK(parse_bytes("64K") == 65536);
  CHECK(parse_bytes("1.5MiB") == 1572864);
  CHECK(parse_bytes("0") == 0);
  CHECK_FALSE(parse_bytes("12Q"));
  CHECK_FALSE(parse_bytes("-1"));
  CHECK(parse_seconds("5m") == 300);
  CHECK(parse_seconds("250ms") == 0.25);
  CHECK_FALSE(parse_seconds("soon"));
  CHECK(format_bytes(1536) == "1.5 KiB");
  CHECK(format_bytes(17) == "17 B");
  CHECK(format_seconds(3725) == "1 h 2 min");
  CHECK(format_seconds(4.1e22) == "1.3e+15 years");
  CHECK(format_seconds(0.25) == "250 ms");
}

TEST_CASE("format_number is the shortest text that reads back") {
  for (double x : {0.1, 1.0 / 3, 1e300, -2.5, 0.0})
    CHECK(parse_number<double>(format_number(x)) == x);
  CHECK(format_number(0.1) == "0.1");
  CHECK(format_number(0.10264, 3) == "0.103");
  CHECK(format_number(12345678.0, 3) == "1.23e+07");
}

TEST_CASE("shares and counts read as people write them") {
  CHECK(format_percent(0.95123) == "95.12 %");
  CHECK(format_count(1, "frame") == "1 frame");
  CHECK(format_count(0, "frame") == "0 frames");
}

TEST_CASE("split and trim") {
  CHECK(split("a,,b", ',') == std::vector<std::string_view>{"a", "", "b"});
  CHECK(split("", ',') == std::vector<std::string_view>{""});
  CHECK(trim(" \t x y\r\n") == "x y");
  CHECK(trim("  ").empty());
}

TEST_CASE("the nearest name is suggested only where it is near") {
  const std::vector<std::string> names{"epochs", "learning-rate", "threads"};
  CHECK(edit_distance("epcohs", "epochs") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(nearest_name("epoch", names) == "epochs");
  CHECK(nearest_name("learnin-rate", names) == "learning-rate");
  CHECK(nearest_name("zzzzzz", names).empty());
  CHECK(did_you_mean("threds", names) == "; did you mean 'threads'?");
  CHECK(did_you_mean("zzzzzz", names).empty());
  CHECK(did_you_mean("step", std::vector<std::string>{"st\nep"}) == "; did you mean 'st\\x0aep'?");
}

TEST_CASE("printable escapes what a terminal must not see and keeps UTF-8") {
  CHECK(printable("a\tb\x1b[0m") == "a\\x09b\\x1b[0m");
  CHECK(printable("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");
  CHECK(printable(std::string(100, 'x'), 5) == "xxxxx...");
  // What turns the direction of writing, and control characters of two bytes.
  CHECK(printable("a\xe2\x80\xae"
                  "b\xe2\x81\xa6"
                  "c\xd8\x9c") == "a\\u202eb\\u2066c\\u061c");
  CHECK(printable("\xc2\x9b"
                  "31m\x7f\xe2\x80\xa8") == "\\u009b31m\\x7f\\u2028");
  CHECK(printable("\xc2\xa0\xe2\x80\xa6\xf0\x9f\x98\x80") ==
        "\xc2\xa0\xe2\x80\xa6\xf0\x9f\x98\x80");
}

TEST_CASE("lines for a terminal keep their ends and tabs, and nothing else that it obeys") {
  CHECK(terminal_text("a\tb\nc\r\x1b]0;x\x07\n") == "a\tb\nc\\x0d\\x1b]0;x\\x07\n");
  CHECK(terminal_text("\xe2\x80\xae\xff gr\xc3\xbc\xc3\x9f") == "\\u202e\\xff gr\xc3\xbc\xc3\x9f");
  CHECK(terminal_text("").empty());
}

TEST_CASE("is_utf8 refuses overlong forms, surrogates and what lies beyond U+10FFFF") {
  CHECK(is_utf8("plain"));
  CHECK(is_utf8("\xf0\x9f\x98\x80"));
  for (const char* bad :
       {"\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\xe2\x82"}) {
    CHECK_FALSE(is_utf8(bad));
  }
}
