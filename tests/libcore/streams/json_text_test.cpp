#include "libcore/streams/json_text.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/refusal.h"

using namespace frugal;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

std::string json_error(const std::string& text) {
  const std::string error = frugal::refusal_of([&] { parse_json<json>(text, "m: "); });
  CHECK(frugal::refusal_of([&] { parse_json<ordered_json>(text, "m: "); }) == error);
  CHECK(find_json<json>(text).has_value() == error.empty());
  CHECK(find_json<ordered_json>(text).has_value() == error.empty());
  return error;
}

std::string many(std::size_t count, const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("a JSON text within the limits gives the library's tree") {
  const std::string text =
      R"( {"b": [1, -2, 2.5, 1e300, true, null, "\u00e9\n"], "a": {"": {}, "x": []},
  "18446744073709551615": 18446744073709551615} )";
  CHECK(parse_json<json>(text, "") == json::parse(text));
  const auto ordered = parse_json<ordered_json>(text, "");
  CHECK(ordered == ordered_json::parse(text));
  CHECK(ordered.begin().key() == "b");
  CHECK(parse_json<json>("7", "") == 7);
}

TEST_CASE("the last value of a repeated name counts") {
  const std::string text = R"({"a":1,"b":2,"a":{"c":3,"c":4},"d":5,"a":6})";
  CHECK(parse_json<json>(text, "") == json::parse(text));
  CHECK(parse_json<ordered_json>(text, "").dump() == R"({"b":2,"d":5,"a":6})");
}

TEST_CASE("a text beyond a limit is refused at its place") {
  CHECK(json_error(many(64, "[") + many(64, "]")).empty());
  CHECK(json_error(many(65, "[") + many(65, "]")) == "m: column 65: nested more than 64 deep");
  CHECK(json_error("{\"a\":\n" + many(100'000, "{\"a\":")) ==
        "m: line 2, column 316: nested more than 64 deep");
  CHECK(json_error("[" + many(kMostJsonValues - 2, "1,") + "1]").empty());
  CHECK(json_error("[" + many(kMostJsonValues - 1, "1,") + "1]") ==
        "m: column 1048577: more than 524288 values");
  CHECK(
      json_error("\"" + std::string(kMostJsonBytes, 'x') + "\"").ends_with("longer than 64.0 MiB"));
}

TEST_CASE("what is no JSON is refused at its place, in one short line") {
  CHECK(json_error("") ==
        "m: column 1: not valid JSON: syntax error while parsing value - unexpected end of "
        "input; expected '[', '{', or a literal");
  CHECK(json_error("{\"a\":1,\n \"b\":x}").starts_with("m: line 2, column 6: not valid JSON: "));
  CHECK(json_error("[1e999]").starts_with("m: column 7: not valid JSON: number overflow"));
  for (const char* python : {"[NaN]", "[-Infinity]", "{\"a\": None}"}) {
    CAPTURE(python);
    CHECK(json_error(python).ends_with("; NaN, None and Infinity are not JSON, null is"));
  }
  CHECK(json_error("[1] 2").starts_with("m: column 5: not valid JSON: "));
  CHECK(json_error("\"\xff\"").starts_with("m: column 2: not valid JSON: "));
  CHECK(json_error("[" + std::string(100'000, 'x')).size() < 300);
}

TEST_CASE("an object of many names is read in time") {
  std::string text = "{\"x\":0";
  for (int i = 0; i < 200'000; ++i)
    text += ",\"" + std::to_string(i % 150'000) + "\":" + std::to_string(i);
  const auto object = parse_json<ordered_json>(text + "}", "");
  CHECK(object.size() == 150'001);
  CHECK(object.begin().value() == 0);
}

namespace {

/// "name=text " of each member, with * before lists and ! before nested values.
std::string members_of(const std::string& text) {
  JsonMembers members;
  members.parse(text);
  std::string out;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const char* const mark[] = {"", "*", "!"};
    (out += members.name(i)) += '=';
    out += mark[static_cast<int>(members.kind(i))];
    for (const char c : members.text(i)) out += c == kJsonListSeparator ? '|' : c;
    out += ' ';
  }
  return out;
}

std::string members_error(const std::string& text) {
  return frugal::refusal_of([&] { members_of(text); });
}

}  // namespace

TEST_CASE("members of an object are texts, numbers with all their digits") {
  CHECK(members_of(R"({"a": "x\n\u00e9", "b": null, "c": true, "": false})") ==
        "a=x\n\u00e9 b= c=true =false ");
  CHECK(members_of(R"({"a": 9223372036854775807, "b": 18446744073709551615, "c": -7})") ==
        "a=9223372036854775807 b=18446744073709551615 c=-7 ");
  CHECK(members_of(R"({"a": 0.10, "b": 1E3, "c": 7.0, "d": 123456789012345678901234567890})") ==
        "a=0.10 b=1E3 c=7.0 d=123456789012345678901234567890 ");
  CHECK(members_of("{}") == "");
  CHECK(members_of(R"({"a": 1, "a": 2})") == "a=1 a=2 ");
}

TEST_CASE("lists of plain values are told from values that are nested") {
  CHECK(members_of(R"({"a": ["x", 1, null, true], "b": [], "c": 2})") == "a=*x|1||true b=* c=2 ");
  CHECK(members_of(R"({"a": {"b": 1, "c": [2]}, "d": 3})") == "a=!{...} d=3 ");
  CHECK(members_of(R"({"a": [1, [2], 3], "b": [{"x": 1}, 2], "c": 4})") ==
        "a=![...] b=![...] c=4 ");
}

TEST_CASE("members are refused beyond the limits of trees, and where there is no object") {
  CHECK(members_error("[1]") == "column 1: expected a JSON object");
  CHECK(members_error("7") == "column 1: expected a JSON object");
  CHECK(members_error("{\"a\":" + many(64, "[") + many(64, "]") + "}") ==
        "column 69: nested more than 64 deep");
  CHECK(members_error("{\"a\":[" + many(kMostJsonValues, "1,") + "1]}") ==
        "column 1048580: more than 524288 values");
  CHECK(members_error("{\"a\":\"x\\u0000\"}") ==
        "column 14: a string with the character U+0000, expected text");
  CHECK(members_error("{\"a\":1} {}").find("not valid JSON") != std::string::npos);
}
