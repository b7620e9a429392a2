#include "libcore/io/json_text.h"

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
