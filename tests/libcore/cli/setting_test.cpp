#include "libcore/cli/setting.h"

#include <doctest/doctest.h>

#include "libcore/cli/apply_setting.h"
#include "libcore/cli/cli11_arguments.h"
#include "libcore/cli/yaml_config.h"
#include "test_tool.h"

using namespace frugal;
using namespace frugal::test;

namespace {

OptionInfo positional(const std::string& key, bool list) {
  OptionInfo info;
  info.key = key;
  info.positional = true;
  info.list = list;
  return info;
}

OptionInfo option(const std::string& letter, const std::string& name, bool flag) {
  OptionInfo info;
  info.key = name;
  if (!letter.empty()) info.short_names = {letter};
  info.long_names = {name};
  info.flag = flag;
  return info;
}

const std::vector<OptionInfo> kOptions{option("o", "output", false), option("x", "fast", true),
                                       option("", "level", false)};

std::string shown(const std::vector<std::string>& words, const std::vector<OptionInfo>& options) {
  std::string text;
  for (const Setting& setting : parse_arguments(words, options)) {
    text += setting.key + "=";
    for (const std::string& value : setting.values) text += "<" + value + ">";
    text += " ";
  }
  return text;
}

std::string parse_message(const std::vector<std::string>& words) {
  return message_of([&] { parse_arguments(words, kOptions); });
}

}  // namespace

TEST_CASE("options are read in every usual spelling") {
  CHECK(shown({"-o", "f"}, kOptions) == "output=<f> ");
  CHECK(shown({"-of"}, kOptions) == "output=<f> ");
  CHECK(shown({"-xof"}, kOptions) == "fast=<true> output=<f> ");
  CHECK(shown({"--output=f=g"}, kOptions) == "output=<f=g> ");
  CHECK(shown({"--output="}, kOptions) == "output=<> ");
  CHECK(shown({"--output={}"}, kOptions) == "output=<{}> ");
  CHECK(shown({"--output", "--fast"}, kOptions) == "output=<--fast> ");
  CHECK(shown({"-o", "[a,b]", "--level=[c]"}, kOptions) == "output=<[a,b]> level=<[c]> ");
  CHECK(shown({"--fast=", "--fast={}", "--fast=no"}, kOptions) == "fast=<> fast=<{}> fast=<no> ");
  CHECK(shown({"--level", "2", "-x", "--level", "1"}, kOptions) ==
        "level=<2> fast=<true> level=<1> ");
  CHECK(shown({"--output", "-"}, kOptions) == "output=<-> ");
  CHECK(shown({"--level", "-5"}, kOptions) == "level=<-5> ");
  CHECK(shown({"--fast"}, kOptions) == "fast=<true> ");
}

TEST_CASE("a single list takes what the other arguments leave, wherever it stands") {
  const std::vector<OptionInfo> list_last{positional("model", false), positional("data", true)};
  const std::vector<OptionInfo> list_first{positional("in", true), positional("out", false)};
  CHECK(shown({"m", "a", "b"}, list_last) == "model=<m> data=<a><b> ");
  CHECK(shown({"m"}, list_last) == "model=<m> ");
  CHECK(shown({"a", "b", "o"}, list_first) == "in=<a><b> out=<o> ");
  CHECK(shown({"o"}, list_first) == "out=<o> ");
  CHECK(shown({"--", "-x", "--", "-5"}, list_last) == "model=<-x> data=<--><-5> ");
  CHECK(shown({"-", "-5"}, list_last) == "model=<-> data=<-5> ");
  CHECK(shown({"[m]", "++", "", "a", "{}"}, list_last) == "model=<[m]> data=<++><><a><{}> ");
}

TEST_CASE("what is not understood is named, with the nearest name") {
  CHECK(parse_message({"--ouput", "f"}) == "unknown option '--ouput'; did you mean '--output'?");
  CHECK(parse_message({"--zzzzzz"}) == "unknown option '--zzzzzz'");
  CHECK(parse_message({"-y"}) == "unknown option '-y'");
  CHECK(parse_message({"-xy"}) == "unknown option '-y'");
  CHECK(parse_message({"--output"}) == "--output needs a value");
  CHECK(parse_message({"-o"}) == "-o needs a value");
  CHECK(parse_message({"-xo"}) == "-o needs a value");
  CHECK(parse_message({"extra"}) == "unexpected argument 'extra'");
  CHECK(parse_message({"--bad\nname\x1b[0m"}) == "unknown option '--bad\\x0aname\\x1b[0m'");
}

TEST_CASE("--set reads plain values and lists") {
  CHECK(parse_set("a.b=c").key == "a-b");
  CHECK(parse_set("a=").values == std::vector<std::string>{""});
  CHECK(parse_set("a=b=c").values == std::vector<std::string>{"b=c"});
  CHECK(parse_set("a=[1, \"x, y\"]").values == std::vector<std::string>{"1", "x, y"});
  CHECK(message_of([] { parse_set("a=[1]\nb: [2]"); }).find("' is not a list") !=
        std::string::npos);
  CHECK(message_of([] { parse_set("=x"); }) == "--set '=x': expected NAME=VALUE");
  CHECK(message_of([] { parse_set("a=[x}]"); }).find("--set a: line 1: not valid YAML") == 0);
}

TEST_CASE("plain values of a YAML list are parts of the one value of an option with types") {
  std::string fanouts;
  std::vector<std::string> typed;
  const OptionFields f;
  const OptionField& field = f.add_typed("--fanouts", bind_value(fanouts), typed, "");
  const auto read = [&](const std::string& text) {
    typed.clear();
    for (const Setting& setting : parse_config("fanouts: " + text, "c.yml")) {
      apply_setting(field, setting);
    }
    return fanouts;
  };
  CHECK(read("[15, 10, 5]") == "15,10,5");
  CHECK(read("[\"15,10\", \"5\"]") == "15,10,5");
  CHECK(read("[a:b:c=3, 15, \"d=1,2\", 10]") == "15,10");
  CHECK(typed == std::vector<std::string>{"a:b:c=3", "d=1,2"});
  CHECK(read("15,10") == "15,10");
  CHECK(typed.empty());
  CHECK(read("7") == "7");
  apply_setting(field, parse_set("fanouts=[15, 10]"));
  CHECK(fanouts == "15,10");
}
